/** Keeps the board up to date in the browser, with the markup that the server renders too. */

import { type BoardMatch, phaseOf } from '#story/match.ts';
import {
  type Arrangement,
  arrange,
  type BoardGroup,
  type BoardQuery,
  cardsOrRows,
} from '../shared/arrange.ts';
import { boardHtml, filtersHtml, haltedWords } from '../shared/board.ts';
import { type BoardSource, feedsHtml } from '../shared/feed.ts';
import type { ShownMoment } from '../shared/heartbeat.ts';
import type { Html } from '../shared/html.ts';
import { cardNews, feedNews, goneNews, haltNews, newsWords, safeNews, scoreNews } from '../shared/news.ts';
import { lastUpdate, matchRow, sameRow, whenCell } from '../shared/row.ts';
import { alertReader, offerAlerts } from './alerts.ts';
import { offerAppearance } from './appearance.ts';
import { announce, byId, showAge, showConnection, takeSources } from './head.ts';
import { offerKeys } from './keys.ts';
import { flash, morph, morphChildren, parse, replaceSame } from './morph.ts';
import { favouriteMatches, toggleFavourite } from './storage.ts';
import { followStream } from './stream.ts';

const board = byId('board');
const form = byId<HTMLFormElement>('filters');
const matches = new Map<number, BoardMatch>();
let sources: readonly BoardSource[] = [];
/** Ids of the snapshot's matches that have not arrived yet: their known states may be old. Undefined before the first snapshot. */
let awaitedMatches: Set<number> | undefined;
/** Ids of the matches whose rows have to be drawn again. */
const changed = new Set<number>();
/** Highlights to show with the next drawing, by event id. */
const flashes = new Map<number, string>();
/** The last drawn layout. While it stays the same, only changed rows are drawn. */
let layout = '';
/** The last drawn rows of each group, by the group's key. A group with the same rows is not drawn again. */
let groupLayouts = new Map<string, string>();
/** Whether a change is not drawn yet. */
let hasUndrawn = false;
/** The drawn minute of each live match. */
const minutes = new Map<number, string>();
/** Number of ticks in which the times of all rows are updated once: a second. */
const TICKS_PER_ROUND = 10;
/** Ids of the matches that this round of ticks has not updated yet. */
let unticked: number[] = [];

const momentShown = followStream('', {
  onConnection: (connection) => {
    showConnection(momentShown());
    if (connection === 'lost') alertReader({ kind: 'feed_down', words: 'No word from the server.' });
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
      takeSources(undefined, momentShown());
      const { event_ids } = data as { event_ids: number[] };
      awaitedMatches = new Set(event_ids);
      for (const id of matches.keys()) if (!awaitedMatches.has(id)) matches.delete(id);
      drawAll();
    },
    match: (data) => take(data as BoardMatch),
    gone: (data) => remove((data as { event_id: number }).event_id),
    feeds: (data) => {
      const before = sources;
      sources = data as BoardSource[];
      for (const alert of feedNews(before, sources)) alertReader(alert);
      takeSources(sources, momentShown());
      drawFeeds();
    },
  },
});

