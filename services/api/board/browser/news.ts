/** Highlights and announces changes of scores. */
import { byId } from './dom.ts';

const FLASH = 'data-flash';
const FLASH_MS = 6_000;
/** Time for which an announcement stays in the page, milliseconds. */
const ANNOUNCED_MS = 8_000;

/** The news that a version of a match brings; null: its score is as before, or unknown before or after. */
type ScoreNews = { readonly kind: 'goal' | 'cancelled'; readonly words: string };

/** Compares two versions of a row or a head as the server rendered them. `before`: null if there was none. */
export function newsOf(before: HTMLElement | null, after: HTMLElement): ScoreNews | null {
  const [was, is] = [goalsOf(before), goalsOf(after)];
  if (was === null || is === null) return null;
  const { spoken } = after.dataset;
  if (is.some((goals, n) => goals > (was[n] ?? 0))) return { kind: 'goal', words: `Goal: ${spoken}` };
  if (is.every((goals, n) => goals === was[n])) return null;
  return { kind: 'cancelled', words: `Goal cancelled: ${spoken}` };
}

function goalsOf(of: HTMLElement | null): number[] | null {
  const goals = of?.dataset.goals ?? '';
  return goals === '' ? null : goals.split(' ').map(Number);
}

/** Highlights the score within an element, and lets screen readers read the news out after what they are reading. */
export function tell({ kind, words }: ScoreNews, within: Element): void {
  const score = within.querySelector('.score, .big-score');
  if (score !== null) flash(score, kind);
  announce(words);
}

/** Highlights an element for `FLASH_MS`; restarts a running highlight. */
function flash(element: Element, kind: string): void {
  element.removeAttribute(FLASH);
  requestAnimationFrame(() => element.setAttribute(FLASH, kind));
  setTimeout(() => element.removeAttribute(FLASH), FLASH_MS);
}

const announced: string[] = [];

function announce(words: string): void {
  const region = byId('news');
  announced.push(words);
  region.textContent = announced.join(' ');
  setTimeout(() => {
    announced.shift();
    region.textContent = announced.join(' ');
  }, ANNOUNCED_MS);
}
