import { offsetsAt, topicBounds } from '#cluster/logs.ts';
import type { FeedHealth, MatchIncident, MatchState, MatchTransition, TradingHalt } from '#records/types.ts';
import { type LogBounds, partitionKey, partitionOfKey, type TopicPartition } from '#streams/client/port.ts';
import { type FollowOptions, follow } from '#topics/follow.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import type { Now } from '#trading/feed-status.ts';
import { FRESHNESS_POLL_MS, inDoubt, WENT_BACK, wentBack } from '#trading/trading.ts';
import { MatchReader } from '../../../libs/reader/match-reader.ts';
import type { OpenCluster } from '../../cluster.ts';
import { CommandError } from '../../command.ts';
import type { StoryFacts } from './page.ts';

/** The topics that hold a match; its records are in the partition of its event id. */
export const MATCH_TOPICS = [
  'match-state',
  'match-incidents',
  'match-transitions',
] as const satisfies TopicName[];
type MatchTopic = (typeof MATCH_TOPICS)[number];

const CLIENT_ID = 'touchline-match';
/** Maximum difference between clocks of processors and ingress services. */
const CLOCK_SKEW_MS = 600_000;

/** Follows the records of one match, and joins its state with what may close trading of it (libs/reader). */
export class FollowedMatch {
  /** Its tables of feed health and halts by hand are filled by the caller. */
  readonly reader = new MatchReader<MatchState, FeedHealth, TradingHalt>();
  readonly #cluster: OpenCluster;
  readonly #eventId: number;
  /** The match's partition of each topic, with its bounds at the opening. */
  readonly #logs: Readonly<Record<MatchTopic, TopicPartition & LogBounds>>;
  readonly #incidents = new Map<string, MatchIncident>();
  readonly #transitions: MatchTransition[] = [];

  private constructor(
    cluster: OpenCluster,
    eventId: number,
    logs: Readonly<Record<MatchTopic, TopicPartition & LogBounds>>,
  ) {
    this.#cluster = cluster;
    this.#eventId = eventId;
    this.#logs = logs;
    this.reader.assign([logs['match-state'].partition]);
  }

  /** Reads the state of a match, and its incidents unless `topics` leaves them out; null when it has no state. Rejects as `follow`. */
  static async read(
    cluster: OpenCluster,
    eventId: number,
    topics: readonly MatchTopic[] = ['match-state', 'match-incidents'],
  ): Promise<FollowedMatch | null> {
    const { brokers, prefix } = cluster;
    const names = MATCH_TOPICS.map((topic) => topicName(prefix, topic));
    const bounds = await topicBounds({ brokers, clientId: CLIENT_ID }, names);
    const logs = MATCH_TOPICS.map((topic, at) => {
      const all = bounds.filter((of) => of.topic === names[at]);
      const own = partitionOfKey(eventId, all.length);
      return [topic, all.find(({ partition }) => partition === own)];
    });
    const match = new FollowedMatch(cluster, eventId, Object.fromEntries(logs));
    await match.#follow(topics, ({ start }) => start, { untilEnd: true });
    return match.reader.state(eventId) === null ? null : match;
  }

  /** The state of the match; its guard is closed where an incident or a change shows that it lost versions. */
  get state(): MatchState {
    const state = this.reader.state(this.#eventId) as MatchState;
    const isDenied = [...this.#incidents.values(), ...this.#transitions].some((one) => wentBack(one, state));
    return isDenied && !state.guard.reasons.includes(WENT_BACK) ? inDoubt(state) : state;
  }

  get facts(): StoryFacts {
    return {
      state: this.state,
      incidents: [...this.#incidents.values()],
      transitions: this.#transitions,
    };
  }

  /** Returns what may be traded on the match now. */
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
    const { 'match-transitions': changes, 'match-state': states } = this.#logs;
    const first = await this.#firstChange();
    const unread = new Set(Object.values(this.#logs).map(partitionKey));
    await this.#follow(MATCH_TOPICS, (log) => (log === changes ? first : log.end), {
      idleMs: () => FRESHNESS_POLL_MS,
      signal,
      onUpToDate: (of, at) => {
        if (partitionKey(of) === partitionKey(states)) {
          this.reader.caughtUp(of.partition);
          this.reader.upToDate(of.partition, at);
        }
        if (unread.delete(partitionKey(of)) && unread.size === 0) onRead();
      },
    });
  }

  /** Returns the offset of the first change that a page needs: the log is long, and incidents tell when the match began. */
  async #firstChange(): Promise<number> {
    const log = this.#logs['match-transitions'];
    if (this.#incidents.size === 0) return log.end;
    const times = this.#incidents
      .values()
      .map(({ incident, cause }) => Math.min(cause.ut, incident?.ut ?? cause.ut));
    const time = Math.min(...times) * 1_000 - CLOCK_SKEW_MS;
    const offsets = await offsetsAt({ brokers: this.#cluster.brokers, topic: log.topic, time });
    return offsets.get(partitionKey(log)) ?? log.end;
  }

  /** Follows the match's partitions from these offsets, and other partitions from their ends. */
  #follow(
    topics: readonly MatchTopic[],
    offsetOf: (log: TopicPartition & LogBounds) => number,
    options: Omit<FollowOptions<MatchTopic>, 'isWanted' | 'onRecord'>,
  ): Promise<void> {
    const logs = topics.map((topic) => this.#logs[topic]);
    const isOwn = new RegExp(`^${this.#eventId}(/|$)`);
    return follow(topics, this.#cluster, {
      ...options,
      reader: CLIENT_ID,
      from: new Map(logs.map((log) => [partitionKey(log), offsetOf(log)])),
      otherwise: 'end',
      isWanted: ({ key }) => isOwn.test(String(key)),
      onRecord: ({ topic, value, partition }) => {
        if (value === null) return;
        if (topic === 'match-state') this.reader.applyState(partition, this.#eventId, value);
        else if (topic === 'match-incidents') this.#incidents.set(value.id, value);
        else {
          this.#transitions.push(value);
          this.reader.applyTransition(partition, value);
        }
      },
    });
  }
}

/** Returns the error of a command that names an unknown match. */
export function unknownEvent({ prefix }: OpenCluster, eventId: number): CommandError {
  return new CommandError(`event ${eventId} is unknown here: no topic under ${prefix} has it`);
}
