/** The rows of the board: puts each into its place, and shows those that the filters select. */
import { byId, morph, setText } from './dom.ts';

export const isBoard = document.getElementById('board') !== null;

/** Whether the connection was lost when the rows were counted; undefined once they have changed. */
let countedAs: boolean | undefined;

/** Puts a row into the board, within its section and group as the server rendered it. Returns the row in the page. */
export function putRow(section: HTMLElement): HTMLElement {
  const [group, row] = [childOf(section, '.group'), childOf(section, '.match')];
  const have = document.getElementById(row.id);
  const hasFocus = have?.contains(document.activeElement) === true;
  if (have !== null && have.closest('.group')?.id !== group.id) removeRow(row.id);
  row.hidden = !selection()(row);
  let parent: Element = byId('board');
  for (const wanted of [section, group, row]) {
    const known = document.getElementById(wanted.id);
    if (known === null) {
      parent.append(wanted);
      break;
    }
    if (wanted === row) morph(known, row);
    parent = wanted === group ? childOf(known, '.matches') : known;
  }
  for (const { id } of [row, group, section]) settle(byId(id));
  const placed = byId(row.id);
  showParents(placed);
  if (hasFocus && !placed.contains(document.activeElement))
    placed.querySelector('a')?.focus({ preventScroll: true });
  countedAs = undefined;
  return placed;
}

/** Removes a row, and its group and section if it was their last. */
export function removeRow(id: string): void {
  const row = document.getElementById(id);
  const parents = [row?.closest('.group'), row?.closest('.section')];
  row?.remove();
  for (const parent of parents) {
    if (parent?.querySelector('.match') === null) parent.remove();
    else if (parent) settle(parent);
  }
  countedAs = undefined;
}

/** Moves an element before the first sibling that is ordered after it. */
function settle(element: Element): void {
  const { parentElement, nextElementSibling } = element;
  const order = orderOf(element);
  const siblings = Array.from(parentElement?.children ?? []);
  const next = siblings.find((one) => one !== element && orderOf(one) > order) ?? null;
  if (nextElementSibling !== next) parentElement?.insertBefore(element, next);
}

function childOf(element: Element, selector: string): HTMLElement {
  return element.querySelector<HTMLElement>(selector) as HTMLElement;
}

/** Returns the text by which a row, or the first row of a group or section, is ordered; empty of a heading. */
function orderOf(element: Element): string {
  const row = element.matches('.match') ? element : element.querySelector('.match');
  return row?.getAttribute('data-order') ?? '';
}

/** Follows the choices of the filters, and keeps them in the address. */
export function offerFilters(): void {
  const form = byId<HTMLFormElement>('filters');
  form.addEventListener('input', () => {
    const chosen = Array.from(new FormData(form), ([name, value]) => [name, String(value)]);
    const search = new URLSearchParams(chosen.filter(([, value]) => value !== '' && value !== 'all'));
    history.replaceState(null, '', search.size === 0 ? '/' : `/?${search}`);
    const isSelected = selection();
    for (const row of rows()) row.hidden = !isSelected(row);
    for (const row of rows()) showParents(row);
    countedAs = undefined;
  });
  form.addEventListener('submit', (event) => event.preventDefault());
}

/** Returns whether the filters select a row, as of now. `show`: another choice than the one of the form. */
function selection(): (row: HTMLElement, show?: string) => boolean {
  const form = new FormData(byId<HTMLFormElement>('filters'));
  const chosen = (name: string): string => String(form.get(name) ?? '');
  const [chosenShow, competition] = [chosen('show'), chosen('competition')];
  const words = chosen('q')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return ({ dataset }, show = chosenShow) =>
    (show === 'all' || dataset.phase === show) &&
    (competition === '' || dataset.competition === competition) &&
    words.every((word) => dataset.names?.includes(word));
}

/** Returns all rows, without a search of the thousands of elements within them. */
function rows(): HTMLElement[] {
  const groups = Array.from(byId('board').children, (section) => Array.from(section.children)).flat();
  return groups.flatMap(({ lastElementChild: list }) => Array.from(list?.children ?? []) as HTMLElement[]);
}

/** Shows group and section of a row while they have a row to show. */
function showParents(row: HTMLElement): void {
  for (const parent of [row.closest<HTMLElement>('.group'), row.closest<HTMLElement>('.section')])
    if (parent !== null) parent.hidden = parent.querySelector('.match:not([hidden])') === null;
}

/** Shows the number of matches of each filter, and how many of those in view are halted; all that may be traded while `isLost`. */
export function showCounts(isLost: boolean): void {
  if (countedAs === isLost) return;
  countedAs = isLost;
  const all = rows();
  const isSelected = selection();
  const phases = all.filter((row) => isSelected(row, 'all')).map(({ dataset }) => dataset.phase);
  for (const input of byId('filters').querySelectorAll<HTMLInputElement>('[name="show"]')) {
    const count = input.parentElement?.querySelector('b');
    const counted = input.value === 'all' ? phases : phases.filter((phase) => phase === input.value);
    if (count) setText(count, String(counted.length));
  }
  const shown = all.filter(({ hidden }) => !hidden);
  byId('empty').hidden = shown.length > 0;
  const guarded = shown.filter(({ dataset }) => ['safe', 'halted', 'awaited'].includes(dataset.guard ?? ''));
  const halted = isLost ? guarded : guarded.filter(({ dataset }) => dataset.guard === 'halted');
  setText(byId('halted'), guarded.length === 0 ? '' : `${halted.length} of ${guarded.length} halted`);
}
