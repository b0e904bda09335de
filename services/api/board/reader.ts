import type { ServerResponse } from 'node:http';
import type { Access } from '#contract/rest/provider.ts';
import { isCovered } from '#views/queries/access.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { Heartbeat } from './browser/heartbeat.ts';

/** The part of the board that a reader follows. `seasonId` null: the rankings, which belong to no season. */
export type StreamTopic =
  | { readonly kind: 'board' | 'feeds' }
  | { readonly kind: 'match'; readonly eventId: number }
  | { readonly kind: 'season'; readonly seasonId: number | null };

export type FollowedTopic = {
  readonly topic: StreamTopic;
  /** Returns the contract of the reader, as of each call; null once it may see nothing. */
  readonly access: () => Access | null;
  /** Whether a contract covers what the topic is about: without it the stream ends. */
  readonly covers: (access: Access) => boolean;
  readonly states: readonly ShownState[];
};

/** Returns the data of the `match` event of a state, as a kind of page shows it. */
export type FrameOf = (state: ShownState, kind: StreamTopic['kind']) => string;

/** Number of consecutive heartbeats that a reader may fail to read before it is disconnected. */
const MAX_MISSED_HEARTBEATS = 60;

/** One reader of server-sent events. Keeps the newest unsent state of each match, never a queue: a slow reader needs limited memory. */
export class BoardReader {
  readonly #response: ServerResponse;
  readonly #follows: FollowedTopic;
  readonly #frameOf: FrameOf;
  /** Unsent states by event id, in the order of their first unsent change; null: the match is gone. */
  readonly #unsent = new Map<number, ShownState | null>();
  /** The competition of each match that was sent or will be, by event id. A page shows it until a `gone` event. */
  readonly #shown = new Map<number, number | null>();
  /** The results of the season's matches as last offered, as JSON by event id: pages of tables show results but no running clock. */
  readonly #results = new Map<number, string>();
  #tableUnsent = false;
  /** Data of the unsent `feeds` event; null when there is none. */
  #feedsUnsent: string | null = null;
  /** Whether the connection's buffer is full: nothing is written until it drains. */
  #isFull = false;
  #missedHeartbeats = 0;

  constructor(response: ServerResponse, follows: FollowedTopic, frameOf: FrameOf) {
    this.#response = response;
    this.#follows = follows;
    this.#frameOf = frameOf;
    response.on('drain', () => {
      this.#isFull = false;
      this.#missedHeartbeats = 0;
      this.flush();
    });
    // A reader may disconnect during a write; `close` follows.
    response.on('error', () => {});
  }

  /** Sends the snapshot, and then the states of the topic. */
  start(heartbeat: Heartbeat): void {
    for (const state of this.#follows.states) this.#show(state);
    this.#write('snapshot', JSON.stringify({ ...heartbeat, event_ids: [...this.#unsent.keys()] }));
    this.flush();
  }

  /** Offers the state of a match, the last one of a deleted match too. */
  offerMatch(state: ShownState): void {
    const { topic, access } = this.#follows;
    const { event_id, season_id, status_id, score, shoot_out, under_review, home, away } = state;
    const current = access();
    const isGone = state.status_type === 'deleted';
    if (isGone || current === null || !isCovered(current, state.competition_id)) this.#withdraw(event_id);
    else if (topic.kind === 'board' || (topic.kind === 'match' && topic.eventId === event_id))
      this.#show(state);
    if (topic.kind !== 'season' || season_id === null || topic.seasonId !== season_id) return;
    const result = JSON.stringify([isGone, status_id, score, shoot_out, under_review, home?.id, away?.id]);
    if (this.#results.get(event_id) === result) return;
    this.#results.set(event_id, result);
    this.#tableUnsent = true;
  }

  /** `feeds`: what the head of a page says of all sources, as JSON. */
  offerFeeds(feeds: string): void {
    this.#feedsUnsent = feeds;
  }

  offerTable(season: number | null): void {
    const { topic } = this.#follows;
    if (topic.kind === 'season' && topic.seasonId === season) this.#tableUnsent = true;
  }

  #show(state: ShownState): void {
    this.#unsent.set(state.event_id, state);
    this.#shown.set(state.event_id, state.competition_id);
  }

  #withdraw(eventId: number): void {
    if (this.#shown.delete(eventId)) this.#unsent.set(eventId, null);
  }

  /** Sends unsent events until the connection's buffer is full. */
  flush(): void {
    const { topic } = this.#follows;
    if (this.#feedsUnsent !== null && !this.#isFull) {
      this.#write('feeds', this.#feedsUnsent);
      this.#feedsUnsent = null;
    }
    for (const [id, state] of this.#unsent) {
      if (this.#isFull) return;
      this.#unsent.delete(id);
      if (state === null) this.#write('gone', JSON.stringify({ event_id: id }));
      else this.#write('match', this.#frameOf(state, topic.kind));
    }
    if (this.#tableUnsent && !this.#isFull && topic.kind === 'season') {
      this.#tableUnsent = false;
      this.#writeTable(topic.seasonId);
    }
  }

  #writeTable(season_id: number | null): void {
    this.#write('table', JSON.stringify({ season_id }));
  }

  /** Sends a heartbeat, withdraws what the contract no longer covers, and ends without one. Cuts a reader that reads nothing, and returns false. */
  sendHeartbeat(heartbeat: Heartbeat): boolean {
    const { topic, covers } = this.#follows;
    const access = this.#follows.access();
    if (access === null || !covers(access)) {
      // The page reads itself again, and finds that it has become a 404.
      if (access !== null && topic.kind === 'season') this.#writeTable(topic.seasonId);
      this.end();
      return true;
    }
    if (access.competitions !== null)
      for (const [id, competition] of this.#shown) if (!isCovered(access, competition)) this.#withdraw(id);
    this.flush();
    if (!this.#isFull) this.#write('beat', JSON.stringify(heartbeat));
    else this.#missedHeartbeats += 1;
    if (this.#missedHeartbeats < MAX_MISSED_HEARTBEATS) return true;
    this.#response.destroy();
    return false;
  }

  end(): void {
    this.#response.end();
  }

  #write(event: string, data: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#isFull = !this.#response.write(`event: ${event}\ndata: ${data}\n\n`);
  }
}
