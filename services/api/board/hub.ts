import type { ServerResponse } from 'node:http';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { BoardView, ShownState } from '#views/store/board-view.ts';
import { boardMatch } from './board-match.ts';
import { Reader, type Sight, type Topic } from './reader.ts';

export type HubOptions = {
  readonly view: BoardView;
  /** Unix seconds. */
  readonly now: () => number;
  readonly metrics: Registry;
  /** Readers at once; more are refused. */
  readonly maxReaders: number;
};

/** Changes are gathered for so long before they are sent, milliseconds. */
const GATHER_MS = 50;
const BEAT_MS = 10_000;

/** Sends changes to the readers of `/board/events`. */
export class Hub {
  readonly #options: HubOptions;
  readonly #readers = new Set<Reader>();
  readonly #stopFollowing: readonly (() => void)[];
  readonly #beats: NodeJS.Timeout;
  readonly #refused: Counter;
  readonly #dropped: Counter;
  /** What a state is sent as: the same for every reader. */
  readonly #frames = new WeakMap<ShownState, string>();
  #gathering: NodeJS.Timeout | undefined;

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
      view.onChange((state) => this.#offer((reader) => reader.offerMatch(state))),
      view.onTable((seasonId) => this.#offer((reader) => reader.offerTable(seasonId))),
    ];
    this.#beats = setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  /** Whether one reader more may come; counts it where not. */
  admits(): boolean {
    const room = this.#readers.size < this.#options.maxReaders;
    if (!room) this.#refused.inc();
    return room;
  }

  /** Makes what is sent of these states. Throws where they cannot be read. */
  prepare(states: readonly ShownState[]): void {
    for (const state of states) this.#frameOf(state);
  }

  /** Sends a snapshot of the topic, and from then on what changes, until the reader leaves or `close`. */
  join(response: ServerResponse, topic: Topic, sight: Sight, states: readonly ShownState[]): void {
    const reader = new Reader(response, topic, sight, (state) => this.#frameOf(state));
    this.#readers.add(reader);
    response.once('close', () => this.#readers.delete(reader));
    reader.begin(this.#options.now(), states);
  }

  /** Ends every stream. */
  close(): void {
    for (const stop of this.#stopFollowing) stop();
    clearInterval(this.#beats);
    clearTimeout(this.#gathering);
    for (const reader of this.#readers) reader.end();
  }

  #offer(give: (reader: Reader) => void): void {
    for (const reader of this.#readers) give(reader);
    if (this.#readers.size === 0) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      for (const reader of this.#readers) reader.flush();
    }, GATHER_MS);
  }

  #beat(): void {
    const now = this.#options.now();
    for (const reader of this.#readers) {
      if (!reader.admitted) {
        reader.end();
        continue;
      }
      if (reader.beat(now)) continue;
      this.#dropped.inc();
      reader.cut();
    }
  }

  #frameOf(state: ShownState): string {
    const known = this.#frames.get(state);
    if (known !== undefined) return known;
    const frame = JSON.stringify(boardMatch(state, this.#options.view));
    this.#frames.set(state, frame);
    return frame;
  }
}
