/** What every page shows of its connection, and says aloud. */
import type { ShownMoment } from '../shown/last-word.ts';
import { timeText } from '../shown/minute.ts';

const SPOKEN_MS = 8_000;

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element as T;
}

/** Shows whether the server's word counts, and if not, as of when the page is. */
export function showWord({ now, word }: ShownMoment): void {
  document.body.dataset.word = word;
  const status = byId('connection');
  status.dataset.state = word === 'fresh' ? 'live' : word;
  status.textContent = word === 'fresh' ? 'Up to date' : `Connection lost: as of ${timeText(now)} UTC`;
}

/** Shows how many seconds ago the last word came. It changes too often to be spoken. */
export function showAge(age: number | null): void {
  const text = age === null ? '' : `last word ${Math.max(0, Math.floor(age))} s ago`;
  const shown = byId('age');
  if (shown.textContent !== text) shown.textContent = text;
}

const spoken: string[] = [];

/** Has a screen reader say something when it has nothing else to say. */
export function announce(words: string): void {
  const region = byId('news');
  spoken.push(words);
  region.textContent = spoken.join(' ');
  setTimeout(() => {
    spoken.shift();
    region.textContent = spoken.join(' ');
  }, SPOKEN_MS);
}
