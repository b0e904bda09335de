import { topicBounds } from '#cluster/logs.ts';
import type { FeedHealth, MatchState } from '#records/types.ts';
import { phaseOf } from '#story/match.ts';
import { partitionKey } from '#streams/client/port.ts';
import { follow, type TopicRecord } from '#topics/follow.ts';
import { reportUnreadable } from '#topics/readable.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { HealthTable, type Now } from '#tradability/feed-status.ts';
import { HaltTable } from '#tradability/halts.ts';
import { doubtsOf, FRESHNESS_POLL_MS, nextState, tradingOf } from '#tradability/trading.ts';
import { type ShownState, shownStateOf } from '#views/store/board-view.ts';
import type { OpenCluster } from '../../cluster.ts';
import { machineNow } from '../../followed-topics.ts';
import { type BoardRoom, boardLines, type LiveRow } from './board.ts';

/** The topics that `LiveMatches` follows. */
export const LIVE_TOPICS = [
  'match-state',
  'match-transitions',
  'feed-health',
  'trading-halts',
] as const satisfies TopicName[];

/** Follows the live matches in match-state, match-transitions, feed-health and trading-halts. Their permission to trade expires by itself. */
export class LiveMatches {
  readonly #cluster: OpenCluster;
  readonly #health = new HealthTable();
  readonly #halts = new HaltTable();
  /** Matches that are live by their status, each with its partition. */
  readonly #states = new Map<number, { readonly state: ShownState; readonly partition: string }>();
  /** What `nextState` holds of every match, also of those that are not live: one may be live again in a state that was lost. */
  readonly #held = new Map<number, Pick<MatchState, 'version' | 'cause' | 'guard'>>();
  /**
   * The newest version in match-transitions, by event: an older state must not be traded on. Kept for a match that is not live
   * until its state has that version, because the change may arrive before the state that makes it live.
   */
  readonly #changed = new Map<number, number>();
  /** Time of receipt of the latest message of a match (Unix milliseconds), by key of feed health. */
  readonly #lastReceived = new Map<string, number>();
  /** Time at which a partition was last read to its end (steady clock), by `partitionKey`. */
  readonly #readAt = new Map<string, number>();

  constructor(cluster: OpenCluster) {
    this.#cluster = cluster;
  }

  /** Follows until `signal`; calls `onRead` when every partition was read to its end. Rejects as `follow`. */
  async follow(signal: AbortSignal, onRead: () => void): Promise<void> {
    const { brokers, prefix } = this.#cluster;
    const topics = LIVE_TOPICS.map((topic) => topicName(prefix, topic));
    const haltTopic = topicName(prefix, 'trading-halts');
    const bounds = await topicBounds({ brokers, clientId: 'touchline-live' }, topics);
    // The newest state contains all earlier changes: only new ones matter.
    const changes = bounds.filter(({ topic }) => topic === topicName(prefix, 'match-transitions'));
    await follow(LIVE_TOPICS, this.#cluster, {
      reader: 'touchline-live',
      from: new Map(changes.map((of) => [partitionKey(of), of.end])),
      idleMs: () => FRESHNESS_POLL_MS,
      signal,
      onRecord: (record) => this.#apply(record),
      onUnreadable: (record) => {
        if (record.topic === haltTopic) this.#halts.doubt(record.key ?? '', record.offset);
        reportUnreadable(record);
      },
      onUpToDate: (of, at) => {
        this.#readAt.set(partitionKey(of), at);
        if (of.topic === haltTopic) this.#halts.readTo(at);
        if (this.#readAt.size === bounds.length) onRead();
      },
    });
  }

  /** Returns the live matches now, ordered by start and id. */
  matches(now: Now = machineNow()): LiveRow[] {
    const sources = this.#health.sources(now).map(({ source }) => source);
    return [...this.#states.values()]
      .filter(({ state }) => phaseOf(state, now.wall / 1000) === 'live')
      .map(({ state, partition }) => {
        const feed = this.#health.match(state.event_id, now);
        const doubts = doubtsOf({
          version: state.version,
          changed: this.#changed.get(state.event_id) ?? 0,
          readAt: this.#readAt.get(partition) ?? Number.NEGATIVE_INFINITY,
          now: now.steady,
        });
        const received = sources.map((source) => this.#lastReceived.get(`${source}/${state.event_id}`) ?? 0);
        return {
          state,
          feed,
          trading: tradingOf(state, feed, this.#halts.standing(now, state), doubts),
          lastReceivedAt: Math.max(state.cause.received_at, ...received),
        };
      })
      .sort(
        ({ state: a }, { state: b }) =>
          (a.start_date ?? '').localeCompare(b.start_date ?? '') || a.event_id - b.event_id,
      );
  }

  /** Returns the lines of the board now. */
  boardLines(room: BoardRoom): string[] {
    const now = machineNow();
    return boardLines(this.matches(now), this.#health.sources(now), { now: now.wall, room });
  }

  #apply({ topic, key, value, partition, offset }: TopicRecord<(typeof LIVE_TOPICS)[number]>): void {
    if (topic === 'feed-health') this.#applyHealth(key, value);
    else if (topic === 'trading-halts') this.#halts.apply(key, value, offset);
    else if (topic === 'match-state') this.#applyState(Number(key), value, this.#partitionOf(partition));
    else if (value !== null) this.#changed.set(value.event_id, value.version);
  }

  #partitionOf(partition: number): string {
    return partitionKey({ topic: topicName(this.#cluster.prefix, 'match-state'), partition });
  }

  #applyState(eventId: number, state: MatchState | null, partition: string): void {
    const held = state && nextState(this.#held.get(eventId) ?? null, state);
    if (held === null) this.#held.delete(eventId);
    else this.#held.set(eventId, { version: held.version, cause: held.cause, guard: held.guard });
    if (held !== state) {
      const live = this.#states.get(eventId);
      if (live !== undefined && held !== null)
        this.#states.set(eventId, { partition, state: { ...live.state, guard: held.guard } });
      return;
    }
    // Silence ends play later, with time.
    if (state === null || phaseOf(state, state.cause.received_at / 1000) !== 'live') {
      this.#states.delete(eventId);
      if (state === null || state.version >= (this.#changed.get(eventId) ?? 0)) this.#changed.delete(eventId);
      return;
    }
    // The event register is most of a state, and not shown.
    this.#states.set(eventId, { state: shownStateOf(state), partition });
  }

  #applyHealth(key: string, record: FeedHealth | null): void {
    this.#health.apply(key, record, performance.now());
    if (record === null || record.heard_at === null) this.#lastReceived.delete(key);
    else if (record.event_id !== null) this.#lastReceived.set(key, record.heard_at);
  }
}
