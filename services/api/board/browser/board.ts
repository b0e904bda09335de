/** The board in the browser: the same markup as the server's, kept up to date. */
import { type Arrangement, arrange, type BoardGroup, type BoardQuery } from '../shown/arrange.ts';
import { boardHtml, filtersHtml } from '../shown/board.ts';
import { type BoardSource, feedsHtml } from '../shown/feed.ts';
import type { Html } from '../shown/html.ts';
import type { ShownMoment } from '../shown/last-word.ts';
import { type BoardMatch, phaseOf } from '../shown/match.ts';
import { feedNews, goneNews, haltNews, newsWords, scoreNews } from '../shown/news.ts';
import { lastWord, matchRow, sameRow, whenCell } from '../shown/row.ts';
import { alertReader, offerAlerts } from './alerts.ts';
import { favouriteMatches, toggleFavourite } from './favourites.ts';
import { announce, byId, showAge, showWord } from './head.ts';
import { flash, morph, morphChildren, parse, replaceSame } from './morph.ts';
import { followStream } from './stream.ts';

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
/** The rows of each group as last laid out, by its key: a group whose rows stay is left as it is. */
let groupLayouts = new Map<string, string>();
/** Something is not drawn yet. */
let isDue = false;
/** The minute of each match in play as it is drawn. */
const minutes = new Map<number, string>();
/** In so many ticks every row is looked at: within a second. */
const TICKS = 10;
/** Rows that the round of ticks has not come to. */
let unticked: number[] = [];

