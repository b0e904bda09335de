/** The state of the connection in the head of every page, and announcements for screen readers. */

import { timeText } from '#story/minute.ts';
import { type BoardSource, feedsHead } from '../shared/feed.ts';
import type { ShownMoment } from '../shared/heartbeat.ts';

/** Time for which an announcement stays in the page, milliseconds. */
const ANNOUNCED_MS = 8_000;

/** Returns an element of the page. Throws when there is none with this id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element as T;
}

/** The health of all sources; undefined until this connection has sent it. */
let sources: readonly BoardSource[] | undefined;

/** Shows whether the page is up to date, by its connection and all sources; while the connection is lost, the time of its content. */
export function showConnection({ now, connection, zone = 'UTC' }: ShownMoment): void {
  document.body.dataset.connection = connection;
  const status = byId('connection');
  const isFresh = connection === 'fresh';
  const { believed, words } = feedsHead(sources);
  status.dataset.state = isFresh ? 'live' : connection;
  status.dataset.feeds = isFresh ? believed : 'awaited';
  const text = isFresh ? words : `Connection lost: as of ${timeText(now, zone)} ${zone}`;
  // A status that is set again is announced again.
  if (status.textContent !== text) status.textContent = text;
}

/** Takes the health of all sources; undefined: a new connection will send it. Shows it where the page is connected. */
export function takeSources(taken: readonly BoardSource[] | undefined, moment: ShownMoment): void {
  sources = taken;
  if (moment.connection === 'fresh') showConnection(moment);
}

/** Shows the age of the last heartbeat, seconds. It changes too often to be announced. */
export function showAge(age: number | null): void {
  const text = age === null ? '' : `server ${Math.max(0, Math.floor(age))} s ago`;
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
