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
  MatchFollower,
  type MatchTopic,
} from '../../match-follower.ts';
import type { StoryFacts } from './page.ts';

/** Maximum difference between clocks of processors and ingress services. */
const CLOCK_SKEW_MS = 600_000;

/** Follows the records of one match. */
export class FollowedMatch extends MatchFollower<MatchState> {
  readonly #eventId: number;
  /** The match's partition of each of `MATCH_TOPICS`. */
  #logs: readonly BoundedLog[] = [];
  readonly #incidents = new Map<string, MatchIncident>();
  readonly #transitions: MatchTransition[] = [];

  private constructor(cluster: OpenCluster, eventId: number) {
    super(cluster, (state) => state);
    this.#eventId = eventId;
  }

  /** Reads the state of a match, and its incidents unless `topics` leaves them out; null when it has no state. Rejects as `follow`. */
  static async read(
    cluster: OpenCluster,
    eventId: number,
    topics: readonly MatchTopic[] = ['match-state', 'match-incidents'],
  ): Promise<FollowedMatch | null> {
    const match = new FollowedMatch(cluster, eventId);
    const all = Map.groupBy(await match.logsOf(MATCH_TOPICS), ({ topic }) => topic);
    match.#logs = MATCH_TOPICS.flatMap((topic) => {
      const logs = all.get(topicName(cluster.prefix, topic)) ?? [];
      const own = partitionOfKey(eventId, logs.length);
      return logs.filter(({ partition }) => partition === own);
    });
    match.reader.assign(match.#logs.slice(0, 1).map(({ partition }) => partition));
    await follow<MatchTopic>(topics, cluster, {
      reader: CLIENT_ID,
      from: new Map(match.#logs.map((log) => [partitionKey(log), log.start])),
      otherwise: 'end',
      untilEnd: true,
      isWanted: match.#isWanted,
      onRecord: (record) => match.apply(record),
    });
    return match.reader.state(eventId) === null ? null : match;
  }

  /** The state of the match; its guard is closed where an incident or a change shows that it lost versions. */
  get state(): MatchState {
    const state = this.reader.state(this.#eventId) as MatchState;
    const isDenied = [...this.#incidents.values(), ...this.#transitions].some((one) => wentBack(one, state));
    return isDenied && !state.guard.reasons.includes(WENT_BACK) ? inDoubt(state) : state;
  }

  get facts(): StoryFacts {
    const incidents = [...this.#incidents.values()];
    return { state: this.state, incidents, transitions: this.#transitions };
  }

  trading(now: Now) {
    const { state } = this;
    const { feed, permission, reasons } = this.reader.guard(this.#eventId, now);
    const { standing } = this.reader.halts.standing(now, state);
    const isDenied = permission !== 'not_in_play' && state.guard.reasons.includes(WENT_BACK);
    // A change of a lost version would keep the state behind for ever.
    const others = reasons.filter((reason) => reason !== WENT_BACK && reason !== 'behind');
    const trading = isDenied
      ? ({ permission: 'halted', reasons: [...others, WENT_BACK] } as const)
      : { permission, reasons };
    return { trading, feed, halts: standing };
  }

  /** Follows the match from its first incident until `signal`. Calls `onRead` once all that exists is read. Rejects as `follow`. */
  async follow(signal: AbortSignal, onRead: () => void): Promise<void> {
    const existing = await findTopics(this.cluster);
    const closing = CLOSING_TOPICS.filter((topic) => existing.has(topic));
    const from = new Map((await this.logsOf(closing)).map((log) => [partitionKey(log), log.start]));
    for (const log of this.#logs) from.set(partitionKey(log), log.end);
    const [changes] = this.#logs.slice(-1);
    if (changes !== undefined) from.set(partitionKey(changes), await this.#firstChange(changes));
    return this.followFrom([...MATCH_TOPICS, ...closing], from, onRead, { signal, isWanted: this.#isWanted });
  }

  protected override apply(record: TopicRecord<MatchTopic>): void {
    super.apply(record);
    if (record.value === null) return;
    if (record.topic === 'match-incidents') this.#incidents.set(record.value.id, record.value);
    if (record.topic === 'match-transitions') this.#transitions.push(record.value);
  }

  /** Whether a record is of the match, or of the feeds and halts, whose keys begin with a letter. */
  readonly #isWanted = ({ key }: ReadRecord): boolean =>
    /^\D/.test(String(key)) || new RegExp(`^${this.#eventId}(/|$)`).test(String(key));

  /** Returns the offset of the first change that a page needs: the log is long, and incidents tell when the match began. */
  async #firstChange(log: BoundedLog): Promise<number> {
    if (this.#incidents.size === 0) return log.end;
    const times = this.#incidents
      .values()
      .map(({ incident, cause }) => Math.min(cause.ut, incident?.ut ?? cause.ut));
    const time = Math.min(...times) * 1_000 - CLOCK_SKEW_MS;
    const offsets = await offsetsAt({ brokers: this.cluster.brokers, topic: log.topic, time });
    return offsets.get(partitionKey(log)) ?? log.end;
  }
}

/** Returns the error of a command that names an unknown match. */
export function unknownEvent({ prefix }: OpenCluster, eventId: number): CommandError {
  return new CommandError(`event ${eventId} is unknown here: no topic under ${prefix} has it`);
}