const momentShown = followStream('/board/events', {
  onWord: (word) => {
    showWord(momentShown());
    if (word === 'lost') alertReader({ kind: 'feed_down', words: 'No word from the server.' });
    drawFeeds();
    drawAll();
  },
  onTick: (age) => {
    showAge(age);
    drawDue();
    tick();
  },
  on: {
    snapshot: (data) => {
      const { event_ids } = data as { event_ids: number[] };
      awaited = new Set(event_ids);
      for (const id of matches.keys()) if (!awaited.has(id)) matches.delete(id);
      drawAll();
    },
    match: (data) => take(data as BoardMatch),
    gone: (data) => remove((data as { event_id: number }).event_id),
    feeds: (data) => {
      const before = sources;
      sources = data as BoardSource[];
      for (const alert of feedNews(before, sources)) alertReader(alert);
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
board.addEventListener('click', ({ target }) => {
  const star = target instanceof Element ? target.closest('.star') : null;
  if (star === null) return;
  const id = idOf(star.closest('.match')?.id ?? '');
  toggleFavourite(id);
  changed.add(id);
  drawNow();
});
addEventListener('storage', drawAll);
offerAlerts();

function take(match: BoardMatch): void {
  const { event_id: id } = match;
  awaited?.delete(id);
  const before = matches.get(id);
  if (before !== undefined && before.version > match.version) return;
  matches.set(id, match);
  changed.add(id);
  if (before !== undefined && isShown(id)) tell(before, match);
  draw();
}

function remove(id: number): void {
  awaited?.delete(id);
  const match = matches.get(id);
  const alert = match !== undefined && isShown(id) ? goneNews(match) : null;
  if (alert !== null) alertReader(alert);
  matches.delete(id);
  draw();
}

/** Marks, announces and alerts what became of a match that is shown. */
function tell(before: BoardMatch, after: BoardMatch): void {
  const kind = scoreNews(before, after);
  if (kind !== null) {
    const words = newsWords(kind, after);
    news.set(after.event_id, kind);
    announce(words);
    alertReader({ kind, words });
  }
  const halt = haltNews(before, after);
  if (halt !== null) alertReader(halt);
}

/** Draws with the next frame, however much arrives before it. A page that is hidden has no frames: it is drawn with the next tick. */
function draw(): void {
  if (!isDue) requestAnimationFrame(drawDue);
  isDue = true;
}

/** Nothing is drawn before the first board is whole. */
function drawDue(): void {
  if (!isDue || awaited === undefined || (layout === '' && awaited.size > 0)) return;
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
function momentOf({ event_id }: BoardMatch): ShownMoment {
  const moment = momentShown();
  return moment.word === 'fresh' && awaited?.has(event_id) ? { ...moment, word: 'awaited' } : moment;
}

function drawNow(): void {
  isDue = false;
  const query = queryOf(form);
  const arrangement = arrange(matches.values(), query, favouriteMatches());
  const newGroups = groupLayoutsOf(arrangement);
  const newLayout = layoutOf(arrangement, newGroups);
  const drawn = new Set<number>();
  if (newLayout !== layout) {
    layout = newLayout;
    const before = groupLayouts;
    groupLayouts = newGroups;
    const focused = document.activeElement?.closest('.match')?.getAttribute('data-key');
    const drawRow = (match: BoardMatch): Html => {
      const { event_id: id } = match;
      if (!changed.has(id) && isShown(id)) return sameRow(match);
      drawn.add(id);
      return rowHtml(match);
    };
    const isSame = ({ key }: BoardGroup): boolean => before.get(key) === groupLayouts.get(key);
    morphChildren(board, parse(String(boardHtml(arrangement, query, drawRow, isSame))));
    replaceSame(board, ({ id }) => rowNode(matches.get(idOf(id))));
    morphChildren(form, parse(String(filtersHtml(arrangement, query))));
    // A row that went to another section is a new one there.
    if (focused && document.activeElement === document.body) {
      board.querySelector<HTMLElement>(`[data-key="${focused}"] a`)?.focus({ preventScroll: true });
    }
  }
  for (const id of changed) {
    const row = drawn.has(id) ? null : rowOf(id);
    const wanted = row === null ? null : rowNode(matches.get(id));
    if (row !== null && wanted !== null) morph(row, wanted);
  }
  for (const id of changed) minutes.delete(id);
  changed.clear();
  for (const [id, kind] of news) {
    const score = rowOf(id)?.querySelector('.score');
    if (score) flash(score, kind);
  }
  news.clear();
}

/** Lets the minutes of the matches in play go on, and the time since the last word of each: of some rows at a time, for no change to wait while all are laid out. */
function tick(): void {
  if (layout === '') return;
  const due = Math.ceil(matches.size / TICKS);
  if (unticked.length === 0) unticked = [...matches.keys()];
  for (const id of unticked.splice(0, due)) {
    const match = matches.get(id);
    if (match === undefined || phaseOf(match) !== 'live') continue;
    const row = rowOf(match.event_id);
    const [when, last] = [row?.querySelector('.when'), row?.querySelector<HTMLElement>('.last')];
    if (!when || !last) continue;
    const moment = momentOf(match);
    const { text, isQuiet } = lastWord(match, moment);
    if (last.textContent !== text) last.textContent = text;
    last.dataset.quiet = isQuiet ? 'yes' : 'no';
    const minute = String(whenCell(match, moment));
    if (minutes.get(match.event_id) === minute) continue;
    minutes.set(match.event_id, minute);
    morphChildren(when, parse(minute));
  }
}

function rowOf(id: number): Element | null {
  return document.getElementById(`match-${id}`);
}

function idOf(row: string): number {
  return Number(row.slice('match-'.length));
}

function rowHtml(match: BoardMatch): Html {
  return matchRow(match, momentOf(match), favouriteMatches().has(match.event_id));
}

function rowNode(match: BoardMatch | undefined): Element | null {
  return match === undefined ? null : parse(String(rowHtml(match))).firstElementChild;
}

function isShown(id: number): boolean {
  return rowOf(id) !== null;
}

/** What the board is laid out as: sections, groups by `groups`, and what the filters show. */
function layoutOf({ sections, counts, competitions }: Arrangement, groups: Map<string, string>): string {
  return JSON.stringify([sections.map(({ key }) => key), [...groups], counts, competitions]);
}

function groupLayoutsOf({ sections }: Arrangement): Map<string, string> {
  return new Map(
    sections.flatMap(({ groups }) =>
      groups.map(({ key, title, detail, matches }) => [
        key,
        JSON.stringify([title, detail, matches.map(({ event_id }) => event_id)]),
      ]),
    ),
  );
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
