import type { ServerResponse } from 'node:http';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ShownState } from '#views/store/board-view.ts';
import type { BoardView } from '#views/store/views.ts';
import { boardMatch, boardSources } from './board-match.ts';
import { EventStreamReader, type ReaderSight, type Topic } from './reader.ts';

/** A change is sent at once, and those of the next milliseconds together. */
const GATHER_MS = 10;
/** Pages withdraw what they show where two beats are missing: `browser/stream.ts`. */
const BEAT_MS = 1_000;
/** After so long without a beat pages have withdrawn what they show, and the process stood still. */
const STOOD_STILL_MS = 1_750;
/** How long it then reads on before its word counts: what it knows is of before. Less than until the next beat. */
const READS_ON_MS = 900;
/** How often feed health is looked at, milliseconds: it changes with time alone too. */
const HEALTH_MS = 100;

export type HubOptions = {
  readonly view: BoardView;
  /** Unix seconds, with what is below a second. */
  readonly now: () => number;
  readonly metrics: Registry;
  /** Readers at once; more are refused. */
  readonly maxReaders: number;
};

/** Sends changes to the readers of `/board/events`. */
export class Hub {
  readonly #options: HubOptions;
  readonly #readers = new Set<EventStreamReader>();
  readonly #stopFollowing: readonly (() => void)[];
  readonly #beats: NodeJS.Timeout;
  readonly #looks: NodeJS.Timeout;
  readonly #refused: Counter;
  readonly #dropped: Counter;
  /** What a state is sent as, the same for every reader, and the health in it. */
  readonly #frames = new WeakMap<ShownState, { readonly health: string; readonly frame: string }>();
  /** The last sent health of sources, and of each live match. */
  #feeds = '';
  #health = new Map<number, string>();
  #gathering: NodeJS.Timeout | undefined;
  /** By `performance.now()`. */
  #sentAt = Number.NEGATIVE_INFINITY;
  /** When it last beat, and from when on its word counts, by `performance.now()`. */
  #beatAt = performance.now();
  #countsFrom = Number.NEGATIVE_INFINITY;

  constructor(options: HubOptions) {
    this.#options = options;
    const { view, metrics } = options;
    const readers = this.#readers;
    const registers = [metrics];
    new Gauge({
      name: 'touchline_board_readers',
      help: 'Readers of the board’s events that are connected.',
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
    this.#beats = setInterval(() => this.#beat(), BEAT_MS).unref();
    this.#looks = setInterval(() => this.#readers.size > 0 && this.#lookAtHealth(), HEALTH_MS).unref();
  }

  /** Whether one reader more may come; counts it where not. */
  admits(): boolean {
    const room = this.#readers.size < this.#options.maxReaders;
    if (!room) this.#refused.inc();
    return room;
  }

  /** Resolves once the word of this process counts: at once, unless it stood still a moment ago. */
  async counts(): Promise<void> {
    const wait = this.#countsFrom - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  }

  /** Makes what is sent of these states. Throws where they cannot be read. */
  prepare(states: readonly ShownState[]): void {
    for (const state of states) this.#frameOf(state);
  }

  /** Sends a snapshot of the topic, and from then on what changes, until the reader leaves or `close`. */
  join(response: ServerResponse, topic: Topic, sight: ReaderSight, states: readonly ShownState[]): void {
    // What changed while nobody read is none of the reader's news.
    this.#lookAtHealth();
    const reader = new EventStreamReader(response, topic, sight, (state) => this.#frameOf(state));
    this.#readers.add(reader);
    response.once('close', () => this.#readers.delete(reader));
    const now = this.#options.now();
    reader.offerFeeds(feedsOf(this.#options.view, now));
    reader.begin({ now, steady: performance.now() }, states);
  }

  /** Ends every stream. */
  close(): void {
    for (const stop of this.#stopFollowing) stop();
    clearInterval(this.#beats);
    clearInterval(this.#looks);
    clearTimeout(this.#gathering);
    for (const reader of this.#readers) reader.end();
  }

  #offerChange(state: ShownState): void {
    if (this.#readers.size === 0) return;
    const isDeleted = state.status_type === 'deleted';
    this.#offer((reader) => (isDeleted ? reader.offerGone(state) : reader.offerMatch(state)));
  }

  #offer(give: (reader: EventStreamReader) => void): void {
    for (const reader of this.#readers) give(reader);
    if (this.#readers.size === 0) return;
    this.#gathering ??= setTimeout(
      () => {
        this.#gathering = undefined;
        this.#sentAt = performance.now();
        for (const reader of this.#readers) reader.flush();
      },
      Math.max(0, this.#sentAt + GATHER_MS - performance.now()),
    );
  }

  #beat(): void {
    const at = performance.now();
    if (at - this.#beatAt > STOOD_STILL_MS) this.#countsFrom = at + READS_ON_MS;
    this.#beatAt = at;
    if (at < this.#countsFrom) return;
    const word = { now: this.#options.now(), steady: at };
    for (const reader of this.#readers) {
      if (!reader.admitted) {
        reader.end();
        continue;
      }
      if (reader.beat(word)) continue;
      this.#dropped.inc();
      reader.cut();
    }
  }

  /** Offers what changed of feed health since the last look. */
  #lookAtHealth(): void {
    const { view } = this.#options;
    const now = this.#options.now();
    const feeds = feedsOf(view, now);
    if (feeds !== this.#feeds) this.#offer((reader) => reader.offerFeeds(feeds));
    this.#feeds = feeds;
    const known = this.#health;
    this.#health = new Map();
    for (const state of view.liveStates()) {
      const health = healthOf(view, state, now);
      this.#health.set(state.event_id, health);
      if (known.get(state.event_id) !== health) this.#offer((reader) => reader.offerMatch(state));
    }
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

function healthOf(view: BoardView, { event_id }: ShownState, now: number): string {
  const { state, reason } = view.matchHealth(event_id, now * 1000);
  return `${state}/${reason}`;
}
