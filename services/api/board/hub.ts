import type { ServerResponse } from 'node:http';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { TradingHalt } from '#records/types.ts';
import { boardMatch } from '#story/board-match.ts';
import type { HandHalts } from '#tradability/halts.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { BoardView } from '#views/store/views.ts';
import { boardSources, earliestKickOff } from './board-states.ts';
import { EventStreamReader, type ReaderAccess, type StreamTopic } from './reader.ts';

/** Minimum interval between two batches, milliseconds. A change after a quiet time is sent at once. */
const BATCH_MS = 10;
/** Interval between heartbeats, milliseconds. A page that misses two shows a lost connection: `browser/stream.ts`. */
const HEARTBEAT_MS = 1_000;
/** Delay of a heartbeat that shows that the process stood still, milliseconds; pages show a lost connection by then. */
const STALL_MS = 1_750;
/** Time to read what arrived during a stall before heartbeats resume, milliseconds; less than `HEARTBEAT_MS`. */
const CATCH_UP_MS = 900;
/** Interval between checks of feed health and halts by hand, milliseconds: both also change without a record, as time passes. */
const HEALTH_POLL_MS = 100;
/** Matches before their kick-off that are offered again when what is halted by hand changes. */
const MAX_UPCOMING = 400;

/** Dependencies and limits of the hub. */
export type HubOptions = {
  readonly view: BoardView;
  /** Unix seconds, fractions included. */
  readonly now: () => number;
  readonly metrics: Registry;
  /** Maximum number of readers at the same time; more are refused. */
  readonly maxReaders: number;
};

/** A topic of a connection. `prefix`: of the names of its events; empty where it is the only one. */
export type FollowedTopic = {
  readonly topic: StreamTopic;
  readonly access: ReaderAccess;
  readonly states: readonly ShownState[];
  readonly prefix: string;
};

