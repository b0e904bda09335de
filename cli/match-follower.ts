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

/**
 * Returns what follows matches, and joins their states with what may close trading of them (libs/reader). Their permission to trade expires
 * by itself. `keep`: returns what is kept of a state.
 */
export function matchFollower<S extends MatchStateRecord>(
  cluster: OpenCluster,
  keep: (state: MatchState) => S,
) {
  const { brokers, prefix } = cluster;
  const reader = new MatchReader<S, FeedHealth, TradingHalt>();
  const apply = ({ topic, key, value, partition }: TopicRecord<MatchTopic>): void => {
    if (topic === 'match-state') reader.applyState(partition, Number(key), value && keep(value));
    else if (topic === 'match-transitions' && value !== null) reader.applyTransition(partition, value);
  };
  return {
    reader,
    apply,
    logsOf: (topics: readonly TopicName[]): Promise<BoundedLog[]> =>
      topicBounds(
        { brokers, clientId: CLIENT_ID },
        topics.map((topic) => topicName(prefix, topic)),
      ),
    /**
     * Follows topics until `signal`: partitions with a first offset in `from`, by `partitionKey`, and others from their ends. Calls
     * `onRead` when every one of `from` was read to its end. Rejects as `follow`.
     */
    followFrom(
      topics: readonly FollowedTopic[],
      from: ReadonlyMap<string, number>,
      onRead: () => void,
      { onMatch = apply, ...options }: MatchFollowOptions,
    ): Promise<void> {
      const unread = new Set(from.keys());
      const closing = closingReads(prefix, reader);
      const states = topicName(prefix, 'match-state');
      return follow<FollowedTopic>(topics, cluster, {
        ...closing.options,
        ...options,
        reader: CLIENT_ID,
        from,
        otherwise: 'end',
        onRecord: (record) => {
          if (record.topic === 'feed-health' || record.topic === 'trading-halts') closing.apply(record);
          else onMatch(record);
        },
        onUpToDate: (of, at) => {
          closing.options.onUpToDate(of, at);
          if (of.topic === states) {
            reader.caughtUp(of.partition);
            reader.endsAt(of.partition, 0, at);
          }
          if (unread.delete(partitionKey(of)) && unread.size === 0) onRead();
        },
      });
    },
  };
}

/** `onMatch`: receives the records of matches, in place of `apply`. */
type MatchFollowOptions = Pick<FollowOptions<FollowedTopic>, 'signal' | 'isWanted'> & {
  readonly onMatch?: (record: TopicRecord<MatchTopic>) => void;
};

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
