/** The keys of the board: `pages/board-page.ts` lists them. */
import { hasKeys } from './appearance.ts';
import { byId } from './head.ts';

const SHOWS: Readonly<Record<string, string>> = { a: 'all', l: 'live', u: 'upcoming', s: 'favourites' };

/** Listens for the keys. */
export function offerKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || !hasKeys() || isTyping(target)) return;
    if (key === '/') document.querySelector<HTMLInputElement>('#filters input[name="q"]')?.focus();
    else if (key === '?') toggleList();
    else if (SHOWS[key] !== undefined)
      document.querySelector<HTMLInputElement>(`#filters input[value="${SHOWS[key]}"]`)?.click();
    else return;
    event.preventDefault();
  });
}

function toggleList(): void {
  const list = byId<HTMLDetailsElement>('view');
  list.open = !list.open;
  list.querySelector('summary')?.focus();
}

/** Whether a key goes into a field, where it is text. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type === 'search')
  );
}
