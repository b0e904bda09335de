import { topicBounds } from '#cluster/logs.ts';
import type { FeedHealth, TradingHalt } from '#records/types.ts';
import { phaseOf } from '#story/match.ts';
import { partitionKey } from '#streams/client/port.ts';
import { closingReads } from '#topics/closing-topics.ts';
import { follow } from '#topics/follow.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import type { Now } from '#trading/feed-status.ts';
import { type ShownState, shownStateOf } from '#views/store/board-view.ts';
import { MatchReader } from '../../../libs/reader/match-reader.ts';
import type { OpenCluster } from '../../cluster.ts';
import { machineNow } from '../../followed-topics.ts';
import { boardLines, type LiveRow } from './board.ts';

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
  // The event register is most of a state, and not shown.
  readonly #reader = new MatchReader<ShownState, FeedHealth, TradingHalt>();

  constructor(cluster: OpenCluster) {
    this.#cluster = cluster;
  }

  /** Follows until `signal`; calls `onRead` when every partition was read to its end. Rejects as `follow`. */
  async follow(signal: AbortSignal, onRead: () => void): Promise<void> {
    const { brokers, prefix } = this.#cluster;
    const topics = LIVE_TOPICS.map((topic) => topicName(prefix, topic));
    const [states, transitions] = topics;
    const bounds = await topicBounds({ brokers, clientId: 'touchline-live' }, topics);
    // The newest state contains all earlier changes: only new ones matter.
    const changes = bounds.filter(({ topic }) => topic === transitions);
    this.#reader.assign(bounds.flatMap(({ topic, partition }) => (topic === states ? [partition] : [])));
    const unread = new Set(bounds.map(partitionKey));
    const closing = closingReads(prefix, this.#reader);
    await follow(LIVE_TOPICS, this.#cluster, {
      ...closing.options,
      reader: 'touchline-live',
      from: new Map(changes.map((of) => [partitionKey(of), of.end])),
      signal,
      onRecord: (record) => {
        const { topic, key, value, partition } = record;
        if (topic === 'match-state')
          this.#reader.applyState(partition, Number(key), value && shownStateOf(value));
        else if (topic !== 'match-transitions') closing.apply(record);
        else if (value !== null) this.#reader.applyTransition(partition, value);
      },
      onUpToDate: (of, at) => {
        closing.options.onUpToDate(of, at);
        if (of.topic === states) {
          this.#reader.caughtUp(of.partition);
          this.#reader.upToDate(of.partition, at);
        }
        if (unread.delete(partitionKey(of)) && unread.size === 0) onRead();
      },
    });
  }

  /** Returns the state of every match. */
  states(): ShownState[] {
    return [...this.#reader.eventIds()].flatMap((eventId) => this.#reader.state(eventId) ?? []);
  }

  /** Returns the live matches now, ordered by start and id. */
  matches(now: Now = machineNow()): LiveRow[] {
    return this.states()
      .flatMap((state): LiveRow[] => {
        // Silence ends play later, with time.
        if (phaseOf(state, now.wall / 1000) !== 'live') return [];
        const { feed, ...trading } = this.#reader.guard(state.event_id, now);
        const received = this.#reader.health
          .records(state.event_id)
          .map(({ event_id, heard_at }) => (event_id === null ? 0 : (heard_at ?? 0)));
        return [{ state, feed, trading, lastReceivedAt: Math.max(state.cause.received_at, ...received) }];
      })
      .sort(
        ({ state: a }, { state: b }) =>
          (a.start_date ?? '').localeCompare(b.start_date ?? '') || a.event_id - b.event_id,
      );
  }

  /** Returns the lines of the board now; `width` is as for `tableLines`. */
  boardLines(width: number | null): string[] {
    const now = machineNow();
    return boardLines(this.matches(now), this.#reader.health.sources(now), { now: now.wall, width });
  }
}
