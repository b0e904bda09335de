import type { ServerResponse } from 'node:http';
import type { ShownState } from '#views/store/board-view.ts';
import type { ClockedMatch } from './shown/minute.ts';

/** What a reader may see now; asked with each change, for a contract may change. */
export type ReaderSight = {
  /** False once it may see nothing any more. */
  lasts(): boolean;
  match(state: ShownState): boolean;
  season(seasonId: number | null): boolean;
};

/** What a reader follows. */
export type Topic =
  | { readonly kind: 'board' }
  | { readonly kind: 'feeds' }
  | { readonly kind: 'match'; readonly eventId: number }
  /** Null is the tables of no season. */
  | { readonly kind: 'season'; readonly seasonId: number | null; readonly clocks: boolean };

/** What pages judge the age of all else by: the server's clock, Unix seconds, and its steady clock, milliseconds. */
type SpokenWord = { readonly now: number; readonly steady: number };

/** A reader that took nothing over so many beats is cut off. */
const MISSED_BEATS = 60;

/** What a page of tables shows of a match's time; nothing that only the contract of a match covers. */
function clockOf({ event_id, start_date, status_id, status_type, clock, cause }: ShownState): ClockedMatch {
  const { ut, received_at } = cause;
  return { event_id, start_date, status_id, status_type, clock, ut, received_at };
}

/**
 * One reader of server-sent events. What it has not been sent yet is kept as the newest state of each match, never as
 * a queue: a reader that is slow, or does not read at all, costs no more than the matches there are.
 */
export class EventStreamReader {
  readonly #response: ServerResponse;
  readonly #topic: Topic;
  readonly #sight: ReaderSight;
  readonly #frameOf: (state: ShownState) => string;
  /** By event, in the order of their first unsent change. */
  readonly #unsent = new Map<number, ShownState>();
  #tableUnsent = false;
  /** Data of the newest `feeds` event; null where it is sent. */
  #feedsUnsent: string | null = null;
  /** Of a season: how its matches stood when they last changed, by event. */
  readonly #results = new Map<number, string>();
  /** What was written is not taken yet: nothing more is written until it is. */
  #full = false;
  #missed = 0;

  constructor(
    response: ServerResponse,
    topic: Topic,
    sight: ReaderSight,
    frameOf: (state: ShownState) => string,
  ) {
    this.#response = response;
    this.#topic = topic;
    this.#sight = sight;
    this.#frameOf = frameOf;
    response.on('drain', () => {
      this.#full = false;
      this.#missed = 0;
      this.flush();
    });
    // A reader that leaves while it is written to is no error of ours; `close` follows.
    response.on('error', () => {});
  }

  /** Says what there is, and sends it. */
  begin(word: SpokenWord, states: readonly ShownState[]): void {
    for (const state of states) this.#unsent.set(state.event_id, state);
    this.#write('snapshot', JSON.stringify({ ...word, event_ids: [...this.#unsent.keys()] }));
    this.flush();
  }

  offerMatch(state: ShownState): void {
    const topic = this.#topic;
    if (!this.#sight.match(state)) return;
    if (topic.kind === 'board' || (topic.kind === 'match' && topic.eventId === state.event_id)) {
      this.#unsent.set(state.event_id, state);
    }
    if (topic.kind === 'season' && topic.seasonId !== null && topic.seasonId === state.season_id) {
      if (topic.clocks) this.#unsent.set(state.event_id, state);
      this.#offerResult(state);
    }
  }

  /** `feeds`: every source with its state, as JSON. */
  offerFeeds(feeds: string): void {
    if (this.#topic.kind === 'board' || this.#topic.kind === 'feeds') this.#feedsUnsent = feeds;
  }

  /** A result is shown beside the tables; a running clock does not change it. */
  #offerResult({ event_id, status_id, score, shoot_out, under_review, home, away }: ShownState): void {
    const result = JSON.stringify([status_id, score, shoot_out, under_review, home?.id, away?.id]);
    if (this.#results.get(event_id) === result) return;
    this.#results.set(event_id, result);
    this.#tableUnsent = true;
  }

  offerTable(seasonId: number | null): void {
    const topic = this.#topic;
    if (topic.kind !== 'season' || topic.seasonId !== seasonId) return;
    if (this.#sight.season(seasonId)) this.#tableUnsent = true;
  }

  /** Sends what is unsent, as much as the reader takes. */
  flush(): void {
    for (const [id, state] of this.#unsent) {
      if (this.#full) return;
      this.#unsent.delete(id);
      if (this.#topic.kind === 'season') this.#write('clock', JSON.stringify(clockOf(state)));
      else this.#write('match', this.#frameOf(state));
    }
    if (this.#feedsUnsent !== null && !this.#full) {
      this.#write('feeds', this.#feedsUnsent);
      this.#feedsUnsent = null;
    }
    if (this.#tableUnsent && !this.#full && this.#topic.kind === 'season') {
      this.#tableUnsent = false;
      this.#write('table', JSON.stringify({ season_id: this.#topic.seasonId }));
    }
  }

  /** Shows that the connection lives; false where the reader has not taken anything for long. */
  beat(word: SpokenWord): boolean {
    if (!this.#full) this.#write('beat', JSON.stringify(word));
    else this.#missed += 1;
    return this.#missed < MISSED_BEATS;
  }

  /** Whether it may still see something. */
  get admitted(): boolean {
    return this.#sight.lasts();
  }

  end(): void {
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }

  #write(event: string, data: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#full = !this.#response.write(`event: ${event}\ndata: ${data}\n\n`);
  }
}