form.addEventListener('input', () => {
  const query = chosenQuery();
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
offerAppearance(byId('view'));
offerKeys();

function take(match: BoardMatch): void {
  const { event_id: id } = match;
  awaitedMatches?.delete(id);
  const before = matches.get(id);
  if (before !== undefined && before.version > match.version) return;
  matches.set(id, match);
  changed.add(id);
  if (before !== undefined && isShown(id)) announceChange(before, match);
  draw();
}

function remove(id: number): void {
  awaitedMatches?.delete(id);
  const match = matches.get(id);
  const alert = match !== undefined && isShown(id) ? goneNews(match) : null;
  if (alert !== null) alertReader(alert);
  matches.delete(id);
  draw();
}

/** Highlights, announces and alerts a change of a shown match. */
function announceChange(before: BoardMatch, after: BoardMatch): void {
  const kind = scoreNews(before, after);
  if (kind !== null) {
    const words = newsWords(kind, after);
    flashes.set(after.event_id, kind);
    announce(words);
    alertReader({ kind, words });
  }
  for (const alert of [
    cardNews(before, after),
    haltNews(before, after),
    safeNews(before, after, momentShown()),
  ])
    if (alert !== null) alertReader(alert);
}

/** Draws with the next frame, once for all changes until then. A hidden page has no frames and is drawn with the next tick. */
function draw(): void {
  if (!hasUndrawn) requestAnimationFrame(drawDue);
  hasUndrawn = true;
}

/** Draws pending changes, but not before the first snapshot is complete. */
function drawDue(): void {
  if (!hasUndrawn || awaitedMatches === undefined || (layout === '' && awaitedMatches.size > 0)) return;
  drawNow();
}

/** Draws all rows at once, not with the next frame: after a lost connection nothing may be shown as safe any longer. */
function drawAll(): void {
  for (const id of matches.keys()) changed.add(id);
  if (layout !== '') drawNow();
}

function drawFeeds(): void {
  morphChildren(byId('feeds'), parse(String(feedsHtml(sources, momentShown().connection))));
}

/** Returns the moment to show a match at. A match that has not arrived since the snapshot awaits its update. */
function momentOf({ event_id }: BoardMatch): ShownMoment {
  const moment = momentShown();
  return moment.connection === 'fresh' && awaitedMatches?.has(event_id)
    ? { ...moment, connection: 'awaited' }
    : moment;
}

/** Draws the layout if it changed, then the changed rows outside of it, then the highlights. */
function drawNow(): void {
  hasUndrawn = false;
  const query = chosenQuery();
  const arrangement = arrange(matches.values(), query, favouriteMatches(), momentShown().now);
  const halted = haltedWords(arrangement, momentShown().connection);
  if (byId('halted').textContent !== halted) byId('halted').textContent = halted;
  const newGroups = groupLayoutsOf(arrangement);
  const newLayout = layoutOf(arrangement, newGroups);
  const drawn = new Set<number>();
  if (newLayout !== layout) {
    layout = newLayout;
    board.dataset.as = cardsOrRows(query);
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
    // A row that moved to another section is a new element and has lost the focus.
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
  for (const [id, kind] of flashes) {
    const score = rowOf(id)?.querySelector('.score');
    if (score) flash(score, kind);
  }
  flashes.clear();
}

/** Updates the minutes and the ages of live matches: some rows with each tick, so that no change waits for the layout of all rows. */
function tick(): void {
  if (layout === '') return;
  const due = Math.ceil(matches.size / TICKS_PER_ROUND);
  if (unticked.length === 0) unticked = [...matches.keys()];
  for (const id of unticked.splice(0, due)) {
    const match = matches.get(id);
    if (match === undefined) continue;
    const row = rowOf(match.event_id);
    const moment = momentOf(match);
    if (phaseOf(match, moment.now) !== 'live') {
      // A match without a word for hours is no longer in play: no event says so.
      if (row?.getAttribute('data-phase') !== 'live') continue;
      changed.add(id);
      draw();
      continue;
    }
    const [when, last] = [row?.querySelector('.when'), row?.querySelector<HTMLElement>('.last')];
    if (!when || !last) continue;
    const { text, isQuiet } = lastUpdate(match, moment);
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

/** Returns the layout as a text: sections, groups, and the counts and competitions of the filters. */
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

function chosenQuery(): BoardQuery {
  const data = new FormData(form);
  const text = (name: string): string => String(data.get(name) ?? '');
  return {
    show: text('show') as BoardQuery['show'],
    by: text('by') as BoardQuery['by'],
    competition: text('competition') === '' ? null : Number(text('competition')),
    q: text('q'),
  };
}
