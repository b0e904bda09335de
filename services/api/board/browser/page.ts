/** Keeps a page up to date: puts in what the server renders, and withdraws it when heartbeats are missing. */
import { isBoard, offerFilters, putRow, removeRow, showCounts } from './board.ts';
import { byId, morph, parse, setText } from './dom.ts';
import { type FeedsHead, LIVE_HEADER } from './heartbeat.ts';
import { followStream } from './stream.ts';

/** Timeout for fetching the page, milliseconds. The next change fetches it again. */
const FETCH_TIMEOUT_MS = 10_000;

/** Attribute of a score that changed a moment ago. */
const FLASH = 'data-flash';
const FLASH_MS = 6_000;
/** Time for which an announcement stays in the page, milliseconds. */
const ANNOUNCED_MS = 8_000;

const announced: string[] = [];

const main = byId('main');
const { stream = '' } = main.dataset;
/** Interval at which the page is read again without an event, seconds; 0: never. */
const refreshSeconds = Number(main.dataset.refresh ?? 0);
/** The health of all sources; undefined until this connection has sent it. */
let feeds: FeedsHead | undefined;
/** The head of the match as the stream sent it last; undefined until this connection has sent it. */
let head: string | undefined;
let refreshing = false;
let stale = false;

followStream(stream, {
  onConnection: (connection, asOf) => {
    document.body.dataset.connection = connection;
    byId('connection').dataset.state = connection === 'fresh' ? 'live' : connection;
    if (connection === 'fresh') showFeeds();
    else
      showHead('awaited', `Connection lost: as of ${new Date(asOf * 1000).toISOString().slice(11, 19)} UTC`);
  },
  onTick: (age) => {
    // It changes too often to be announced.
    setText(byId('age'), age === null ? '' : `server ${Math.max(0, Math.floor(age))} s ago`);
    if (isBoard) showCounts(document.body.dataset.connection === 'lost');
  },
  on: {
    snapshot: (data) => {
      feeds = undefined;
      head = undefined;
      // Known states are older than this connection. The server sends the current ones next.
      for (const one of document.querySelectorAll('[data-version]'))
        one.setAttribute('data-connection', 'awaited');
      const ids = new Set((data as { event_ids: number[] }).event_ids.map(rowId));
      if (isBoard) for (const { id } of document.querySelectorAll('.match')) if (!ids.has(id)) removeRow(id);
      if (!isBoard) refresh();
    },
    match: (data) => take((data as { html: string }).html),
    gone: (data) => {
      if (isBoard) return removeRow(rowId((data as { event_id: number }).event_id));
      document.getElementById('guard')?.remove();
      head = undefined;
      refresh();
    },
    table: () => {
      if (!isBoard) refresh();
    },
    feeds: (data) => {
      feeds = data as FeedsHead;
      showFeeds();
      if (refreshSeconds > 0) refresh();
    },
  },
});
if (isBoard) offerFilters();
if (refreshSeconds > 0) setInterval(refresh, refreshSeconds * 1_000);

// The address names the season: another one may be in play at the next refresh.
const [, season] = /^season=(\d+)/.exec(stream) ?? [];
if (season !== undefined && location.search === '') history.replaceState(null, '', `?season=${season}`);

function rowId(eventId: number): string {
  return `match-${eventId}`;
}

/** Shows which sources are believed, while the page is connected. */
function showFeeds(): void {
  if (document.body.dataset.connection !== 'fresh') return;
  showHead(feeds?.believed ?? 'awaited', feeds?.words ?? 'Connected');
}

function showHead(believed: string, words: string): void {
  byId('connection').dataset.feeds = believed;
  setText(byId('connection'), words);
}

/** Takes a row of the board, or the head of a match, unless the page has a later version of it. */
function take(html: string): void {
  const sent = parse(html).firstElementChild as HTMLElement;
  const after = sent.matches('[data-version]') ? sent : (sent.querySelector('[data-version]') as HTMLElement);
  const before = document.getElementById(after.id);
  if (isOlder(after, before)) return;
  const news = before?.hidden ? null : newsOf(before, after);
  let placed: Element = after;
  if (isBoard) placed = putRow(sent);
  else {
    head = html;
    placed = byId(after.id);
    morph(placed, after);
    refresh();
  }
  news?.(placed);
}

/** Whether a row or head is an older version than the one of the page: after a reconnect, another replica may lag behind. */
function isOlder(sent: HTMLElement | null, have: HTMLElement | null): boolean {
  return sent !== null && have !== null && Number(sent.dataset.version) < Number(have.dataset.version);
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
      const response = await fetch(location.href, {
        headers: { [LIVE_HEADER]: 'yes' },
        signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
      });
      // The content was deleted: the server's page for that replaces this one.
      if (response.status === 404) location.reload();
      if (!response.ok) continue;
      const page = parse(await response.text());
      const fetched = page.getElementById('match-head');
      if (isOlder(fetched, document.getElementById('match-head'))) continue;
      // The guard of a match is the one of the stream: the answer to a request may be late.
      if (head !== undefined) fetched?.replaceWith(parse(head));
      const wanted = page.getElementById('main');
      if (wanted !== null) morph(main, wanted);
    } catch {
      // The stream shows the lost connection, and refreshes the page when it is back.
    }
  }
}

/** Returns what tells a change of the score between two versions of a row or head within an element; null without one, or where it is unknown. */
function newsOf(before: HTMLElement | null, after: HTMLElement): ((within: Element) => void) | null {
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
