import type { ServerResponse } from 'node:http';
import type { ShownState } from '#views/store/board-view.ts';
import type { SpokenWord } from './shown/last-word.ts';
import type { ClockedMatch } from './shown/minute.ts';

/** What a reader may see now; asked with each change, for a contract may change. */
export type ReaderSight = {
  /** False once it may see nothing any more. */
  lasts(): boolean;
  match(of: Pick<ShownState, 'competition_id'>): boolean;
  season(seasonId: number | null): boolean;
};

export type Topic =
  | { readonly kind: 'board' }
  | { readonly kind: 'feeds' }
  | { readonly kind: 'match'; readonly eventId: number }
  /** Null is the tables of no season. */
  | { readonly kind: 'season'; readonly seasonId: number | null; readonly clocks: boolean };

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
  /** By event, in the order of their first unsent change; null where the match is gone. */
  readonly #unsent = new Map<number, ShownState | null>();
  /** The competition of each match that it has, or is about to be sent, by event: pages keep what they have until it is gone. */
  readonly #shown = new Map<number, number | null>();
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
    for (const state of states) this.#show(state);
    this.#write('snapshot', JSON.stringify({ ...word, event_ids: [...this.#unsent.keys()] }));
    this.flush();
  }

  offerMatch(state: ShownState): void {
    const topic = this.#topic;
    if (!this.#sight.match(state)) {
      this.#withdraw(state.event_id);
      return;
    }
    if (topic.kind === 'board' || (topic.kind === 'match' && topic.eventId === state.event_id)) {
      this.#show(state);
    }
    if (this.#isOfSeason(state)) {
      if (topic.kind === 'season' && topic.clocks) this.#show(state);
      this.#offerResult(state);
    }
  }

  /** A match was deleted; `state` is what is left of it. */
  offerGone(state: ShownState): void {
    this.#withdraw(state.event_id);
    if (this.#isOfSeason(state)) this.#tableUnsent = true;
  }

  #isOfSeason({ season_id }: ShownState): boolean {
    return season_id !== null && this.#topic.kind === 'season' && this.#topic.seasonId === season_id;
  }

  #show(state: ShownState): void {
    this.#unsent.set(state.event_id, state);
    this.#shown.set(state.event_id, state.competition_id);
  }

  #withdraw(eventId: number): void {
    if (this.#shown.delete(eventId)) this.#unsent.set(eventId, null);
  }

  /** Withdraws the matches that its contract covered when they were sent, and no longer covers. */
  #withdrawUncovered(): void {
    const competitions = [...new Set(this.#shown.values())];
    const outside = new Set(competitions.filter((competition_id) => !this.#sight.match({ competition_id })));
    if (outside.size === 0) return;
    for (const [eventId, competition] of this.#shown) if (outside.has(competition)) this.#withdraw(eventId);
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
      if (state === null) this.#write('gone', JSON.stringify({ event_id: id }));
      else if (this.#topic.kind === 'season') this.#write('clock', JSON.stringify(clockOf(state)));
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

  /** Shows that the connection lives, and what its contract lost since; false where the reader has not taken anything for long. */
  beat(word: SpokenWord): boolean {
    this.#withdrawUncovered();
    this.flush();
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
