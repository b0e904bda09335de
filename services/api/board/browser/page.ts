/** Keeps a page of the server up to date: fetches it again after each change, and applies the differences. */

import type { BoardMatch } from '#story/match.ts';
import { type ClockedMatch, timeWithDay } from '#story/minute.ts';
import type { BoardSource } from '../shared/feed.ts';
import { guardHtml } from '../shared/guard.ts';
import type { ShownMoment } from '../shared/heartbeat.ts';
import { newsWords, scoreNews } from '../shared/news.ts';
import { momentText, whenCell } from '../shared/row.ts';
import { chosenZone } from './appearance.ts';
import { announce, byId, showAge, showConnection, takeSources } from './head.ts';
import { flash, morph, morphChildren, parse } from './morph.ts';
import { followStream } from './stream.ts';

const main = byId('main');
let match: BoardMatch | undefined;
/** The clocks of the matches of a bracket, by event id, as the stream sent them. */
const clocked = new Map<number, ClockedMatch>();
/** Timeout for fetching the page, milliseconds. The next change fetches it again. */
const FETCH_TIMEOUT_MS = 10_000;
/** Interval at which the page is read again without an event, seconds; 0: never. */
const refreshSeconds = Number(main.dataset.refresh ?? 0);
let refreshing = false;
let stale = false;

const momentShown = followStream(main.dataset.stream ?? '', {
  onConnection: () => {
    showConnection(momentShown());
    drawByConnection(document);
  },
  onTick: showAge,
  on: {
    snapshot: () => {
      takeSources(undefined, momentShown());
      // Known states are older than this connection. The server sends the current ones next.
      match = undefined;
      clocked.clear();
      refresh();
    },
    match: (data) => take(data as BoardMatch),
    gone: (data) => {
      clocked.delete((data as { event_id: number }).event_id);
      match = undefined;
      document.getElementById('guard')?.remove();
      refresh();
    },
    clock: (data) => {
      const one = data as ClockedMatch;
      clocked.set(one.event_id, one);
      drawByConnection(document);
    },
    table: refresh,
    feeds: (data) => {
      takeSources(data as BoardSource[], momentShown());
      if (refreshSeconds > 0) refresh();
    },
  },
});
setInterval(() => drawByConnection(document), 1_000);
// Another tab changed how times are shown.
addEventListener('storage', refresh);
if (refreshSeconds > 0) setInterval(refresh, refreshSeconds * 1_000);

// The address names the season: another one may be in play at the next refresh.
const [, season] = /^season=(\d+)/.exec(main.dataset.stream ?? '') ?? [];
if (season !== undefined && location.search === '') history.replaceState(null, '', `?season=${season}`);

// Another table is another page; a search filters the rows of this one.
main.addEventListener('input', ({ target }) => {
  if (
    !(target instanceof HTMLSelectElement || target instanceof HTMLInputElement) ||
    target.form?.id !== 'choose'
  )
    return;
  const chosen = Array.from(new FormData(target.form), ([name, value]) => [name, String(value)]);
  const search = new URLSearchParams(chosen.filter(([name, value]) => name !== 'q' || value !== ''));
  if (target instanceof HTMLSelectElement) location.assign(`/standings?${search}`);
  else {
    history.replaceState(null, '', `/standings?${search}`);
    refresh();
  }
});
main.addEventListener('submit', (event) => {
  if (event.target instanceof HTMLFormElement && event.target.id === 'choose') event.preventDefault();
});

function take(after: BoardMatch): void {
  const kind = match === undefined ? null : scoreNews(match, after);
  match = after;
  drawByConnection(document);
  if (kind !== null) {
    announce(newsWords(kind, after));
    const score = document.querySelector('.big-score');
    if (score !== null) flash(score, kind);
  }
  refresh();
}

/** Fetches the page again; once more when something changes during the fetch. */
function refresh(): void {
  stale = true;
  if (refreshing) return;
  refreshing = true;
  void redraw().finally(() => {
    refreshing = false;
  });
}

async function redraw(): Promise<void> {
  while (stale) {
    stale = false;
    try {
      const response = await fetch(location.href, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
      // The content was deleted: the server's page for that replaces this one.
      if (response.status === 404) location.reload();
      if (!response.ok) continue;
      const page = parse(await response.text());
      drawByConnection(page);
      writeTimes(page, momentShown().now);
      const wanted = page.getElementById('main');
      if (wanted !== null) morph(main, wanted);
    } catch {
      // The stream shows the lost connection, and refreshes the page when it is back.
    }
  }
}

/** Writes all times of a page, or of a part of it, in the zone that the reader chose: the server renders them in UTC. `now`: Unix seconds. */
function writeTimes(page: ParentNode, now: number): void {
  const zone = chosenZone();
  if (zone === 'UTC') return;
  for (const time of page.querySelectorAll('time'))
    time.textContent = timeWithDay(Date.parse(time.dateTime) / 1000, now, zone);
  for (const name of page.querySelectorAll('.zone')) name.textContent = zone;
}

/** Draws the parts that depend on the connection: clocks, feeds and guard. The server renders them as awaiting an update. */
function drawByConnection(page: Document | DocumentFragment): void {
  const moment = momentShown();
  drawClocks(page, moment);
  if (moment.connection === 'lost') withdrawFeeds(page);
  if (match === undefined) return;
  const cell = page.getElementById('when');
  if (cell !== null) morphChildren(cell, parse(String(whenCell(match, moment))));
  const guard = page.getElementById('guard');
  const wanted = parse(String(guardHtml(match, moment.connection))).firstElementChild;
  if (guard !== null && wanted !== null) morph(guard, wanted);
}

/** Withdraws the states of feeds while the connection is lost: they may have changed. */
function withdrawFeeds(page: Document | DocumentFragment): void {
  for (const state of page.querySelectorAll('[data-needs-connection]')) {
    state.textContent = 'no word from the server';
    state.closest('[data-guard]')?.setAttribute('data-guard', 'halted');
  }
}

/** Draws the clocks of a bracket. A clock that the stream has not sent yet stays as the server rendered it, until the connection is lost. */
function drawClocks(page: Document | DocumentFragment, moment: ShownMoment): void {
  for (const cell of page.querySelectorAll<HTMLElement>('[data-clock]')) {
    const known = clocked.get(Number(cell.dataset.clock));
    const isLive = cell.closest('[data-phase="live"]') !== null;
    if (known !== undefined) cell.textContent = momentText(known, moment);
    else if (isLive && moment.connection === 'lost') cell.textContent = '–';
  }
}
