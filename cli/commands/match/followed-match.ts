import { offsetsAt } from '#cluster/logs.ts';
import type { MatchIncident, MatchState, MatchTransition } from '#records/types.ts';
import { partitionKey, partitionOfKey } from '#streams/client/port.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { findTopics } from '#topics/admin.ts';
import { follow, type TopicRecord } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import type { Now } from '#trading/feed-status.ts';
import { inDoubt, WENT_BACK, wentBack } from '#trading/trading.ts';
import type { OpenCluster } from '../../cluster.ts';
import { CommandError } from '../../command.ts';
import {
  type BoundedLog,
  CLIENT_ID,
  CLOSING_TOPICS,
  MATCH_TOPICS,
  type MatchTopic,
  matchFollower,
} from '../../match-follower.ts';
import type { StoryFacts } from './page.ts';

/** Maximum difference between clocks of processors and ingress services. */
const CLOCK_SKEW_MS = 600_000;

/**
 * Reads the state of a match, and its incidents unless `topics` leaves them out; returns the match, which can be followed, null when it has
 * no state. Rejects as `follow`.
 */
export async function readMatch(
  cluster: OpenCluster,
  eventId: number,
  topics: readonly MatchTopic[] = ['match-state', 'match-incidents'],
) {
  const { reader, apply, logsOf, followFrom } = matchFollower(cluster, (state) => state);
  const incidents = new Map<string, MatchIncident>();
  const transitions: MatchTransition[] = [];
  const onMatch = (record: TopicRecord<MatchTopic>): void => {
    apply(record);
    if (record.value === null) return;
    if (record.topic === 'match-incidents') incidents.set(record.value.id, record.value);
    if (record.topic === 'match-transitions') transitions.push(record.value);
  };
  const keyOfMatch = new RegExp(`^${eventId}(/|$)`);
  /** Whether a record is of the match, or of the feeds and halts, whose keys begin with a letter. */
  const isWanted = ({ key }: ReadRecord): boolean => /^\D/.test(String(key)) || keyOfMatch.test(String(key));

  const all = Map.groupBy(await logsOf(MATCH_TOPICS), ({ topic }) => topic);
  /** The match's partition of each of `MATCH_TOPICS`. */
  const logs = MATCH_TOPICS.flatMap((topic) => {
    const found = all.get(topicName(cluster.prefix, topic)) ?? [];
    return found.filter(({ partition }) => partition === partitionOfKey(eventId, found.length));
  });
  reader.assign(logs.slice(0, 1).map(({ partition }) => partition));
  await follow<MatchTopic>(topics, cluster, {
    reader: CLIENT_ID,
    from: new Map(logs.map((log) => [partitionKey(log), log.start])),
    otherwise: 'end',
    untilEnd: true,
    isWanted,
    onRecord: onMatch,
  });
  if (reader.state(eventId) === null) return null;

  /** Returns the offset of the first change that a page needs: the log is long, and incidents tell when the match began. */
  const firstChange = async (log: BoundedLog): Promise<number> => {
    if (incidents.size === 0) return log.end;
    const times = incidents
      .values()
      .map(({ incident, cause }) => Math.min(cause.ut, incident?.ut ?? cause.ut));
    const time = Math.min(...times) * 1_000 - CLOCK_SKEW_MS;
    const offsets = await offsetsAt({ brokers: cluster.brokers, topic: log.topic, time });
    return offsets.get(partitionKey(log)) ?? log.end;
  };
  return {
    /** The state of the match; its guard is closed where an incident or a change shows that it lost versions. */
    get state(): MatchState {
      const state = reader.state(eventId) as MatchState;
      const isDenied = [...incidents.values(), ...transitions].some((one) => wentBack(one, state));
      return isDenied && !state.guard.reasons.includes(WENT_BACK) ? inDoubt(state) : state;
    },
    get facts(): StoryFacts {
      return { state: this.state, incidents: [...incidents.values()], transitions };
    },
    trading(now: Now) {
      const { state } = this;
      const { feed, permission, reasons } = reader.guard(eventId, now);
      const { standing } = reader.halts.standing(now, state);
      const isDenied = permission !== 'not_in_play' && state.guard.reasons.includes(WENT_BACK);
      // A change of a lost version would keep the state behind for ever.
      const others = reasons.filter((reason) => reason !== WENT_BACK && reason !== 'behind');
      const trading = isDenied
        ? ({ permission: 'halted', reasons: [...others, WENT_BACK] } as const)
        : { permission, reasons };
      return { trading, feed, halts: standing };
    },
    /** Follows the match from its first incident until `signal`. Calls `onRead` once all that exists is read. Rejects as `follow`. */
    async follow(signal: AbortSignal, onRead: () => void): Promise<void> {
      const existing = await findTopics(cluster);
      const closing = CLOSING_TOPICS.filter((topic) => existing.has(topic));
      const from = new Map((await logsOf(closing)).map((log) => [partitionKey(log), log.start]));
      for (const log of logs) from.set(partitionKey(log), log.end);
      const [changes] = logs.slice(-1);
      if (changes !== undefined) from.set(partitionKey(changes), await firstChange(changes));
      return followFrom([...MATCH_TOPICS, ...closing], from, onRead, { signal, isWanted, onMatch });
    },
  };
}

/** Returns the error of a command that names an unknown match. */
export function unknownEvent({ prefix }: OpenCluster, eventId: number): CommandError {
  return new CommandError(`event ${eventId} is unknown here: no topic under ${prefix} has it`);
}
