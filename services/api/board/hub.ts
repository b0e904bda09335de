import type { ServerResponse } from 'node:http';
import type { Counter, Registry } from 'prom-client';
import type { TradingHalt } from '#records/types.ts';
import { metersOf } from '#service/meters.ts';
import { boardMatch, statusWordsOf } from '#story/board-match.ts';
import { phaseOf } from '#story/match.ts';
import { minuteText } from '#story/minute.ts';
import type { HandHalts } from '#trading/halts.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { BoardView } from '#views/store/views.ts';
import { boardSources, earliestKickOff, feedsHead } from './board-states.ts';
import { boardHtml } from './pages/board-page.ts';
import { PAGE_HEADERS } from './pages/html.ts';
import { matchHead } from './pages/match-page.ts';
import { quietWords } from './pages/row.ts';
import { BoardReader, type FollowedTopic, type FrameOf } from './reader.ts';

/** Minimum interval between two batches, milliseconds. A change after a quiet time is sent at once. */
const BATCH_MS = 10;
/** Interval between heartbeats, milliseconds. A page that misses two shows a lost connection: `browser/stream.ts`. */
const HEARTBEAT_MS = 1_000;
/** Delay of a heartbeat that shows that the process stood still, milliseconds; pages show a lost connection by then. */
const STALL_MS = 1_750;
/** Time to read what arrived during a stall before heartbeats resume, milliseconds; less than `HEARTBEAT_MS`. */
const CATCH_UP_MS = 900;
/** Interval between checks of minutes, feed health and halts by hand, milliseconds: they also change without a record, as time passes. */
const HEALTH_POLL_MS = 100;
/** Matches before their kick-off that are offered again when what is halted by hand changes. */
const MAX_UPCOMING = 400;

export type HubOptions = {
  readonly view: BoardView;
  /** Unix seconds, fractions included. */
  readonly now: () => number;
  readonly metrics: Registry;
  /** Maximum number of readers at the same time; more are refused. */
  readonly maxReaders: number;
};

/** Sends changes to the readers of `/board/events`. */
export class Hub {
  readonly #options: HubOptions;
  readonly #readers = new Set<BoardReader>();
  readonly #onMatch = (state: ShownState): void => this.#offer((reader) => reader.offerMatch(state));
  readonly #onTable = (season: number | null): void => this.#offer((reader) => reader.offerTable(season));
  readonly #heartbeatTimer: NodeJS.Timeout;
  readonly #healthTimer: NodeJS.Timeout;
  readonly #refused: Counter;
  readonly #dropped: Counter;
  /** The rendered `match` events of each state by kind of page, shared by all readers, with the key of what they show. */
  readonly #frames = new WeakMap<
    ShownState,
    { readonly shown: string; readonly byKind: Map<string, string> }
  >();
  /** What heads say of the sources, and the key of what is shown of each live match by event id, as last offered. */
  #lastFeeds = '';
  #lastShown = new Map<number, string>();
  /** What was halted by hand, as last offered. */
  #lastHalts = '';
  #flushTimer: NodeJS.Timeout | undefined;
  /** By `performance.now()`. */
  #flushedAt = Number.NEGATIVE_INFINITY;
  /** Times of the last heartbeat, and of the end of the last catch-up after a stall, by `performance.now()`. */
  #lastHeartbeatAt = performance.now();
  #caughtUpAt = Number.NEGATIVE_INFINITY;

