import type { ServerResponse } from 'node:http';
import type { ShownState } from '#views/store/board-view.ts';
import type { Heartbeat } from './browser/heartbeat.ts';

/** What a reader may see. Evaluated with each change, as contracts change. */
export type ReaderAccess = {
  isValid(): boolean;
  coversMatch(of: Pick<ShownState, 'competition_id'>): boolean;
  /** Null stands for the rankings, which belong to no season. */
  coversSeason(seasonId: number | null): boolean;
};

/** The part of the board that a reader follows. */
export type StreamTopic =
  | { readonly kind: 'board' }
  | { readonly kind: 'feeds' }
  | { readonly kind: 'match'; readonly eventId: number }
  /** `seasonId` null: the rankings, which belong to no season. `clocks`: a page that shows the clocks of its matches too. */
  | { readonly kind: 'season'; readonly seasonId: number | null; readonly clocks: boolean };

/** Returns the data of the `match` event of a state, as a kind of page shows it. */
export type FrameOf = (state: ShownState, kind: StreamTopic['kind']) => string;

/** Number of consecutive heartbeats that a reader may fail to read before it is disconnected. */
const MAX_MISSED_HEARTBEATS = 60;

/**
 * One reader of server-sent events. Only the newest unsent state of each match is kept, never a queue, so the memory of a slow
 * reader is limited by the number of matches.
 */
export class BoardReader {
  readonly #response: ServerResponse;
  readonly #topic: StreamTopic;
  readonly #access: ReaderAccess;
  readonly #frameOf: FrameOf;
  /** Unsent states by event id, in the order of their first unsent change; null: the match is gone. */
  readonly #unsent = new Map<number, ShownState | null>();
  /** The competition of each match that was sent or will be, by event id. A page shows it until a `gone` event. */
  readonly #shown = new Map<number, number | null>();
  #tableUnsent = false;
  /** Data of the unsent `feeds` event; null when there is none. */
  #feedsUnsent: string | null = null;
  /** The results of the season's matches as last offered, as JSON by event id. */
  readonly #results = new Map<number, string>();
  /** Whether the connection's buffer is full: nothing is written until it drains. */
  #isFull = false;
  #missedHeartbeats = 0;

  constructor(response: ServerResponse, topic: StreamTopic, access: ReaderAccess, frameOf: FrameOf) {
    this.#response = response;
    this.#topic = topic;
    this.#access = access;
    this.#frameOf = frameOf;
    response.on('drain', () => {
      this.#isFull = false;
      this.#missedHeartbeats = 0;
      this.flush();
    });
    // A reader may disconnect during a write; `close` follows.
    response.on('error', () => {});
  }

  /** Sends the snapshot, and then these states. */
  start(heartbeat: Heartbeat, states: readonly ShownState[]): void {
    for (const state of states) this.#show(state);
    this.#write('snapshot', JSON.stringify({ ...heartbeat, event_ids: [...this.#unsent.keys()] }));
    this.flush();
  }

  offerMatch(state: ShownState): void {
    const topic = this.#topic;
    if (!this.#access.coversMatch(state)) {
      this.#withdraw(state.event_id);
      return;
    }
    if (topic.kind === 'board' || (topic.kind === 'match' && topic.eventId === state.event_id)) {
      this.#show(state);
    }
    if (this.#isOfSeason(state)) {
      if (topic.kind === 'season' && topic.clocks) this.#tableUnsent = true;
      else this.#offerResult(state);
    }
  }

  /** Withdraws a deleted match. `state`: its last state. */
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

  /** Withdraws the shown matches that the contract no longer covers. */
  #withdrawUncovered(): void {
    const competitions = [...new Set(this.#shown.values())];
    const outside = new Set(
      competitions.filter((competition_id) => !this.#access.coversMatch({ competition_id })),
    );
    if (outside.size === 0) return;
    for (const [eventId, competition] of this.#shown) if (outside.has(competition)) this.#withdraw(eventId);
  }

  /** `feeds`: what the head of a page says of all sources, as JSON. */
  offerFeeds(feeds: string): void {
    this.#feedsUnsent = feeds;
  }

  /** Marks the tables as changed when the result changed: pages of tables show results but no running clock. */
  #offerResult({ event_id, status_id, score, shoot_out, under_review, home, away }: ShownState): void {
    const result = JSON.stringify([status_id, score, shoot_out, under_review, home?.id, away?.id]);
    if (this.#results.get(event_id) === result) return;
    this.#results.set(event_id, result);
    this.#tableUnsent = true;
  }

  offerTable(seasonId: number | null): void {
    const topic = this.#topic;
    if (topic.kind !== 'season' || topic.seasonId !== seasonId) return;
    if (this.#access.coversSeason(seasonId)) this.#tableUnsent = true;
  }

  /** Sends unsent events until the connection's buffer is full. */
  flush(): void {
    if (this.#feedsUnsent !== null && !this.#isFull) {
      this.#write('feeds', this.#feedsUnsent);
      this.#feedsUnsent = null;
    }
    for (const [id, state] of this.#unsent) {
      if (this.#isFull) return;
      this.#unsent.delete(id);
      if (state === null) this.#write('gone', JSON.stringify({ event_id: id }));
      else this.#write('match', this.#frameOf(state, this.#topic.kind));
    }
    if (this.#tableUnsent && !this.#isFull && this.#topic.kind === 'season') {
      this.#tableUnsent = false;
      this.#write('table', JSON.stringify({ season_id: this.#topic.seasonId }));
    }
  }

  /**
   * Withdraws what the contract no longer covers and sends a heartbeat. Returns false when the reader has read nothing during
   * `MAX_MISSED_HEARTBEATS`.
   */
  sendHeartbeat(heartbeat: Heartbeat): boolean {
    this.#withdrawUncovered();
    this.flush();
    if (!this.#isFull) this.#write('beat', JSON.stringify(heartbeat));
    else this.#missedHeartbeats += 1;
    return this.#missedHeartbeats < MAX_MISSED_HEARTBEATS;
  }

  get hasAccess(): boolean {
    return this.#access.isValid();
  }

  end(): void {
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }

  #write(event: string, data: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#isFull = !this.#response.write(`event: ${event}\ndata: ${data}\n\n`);
  }
}
