/** What every page shows of its connection, and says aloud. */
import type { ServerClock } from './stream.ts';

const SPOKEN_MS = 8_000;

/** An element that the page has by its id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element as T;
}

/** Shows whether updates arrive, and if not, as of when the page is. */
export function showConnection(connected: boolean, clock: ServerClock): void {
  const status = byId('connection');
  const state = connected ? 'live' : 'lost';
  if (status.dataset.state === state) return;
  status.dataset.state = state;
  const at = new Date(clock.now() * 1000).toISOString().slice(11, 19);
  status.textContent = connected ? 'Up to date' : `Connection lost: as of ${at} UTC`;
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