  constructor(options: HubOptions) {
    this.#options = options;
    const { view, metrics } = options;
    const readers = this.#readers;
    const { counter, measure } = metersOf(metrics);
    const shown = 'Connected readers of the board’s events: visible pages.';
    measure('touchline_board_readers', shown, () => readers.size);
    const readersOf = 'Readers of the board’s events that were';
    this.#refused = counter(
      'touchline_board_readers_refused_total',
      `${readersOf} refused because there were too many.`,
    );
    this.#dropped = counter(
      'touchline_board_readers_dropped_total',
      `${readersOf} cut off because they did not read.`,
    );
    view.events.on('match', this.#onMatch).on('table', this.#onTable);
    this.#heartbeatTimer = setInterval(() => this.#sendHeartbeat(), HEARTBEAT_MS).unref();
    this.#healthTimer = setInterval(() => readers.size > 0 && this.#offerHealth(), HEALTH_POLL_MS).unref();
  }

  /** Whether one more reader is allowed; counts a refusal in the metrics. */
  admits(): boolean {
    const room = this.#readers.size < this.#options.maxReaders;
    if (!room) this.#refused.inc();
    return room;
  }

  /** Waits until this process has read what arrived during its last stall; resolves at once when there was none. */
  async untilCaughtUp(): Promise<void> {
    const wait = this.#caughtUpAt - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  }

  /** Sends a snapshot of the topic and then its changes until the end. Renders before it answers: throws when a view cannot be read. */
  join(response: ServerResponse, follows: FollowedTopic): void {
    // It left while this process caught up: its `close` was before.
    if (response.destroyed) return;
    for (const state of follows.states) this.#frameOf(state, follows.topic.kind);
    // The snapshot has the current health, so the new reader needs no event about earlier changes.
    this.#offerHealth();
    const now = this.#options.now();
    const feeds = feedsOf(this.#options.view, now);
    response.writeHead(200, {
      ...PAGE_HEADERS,
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // Ends the connection with the stream, so that no idle connection delays the end of the server.
      connection: 'close',
      'x-accel-buffering': 'no',
    });
    const reader = new BoardReader(response, follows, this.#frameOf);
    this.#readers.add(reader);
    response.once('close', () => this.#readers.delete(reader));
    reader.offerFeeds(feeds);
    reader.start({ now, steady: performance.now() });
  }

  close(): void {
    this.#options.view.events.off('match', this.#onMatch).off('table', this.#onTable);
    clearInterval(this.#heartbeatTimer);
    clearInterval(this.#healthTimer);
    clearTimeout(this.#flushTimer);
    for (const reader of this.#readers) reader.end();
  }

  #offer(offerTo: (reader: BoardReader) => void): void {
    if (this.#readers.size === 0) return;
    for (const reader of this.#readers) offerTo(reader);
    this.#flushTimer ??= setTimeout(
      () => {
        this.#flushTimer = undefined;
        this.#flushedAt = performance.now();
        for (const reader of this.#readers) reader.flush();
      },
      Math.max(0, this.#flushedAt + BATCH_MS - performance.now()),
    );
  }

  #sendHeartbeat(): void {
    const at = performance.now();
    if (at - this.#lastHeartbeatAt > STALL_MS) this.#caughtUpAt = at + CATCH_UP_MS;
    this.#lastHeartbeatAt = at;
    if (at < this.#caughtUpAt) return;
    const heartbeat = { now: this.#options.now(), steady: at };
    for (const reader of this.#readers) if (!reader.sendHeartbeat(heartbeat)) this.#dropped.inc();
  }

  /** Offers the sources, and the matches of which another minute, feed health or halt by hand is shown than at the last call. */
  #offerHealth(): void {
    const { view } = this.#options;
    const now = this.#options.now();
    const feeds = feedsOf(view, now);
    if (feeds !== this.#lastFeeds) this.#offer((reader) => reader.offerFeeds(feeds));
    this.#lastFeeds = feeds;
    const known = this.#lastShown;
    this.#lastShown = new Map();
    for (const state of view.matches.live(now)) {
      const shown = shownOf(view, state, now);
      this.#lastShown.set(state.event_id, shown);
      if (known.get(state.event_id) !== shown) this.#onMatch(state);
    }
    // A match without a word for hours is no longer in play: no record says so.
    for (const id of known.keys()) {
      const state = this.#lastShown.has(id) ? null : view.matches.state(id);
      if (state !== null) this.#onMatch(state);
    }
    // Before the kick-off only a halt by hand changes what is shown.
    const halts = haltsKey(view.halts.standing(now * 1000));
    if (halts !== this.#lastHalts)
      for (const state of view.matches.upcoming(earliestKickOff(now), MAX_UPCOMING)) this.#onMatch(state);
    this.#lastHalts = halts;
  }

  /** Returns the data of a `match` event: the row in its place on the board, or the head of the page of the match. */
  readonly #frameOf: FrameOf = (state, kind) => {
    const { view } = this.#options;
    const now = this.#options.now();
    const shown = shownOf(view, state, now);
    let frames = this.#frames.get(state);
    if (frames?.shown !== shown) {
      frames = { shown, byKind: new Map() };
      this.#frames.set(state, frames);
    }
    let frame = frames.byKind.get(kind);
    if (frame === undefined) {
      const match = boardMatch(state, view, now);
      const { event_id, version, ut } = match;
      const moment = { now, isLive: true };
      const html = String(kind === 'board' ? boardHtml([match], moment) : matchHead(match, moment));
      frame = JSON.stringify({ event_id, version, ut, html });
      frames.byKind.set(kind, frame);
    }
    return frame;
  };
}

function feedsOf(view: BoardView, now: number): string {
  return JSON.stringify(feedsHead(boardSources(view, now)));
}

/** Returns a key of what is shown of a match beside its state. */
function shownOf(view: BoardView, match: ShownState, now: number): string {
  const { state, reason } = view.matchHealth(match.event_id, now * 1000);
  const { ut, received_at } = match.cause;
  const clocked = { ...match, ut, received_at, status_words: statusWordsOf(match) };
  return [
    state,
    reason,
    phaseOf(match, now),
    minuteText(clocked, now),
    quietWords(clocked, now),
    haltsKey(view.halts.standing(now * 1000, match)),
  ].join('/');
}

function haltsKey({ isRead, standing }: HandHalts<TradingHalt>): string {
  return [isRead, ...standing.map(({ scope, version }) => `${scope} ${version}`)].join();
}
