/** Highlights and announces changes of scores. */
import { byId } from './dom.ts';

const FLASH = 'data-flash';
const FLASH_MS = 6_000;
/** Time for which an announcement stays in the page, milliseconds. */
const ANNOUNCED_MS = 8_000;

const announced: string[] = [];

/** Returns what tells a change of the score between two versions of a row or head within an element; null without one, or where it is unknown. */
export function newsOf(before: HTMLElement | null, after: HTMLElement): ((within: Element) => void) | null {
  const [was, is] = [goalsOf(before), goalsOf(after)];
  if (was === null || is === null || String(was) === String(is)) return null;
  const isGoal = is.some((goals, n) => goals > (was[n] ?? 0));
  const words = `${isGoal ? 'Goal' : 'Goal cancelled'}: ${after.dataset.spoken}`;
  return (within) => {
    const score = within.querySelector('.score, .big-score');
    if (score !== null) flash(score, isGoal ? 'goal' : 'cancelled');
    // Screen readers read it out after what they are reading.
    announced.push(words);
    byId('news').textContent = announced.join(' ');
    setTimeout(() => {
      announced.shift();
      byId('news').textContent = announced.join(' ');
    }, ANNOUNCED_MS);
  };
}

function goalsOf(of: HTMLElement | null): number[] | null {
  const goals = of?.dataset.goals ?? '';
  return goals === '' ? null : goals.split(' ').map(Number);
}

/** Highlights an element for `FLASH_MS`; restarts a running highlight. */
function flash(element: Element, kind: string): void {
  element.removeAttribute(FLASH);
  requestAnimationFrame(() => element.setAttribute(FLASH, kind));
  setTimeout(() => element.removeAttribute(FLASH), FLASH_MS);
}