/** Sends changes to the readers of `/board/events`. */
export class Hub {
  readonly #options: HubOptions;
  readonly #readers = new Set<EventStreamReader>();
  readonly #stopFollowing: readonly (() => void)[];
  readonly #heartbeatTimer: NodeJS.Timeout;
  readonly #healthTimer: NodeJS.Timeout;
  readonly #refused: Counter;
  readonly #dropped: Counter;
  /** The rendered `match` event of each state, shared by all readers, with the feed health and the halts that it shows. */
  readonly #frames = new WeakMap<ShownState, { readonly health: string; readonly frame: string }>();
  /** The health of all sources, and of each live match by event id, as last offered. */
  #lastFeeds = '';
  #lastHealth = new Map<number, string>();
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
    const registers = [metrics];
    new Gauge({
      name: 'touchline_board_readers',
      help: 'Parts of the board that connected browsers follow: pages, of all tabs each part once.',
      registers,
      collect() {
        this.set(readers.size);
      },
    });
    this.#refused = new Counter({
      name: 'touchline_board_readers_refused_total',
      help: 'Readers of the board’s events that were refused because there were too many.',
      registers,
    });
    this.#dropped = new Counter({
      name: 'touchline_board_readers_dropped_total',
      help: 'Readers of the board’s events that were cut off because they did not read.',
      registers,
    });
    this.#stopFollowing = [
      view.onChange((state) => this.#offerChange(state)),
      view.onTable((seasonId) => this.#offer((reader) => reader.offerTable(seasonId))),
    ];
    this.#heartbeatTimer = setInterval(() => this.#sendHeartbeat(), HEARTBEAT_MS).unref();
    this.#healthTimer = setInterval(
      () => this.#readers.size > 0 && this.#offerHealth(),
      HEALTH_POLL_MS,
    ).unref();
  }

  /** Whether as many more readers are allowed; counts a refusal in the metrics. */
  admits(readers: number): boolean {
    const room = this.#readers.size + readers <= this.#options.maxReaders;
    if (!room) this.#refused.inc();
    return room;
  }

  /** Waits until this process has read what arrived during its last stall; resolves at once when there was none. */
  async untilCaughtUp(): Promise<void> {
    const wait = this.#caughtUpAt - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  }

  /** Renders the `match` events of these states in advance. Throws when a view cannot be read. */
  prepare(states: readonly ShownState[]): void {
    for (const state of states) this.#frameOf(state);
  }

  /** Sends a snapshot of each topic and then its changes, until the connection ends or `close` is called. */
  join(response: ServerResponse, topics: readonly FollowedTopic[]): void {
    // The snapshot has the current health, so the new reader needs no event about earlier changes.
    this.#offerHealth();
    // Each reader has its own listeners.
    response.setMaxListeners(0);
    const now = this.#options.now();
    for (const { topic, access, states, prefix } of topics) {
      const reader = new EventStreamReader(response, topic, access, (state) => this.#frameOf(state), prefix);
      this.#readers.add(reader);
      response.once('close', () => this.#readers.delete(reader));
      reader.offerFeeds(feedsOf(this.#options.view, now));
      reader.start({ now, steady: performance.now() }, states);
    }
  }

  /** Ends every stream. */
  close(): void {
    for (const stop of this.#stopFollowing) stop();
    clearInterval(this.#heartbeatTimer);
    clearInterval(this.#healthTimer);
    clearTimeout(this.#flushTimer);
    for (const reader of this.#readers) reader.end();
  }

  #offerChange(state: ShownState): void {
    if (this.#readers.size === 0) return;
    const isDeleted = state.status_type === 'deleted';
    this.#offer((reader) => (isDeleted ? reader.offerGone(state) : reader.offerMatch(state)));
  }

  #offer(offerTo: (reader: EventStreamReader) => void): void {
    for (const reader of this.#readers) offerTo(reader);
    if (this.#readers.size === 0) return;
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
    for (const reader of this.#readers) {
      if (!reader.hasAccess) {
        reader.end();
        continue;
      }
      if (reader.sendHeartbeat(heartbeat)) continue;
      this.#dropped.inc();
      reader.cut();
    }
  }

  /** Offers the sources, and the matches whose feed health or halts by hand changed since the last call. */
  #offerHealth(): void {
    const { view } = this.#options;
    const now = this.#options.now();
    const feeds = feedsOf(view, now);
    if (feeds !== this.#lastFeeds) this.#offer((reader) => reader.offerFeeds(feeds));
    this.#lastFeeds = feeds;
    const known = this.#lastHealth;
    this.#lastHealth = new Map();
    for (const state of [...view.matches.live(now), ...this.#upcoming(now)]) {
      const health = healthOf(view, state, now);
      this.#lastHealth.set(state.event_id, health);
      if (known.get(state.event_id) !== health) this.#offer((reader) => reader.offerMatch(state));
    }
  }

  /** Returns matches before their kick-off where what is halted by hand has changed since the last call; else none. */
  #upcoming(now: number): ShownState[] {
    const { view } = this.#options;
    const halts = haltsKey(view.halts.standing(now * 1000));
    if (halts === this.#lastHalts) return [];
    this.#lastHalts = halts;
    return view.matches.upcoming(earliestKickOff(now), MAX_UPCOMING);
  }

  #frameOf(state: ShownState): string {
    const { view } = this.#options;
    const now = this.#options.now();
    const health = healthOf(view, state, now);
    const known = this.#frames.get(state);
    if (known?.health === health) return known.frame;
    const frame = JSON.stringify(boardMatch(state, view, now));
    this.#frames.set(state, { health, frame });
    return frame;
  }
}

function feedsOf(view: BoardView, now: number): string {
  return JSON.stringify(boardSources(view, now));
}

function healthOf(view: BoardView, match: ShownState, now: number): string {
  const { state, reason } = view.matchHealth(match.event_id, now * 1000);
  return `${state}/${reason}/${haltsKey(view.halts.standing(now * 1000, match))}`;
}

function haltsKey({ isRead, standing }: HandHalts<TradingHalt>): string {
  return [isRead, ...standing.map(({ scope, version }) => `${scope} ${version}`)].join();
}
