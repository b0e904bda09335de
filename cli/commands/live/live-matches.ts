/** The matches that are live now, followed in their topics. */

import { topicBounds } from '#cluster/logs.ts';
import { partitionKey } from '#streams/client/port.ts';
import { type FollowedBatch, follow } from '#streams/read/follow.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { HealthTable, type Now, type SourceFeedStatus } from '#tradability/feed-status.ts';
import { doubtsOf, RENEW_MS, tradingOf } from '#tradability/trading.ts';
import { phaseOf } from '../../../services/api/board/shown/match.ts';
import type { OpenCluster } from '../../cluster.ts';
import { type Decoders, decodersOf } from '../../topic-reads.ts';
import type { LiveRow, LiveState } from './board.ts';

/** The topics that live matches are followed in. */
export const LIVE_TOPICS = ['match-state', 'match-transitions', 'feed-health'] as const satisfies TopicName[];

/** Follows match state, its changes and feed health. Nothing that it gives is safe longer than its sources are. */
export class LiveMatches {
  readonly #place: OpenCluster;
  readonly #decoders: Decoders<(typeof LIVE_TOPICS)[number]>;
  /** Topics by their names on the broker. */
  readonly #names: ReadonlyMap<string, (typeof LIVE_TOPICS)[number]>;
  readonly #health = new HealthTable();
  /** Live matches, each with its partition. */
  readonly #states = new Map<number, { readonly state: LiveState; readonly partition: string }>();
  /**
   * The newest version with a change that was read, by event: an older state must not be traded on. Of matches that are not live too,
   * until their state has it: the change may come before the state that makes them live.
   */
  readonly #changed = new Map<number, number>();
  /** When the latest message of a match was received, by key of feed health, Unix milliseconds. */
  readonly #heard = new Map<string, number>();
  /** When a partition was last read to its end, on the steady clock. */
  readonly #read = new Map<string, number>();

  constructor(place: OpenCluster) {
    this.#place = place;
    this.#decoders = decodersOf(place, LIVE_TOPICS);
    this.#names = new Map(LIVE_TOPICS.map((topic) => [topicName(place.prefix, topic), topic]));
  }

  /** Follows until `signal`; calls back once every partition was read to its end. Rejects with `StreamError`, `DecodeError`. */
  async follow(signal: AbortSignal, onRead: () => void): Promise<void> {
    const { brokers } = this.#place;
    const topics = [...this.#names.keys()];
    const bounds = await topicBounds({ brokers, clientId: 'touchline-live' }, topics);
    // The newest state contains earlier changes; only a later change can contradict it.
    const changes = bounds.filter(({ topic }) => this.#names.get(topic) === 'match-transitions');
    await follow({
      brokers,
      reader: 'touchline-live',
      topics,
      from: new Map(changes.map((of) => [partitionKey(of), of.end])),
      idleMs: RENEW_MS,
      signal,
      onBatch: (batch) => this.#apply(batch),
      onUpToDate: (of, at) => {
        this.#read.set(partitionKey(of), at);
        if (this.#read.size === bounds.length) onRead();
      },
    });
  }

  /** The live matches now, by start and id. */
  matches(now: Now): LiveRow[] {
    const sources = this.sources(now).map(({ source }) => source);
    return [...this.#states.values()]
      .map(({ state, partition }) => {
        const feed = this.#health.match(state.event_id, now);
        const doubts = doubtsOf({
          version: state.version,
          changed: this.#changed.get(state.event_id) ?? 0,
          readAt: this.#read.get(partition) ?? Number.NEGATIVE_INFINITY,
          now: now.steady,
        });
        const heard = sources.map((source) => this.#heard.get(`${source}/${state.event_id}`) ?? 0);
        return {
          state,
          feed,
          trading: tradingOf(state, feed, doubts),
          heardAt: Math.max(state.cause.received_at, ...heard),
        };
      })
      .sort(
        ({ state: a }, { state: b }) =>
          (a.start_date ?? '').localeCompare(b.start_date ?? '') || a.event_id - b.event_id,
      );
  }

  /** Every source of messages now. */
  sources(now: Now): SourceFeedStatus[] {
    return this.#health.sources(now);
  }

  async #apply({ topic: name, partition, records }: FollowedBatch): Promise<void> {
    const topic = this.#names.get(name);
    for (const { key: bytes, value } of records) {
      const key = bytes?.toString() ?? '';
      if (topic === 'feed-health') await this.#applyHealth(key, value);
      else if (topic === 'match-transitions') {
        if (value === null) continue;
        const { event_id, version } = await this.#decoders['match-transitions'].read(value);
        this.#changed.set(event_id, version);
      } else await this.#applyState(Number(key), value, partitionKey({ topic: name, partition }));
    }
  }

  async #applyState(eventId: number, value: Buffer | null, partition: string): Promise<void> {
    const state = value === null ? null : await this.#decoders['match-state'].read(value);
    if (state === null || phaseOf(state) !== 'live') {
      this.#states.delete(eventId);
      if (state === null || state.version >= (this.#changed.get(eventId) ?? 0)) this.#changed.delete(eventId);
      return;
    }
    // The memory of the event register is most of a state.
    const { fields: _, ...kept } = state;
    this.#states.set(eventId, { state: kept, partition });
  }

  async #applyHealth(key: string, value: Buffer | null): Promise<void> {
    const record = value === null ? null : await this.#decoders['feed-health'].read(value);
    this.#health.apply(key, record, performance.now());
    if (record === null || record.heard_at === null) this.#heard.delete(key);
    else if (record.event_id !== null) this.#heard.set(key, record.heard_at);
  }
}
