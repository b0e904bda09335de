/** A page that the server draws, kept up to date: when something changed it is asked for again, and only that changes. */
import { guardHtml } from '../shown/guard.ts';
import type { ShownMoment } from '../shown/last-word.ts';
import type { BoardMatch } from '../shown/match.ts';
import { type ClockedMatch, momentText } from '../shown/minute.ts';
import { newsWords, scoreNews } from '../shown/news.ts';
import { whenCell } from '../shown/row.ts';
import { announce, byId, showAge, showWord } from './head.ts';
import { flash, morph, morphChildren, parse } from './morph.ts';
import { followStream } from './stream.ts';

const main = byId('main');
let match: BoardMatch | undefined;
/** The matches of a bracket by event, with the clocks that the connection sent. */
const clocked = new Map<number, ClockedMatch>();
/** A page that does not come in this time is asked for again with the next change. */
const ASK_MS = 10_000;
const REFRESH_MS = 2_000;
let refreshing = false;
let stale = false;

const momentShown = followStream(main.dataset.stream ?? '', {
  onWord: () => {
    showWord(momentShown());
    drawByWord(document);
  },
  onTick: showAge,
  on: {
    snapshot: () => {
      // What is known is of before the connection; the state that is sent next is not.
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
      drawByWord(document);
    },
    table: refresh,
    feeds: refresh,
  },
});
setInterval(() => drawByWord(document), 1_000);
// Ages of feeds grow without an event.
if (document.querySelector('.sources') !== null) setInterval(refresh, REFRESH_MS);

// A choice of another table is another page; a search is this one with fewer rows.
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
main.addEventListener('submit', (event) => event.preventDefault());

function take(after: BoardMatch): void {
  const kind = match === undefined ? null : scoreNews(match, after);
  match = after;
  drawByWord(document);
  if (kind !== null) {
    announce(newsWords(kind, after));
    const score = document.querySelector('.big-score');
    if (score !== null) flash(score, kind);
  }
  refresh();
}

/** Asks for the page again; what changes while it is on its way is asked for once more after it. */
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
      const response = await fetch(location.href, { signal: AbortSignal.timeout(ASK_MS) });
      // What it showed is gone: only the server can say so.
      if (response.status === 404) location.reload();
      if (!response.ok) return;
      const page = parse(await response.text());
      drawByWord(page);
      const wanted = page.getElementById('main');
      if (wanted !== null) morph(main, wanted);
    } catch {
      // The stream says that the connection is lost, and brings the page up to date when it is back.
      return;
    }
  }
}

/** Draws what rests on the server's last word: the clock and the guard. The server's own page says nothing of it. */
function drawByWord(page: Document | DocumentFragment): void {
  const moment = momentShown();
  drawClocks(page, moment);
  if (moment.word === 'lost') withdrawFeeds(page);
  if (match === undefined) return;
  const cell = page.getElementById('when');
  if (cell !== null) morphChildren(cell, parse(String(whenCell(match, moment))));
  const guard = page.getElementById('guard');
  const wanted = parse(String(guardHtml(match, moment.word))).firstElementChild;
  if (guard !== null && wanted !== null) morph(guard, wanted);
}

/** No feed is called alive by a page that the server no longer speaks to. */
function withdrawFeeds(page: Document | DocumentFragment): void {
  for (const state of page.querySelectorAll('[data-vouched]')) {
    state.textContent = 'no word from the server';
    state.closest('[data-guard]')?.setAttribute('data-guard', 'halted');
  }
}

/** Draws the clocks of a bracket. One that the connection has not sent yet is that of the page, and withdrawn with it. */
function drawClocks(page: Document | DocumentFragment, moment: ShownMoment): void {
  for (const cell of page.querySelectorAll<HTMLElement>('[data-clock]')) {
    const known = clocked.get(Number(cell.dataset.clock));
    const isLive = cell.closest('[data-phase="live"]') !== null;
    if (known !== undefined) cell.textContent = momentText(known, moment);
    else if (isLive && moment.word === 'lost') cell.textContent = '–';
  }
}
