/** The board in the browser: the same markup as the server's, kept up to date. */
import { type Arrangement, arrange, type BoardQuery, newsWords, scoreNews } from '../shown/arrange.ts';
import { boardHtml, filtersHtml } from '../shown/board.ts';
import { type BoardSource, feedsHtml } from '../shown/feed.ts';
import type { Moment } from '../shown/last-word.ts';
import type { BoardMatch } from '../shown/match.ts';
import { matchRow, whenCell } from '../shown/row.ts';
import { announce, byId, showAge, showWord } from './head.ts';
import { flash, morph, morphChildren, parse } from './morph.ts';
import { followStream } from './stream.ts';

const DRAW_EVERY_MS = 100;

const board = byId('board');
const form = byId<HTMLFormElement>('filters');
const matches = new Map<number, BoardMatch>();
let sources: readonly BoardSource[] = [];
/** Matches that the board has as the server said, but that did not arrive yet: what is known of them is of before. */
let awaited: Set<number> | undefined;
/** Matches whose rows are not as they should be. */
const changed = new Set<number>();
/** Rows to mark once they are there. */
const news = new Map<number, string>();
/** What the board was last laid out as: rows in the same places are changed one by one. */
let layout = '';
/** Something is not drawn yet. */
let isDue = false;
let drawnAt = -DRAW_EVERY_MS;

const momentShown = followStream('/board/events', {
  onWord: () => {
    showWord(momentShown());
    drawFeeds();
    drawAll();
  },
  onTick: (age) => {
    showAge(age);
    drawDue();
  },
  on: {
    snapshot: (data) => {
      const { event_ids } = data as { event_ids: number[] };
      awaited = new Set(event_ids);
      for (const id of matches.keys()) if (!awaited.has(id)) matches.delete(id);
      drawAll();
    },
    match: (data) => take(data as BoardMatch),
    feeds: (data) => {
      sources = data as BoardSource[];
      drawFeeds();
    },
  },
});

form.addEventListener('input', () => {
  const query = queryOf(form);
  const search = new URLSearchParams();
  if (query.show !== 'all') search.set('show', query.show);
  if (query.by !== 'status') search.set('by', query.by);
  if (query.competition !== null) search.set('competition', String(query.competition));
  if (query.q !== '') search.set('q', query.q);
  history.replaceState(null, '', search.size === 0 ? '/' : `/?${search}`);
  draw();
});
form.addEventListener('submit', (event) => event.preventDefault());
setInterval(tick, 1_000);

function take(match: BoardMatch): void {
  const { event_id: id } = match;
  awaited?.delete(id);
  const before = matches.get(id);
  if (before !== undefined && before.version > match.version) return;
  matches.set(id, match);
  changed.add(id);
  const kind = before === undefined ? null : scoreNews(before, match);
  if (kind !== null && isShown(id)) {
    news.set(id, kind);
    announce(newsWords(kind, match));
  }
  draw();
}

/**
 * Draws with the next frame, however much arrives before it, and then not again for a while: nobody reads faster. A page that is
 * hidden has no frames: it is drawn with the next tick.
 */
function draw(): void {
  isDue = true;
  requestAnimationFrame(drawDue);
}

/** Nothing is drawn before the first board is whole. */
function drawDue(): void {
  if (!isDue || awaited === undefined || (layout === '' && awaited.size > 0)) return;
  if (performance.now() < drawnAt + DRAW_EVERY_MS) return;
  drawNow();
}

/** Draws at once what was drawn before: what the server's word no longer carries is not shown for a moment longer. */
function drawAll(): void {
  for (const id of matches.keys()) changed.add(id);
  if (layout !== '') drawNow();
}

function drawFeeds(): void {
  morphChildren(byId('feeds'), parse(String(feedsHtml(sources, momentShown().word))));
}

/** The moment of a match: the server has not said again what one is that it will send. */
function momentOf({ event_id }: BoardMatch): Moment {
  const moment = momentShown();
  return moment.word === 'fresh' && awaited?.has(event_id) ? { ...moment, word: 'awaited' } : moment;
}

function drawNow(): void {
  isDue = false;
  drawnAt = performance.now();
  const query = queryOf(form);
  const arrangement = arrange(matches.values(), query);
  const newLayout = layoutOf(arrangement);
  if (newLayout !== layout) {
    layout = newLayout;
    const focused = document.activeElement?.closest('.match')?.getAttribute('data-key');
    const sight = { now: momentShown().now, wordOf: (match: BoardMatch) => momentOf(match).word };
    morphChildren(board, parse(String(boardHtml(arrangement, query, sight))));
    morphChildren(form, parse(String(filtersHtml(arrangement, query))));
    // A row that went to another section is a new one there.
    if (focused && document.activeElement === document.body) {
      board.querySelector<HTMLElement>(`[data-key="${focused}"] a`)?.focus({ preventScroll: true });
    }
  } else {
    for (const id of changed) {
      const match = matches.get(id);
      const row = rowOf(id);
      const wanted =
        match === undefined ? null : parse(String(matchRow(match, momentOf(match)))).firstElementChild;
      if (row !== null && wanted !== null) morph(row, wanted);
    }
  }
  changed.clear();
  for (const [id, kind] of news) {
    const row = rowOf(id)?.querySelector('a');
    if (row) flash(row, kind);
  }
  news.clear();
}

/** Lets the minutes of the matches in play go on. */
function tick(): void {
  if (layout === '') return;
  for (const match of matches.values()) {
    if (match.status_type !== 'live') continue;
    const cell = rowOf(match.event_id)?.querySelector('.when');
    if (cell) morphChildren(cell, parse(String(whenCell(match, momentOf(match)))));
  }
}

function rowOf(id: number): Element | null {
  return board.querySelector(`[data-key="match-${id}"]`);
}

function isShown(id: number): boolean {
  return rowOf(id) !== null;
}

function layoutOf({ sections, counts, competitions }: Arrangement): string {
  const places = sections.map(({ key, groups }) => [
    key,
    groups.map(({ key, title, matches }) => [key, title, matches.map(({ event_id }) => event_id)]),
  ]);
  return JSON.stringify([places, counts, competitions]);
}

function queryOf(from: HTMLFormElement): BoardQuery {
  const data = new FormData(from);
  const text = (name: string): string => String(data.get(name) ?? '');
  return {
    show: text('show') as BoardQuery['show'],
    by: text('by') as BoardQuery['by'],
    competition: text('competition') === '' ? null : Number(text('competition')),
    q: text('q'),
  };
}
