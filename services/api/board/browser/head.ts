/** The state of the connection in the head of every page, and announcements for screen readers. */
import type { ShownMoment } from '../shown/heartbeat.ts';
import { timeText } from '../shown/minute.ts';

/** Time for which an announcement stays in the page, milliseconds. */
const ANNOUNCED_MS = 8_000;

/** Returns an element of the page. Throws when there is none with this id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element as T;
}

/** Shows whether the page is up to date; while the connection is lost, the time of its content. */
export function showConnection({ now, connection }: ShownMoment): void {
  document.body.dataset.connection = connection;
  const status = byId('connection');
  status.dataset.state = connection === 'fresh' ? 'live' : connection;
  status.textContent = connection === 'fresh' ? 'Up to date' : `Connection lost: as of ${timeText(now)} UTC`;
}

/** Shows the age of the last heartbeat, seconds. It changes too often to be announced. */
export function showAge(age: number | null): void {
  const text = age === null ? '' : `last word ${Math.max(0, Math.floor(age))} s ago`;
  const shown = byId('age');
  if (shown.textContent !== text) shown.textContent = text;
}

const announced: string[] = [];

/** Lets screen readers read something out after what they are reading. */
export function announce(words: string): void {
  const region = byId('news');
  announced.push(words);
  region.textContent = announced.join(' ');
  setTimeout(() => {
    announced.shift();
    region.textContent = announced.join(' ');
  }, ANNOUNCED_MS);
}
