/** Follows matches with what may close their trading, for commands that show them. */
import { once } from 'node:events';
import { topicBounds } from '#cluster/logs.ts';
import type { FeedHealth, MatchState, TradingHalt } from '#records/types.ts';
import { type LogBounds, partitionKey, type TopicPartition } from '#streams/client/port.ts';
import { closingReads } from '#topics/closing-topics.ts';
import { type FollowOptions, follow, type TopicRecord } from '#topics/follow.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { MatchReader } from '../libs/reader/match-reader.ts';
import type { MatchStateRecord } from '../libs/reader/records.ts';
import type { OpenCluster } from './cluster.ts';
import { drawWhile, terminalColumns } from './table.ts';
import { printLine, untilStopped } from './terminal.ts';

/** The topics that hold a match; its records are in the partition of its event id. */
export const MATCH_TOPICS = [
  'match-state',
  'match-incidents',
  'match-transitions',
] as const satisfies TopicName[];
export const CLOSING_TOPICS = ['feed-health', 'trading-halts'] as const;
export type MatchTopic = (typeof MATCH_TOPICS)[number];
type FollowedTopic = MatchTopic | (typeof CLOSING_TOPICS)[number];

/** A partition of a topic, with its bounds at the opening. */
export type BoundedLog = TopicPartition & LogBounds;

export const CLIENT_ID = 'touchline-match';

/** Follows matches, and joins their states with what may close trading of them (libs/reader). Their permission to trade expires by itself. */
export class MatchFollower<S extends MatchStateRecord> {
  protected readonly reader = new MatchReader<S, FeedHealth, TradingHalt>();
  protected readonly cluster: OpenCluster;
  readonly #keep: (state: MatchState) => S;

  /** `keep`: returns what is kept of a state. */
  constructor(cluster: OpenCluster, keep: (state: MatchState) => S) {
    this.cluster = cluster;
    this.#keep = keep;
  }

  protected logsOf(topics: readonly TopicName[]): Promise<BoundedLog[]> {
    const { brokers, prefix } = this.cluster;
    const names = topics.map((topic) => topicName(prefix, topic));
    return topicBounds({ brokers, clientId: CLIENT_ID }, names);
  }

  /**
   * Follows topics until `signal`: partitions with a first offset in `from`, by `partitionKey`, and others from their ends. Calls `onRead`
   * when every one of `from` was read to its end. Rejects as `follow`.
   */
  protected followFrom<T extends FollowedTopic>(
    topics: readonly T[],
    from: ReadonlyMap<string, number>,
    onRead: () => void,
    options: Pick<FollowOptions<T>, 'signal' | 'isWanted'>,
  ): Promise<void> {
    const unread = new Set(from.keys());
    const closing = closingReads(this.cluster.prefix, this.reader);
    const states = topicName(this.cluster.prefix, 'match-state');
    return follow<FollowedTopic>(topics, this.cluster, {
      ...closing.options,
      ...options,
      reader: CLIENT_ID,
      from,
      otherwise: 'end',
      onRecord: (record) => {
        if (record.topic === 'feed-health' || record.topic === 'trading-halts') closing.apply(record);
        else this.apply(record);
      },
      onUpToDate: (of, at) => {
        closing.options.onUpToDate(of, at);
        if (of.topic === states) {
          this.reader.caughtUp(of.partition);
          this.reader.endsAt(of.partition, 0, at);
        }
        if (unread.delete(partitionKey(of)) && unread.size === 0) onRead();
      },
    });
  }

  protected apply({ topic, key, value, partition }: TopicRecord<MatchTopic>): void {
    if (topic === 'match-state') this.reader.applyState(partition, Number(key), value && this.#keep(value));
    else if (topic === 'match-transitions' && value !== null) this.reader.applyTransition(partition, value);
  }
}

/** Shows what a follower reads: on a terminal again and again where `isLive`, else once. Returns the exit code. */
export async function showFollowed(
  follower: { follow(signal: AbortSignal, onRead: () => void): Promise<void> },
  isLive: boolean,
  lines: (width: number | null) => readonly string[],
): Promise<number> {
  await untilStopped(async (signal) => {
    const read = Promise.withResolvers<void>();
    // A request to stop is answered at once, also while the broker is silent.
    const following = Promise.race([follower.follow(signal, read.resolve), once(signal, 'abort')]);
    await Promise.race([read.promise, following]);
    if (signal.aborted) return;
    if (isLive && process.stdout.isTTY) return drawWhile(following, () => lines(process.stdout.columns - 1));
    for (const line of lines(terminalColumns())) printLine(line);
  });
  return 0;
}
