/** Compares what the topics hold after the play, read committed, with the official results. */
import { topicBounds } from '#cluster/logs.ts';
import type { MatchState, Score } from '#records/types.ts';
import { StreamError } from '#streams/errors.ts';
import { retry } from '#timing/retry.ts';
import { findTopics } from '#topics/admin.ts';
import { TopicAdminError } from '#topics/errors.ts';
import { readLatest, type TopicCluster } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import { finalScore, type GoalPair, type MatchFacts } from '../../../data/dataset.ts';
import type { OpenCluster } from '../../cluster.ts';
import { isFinished } from './progress.ts';

/** What the topics hold after the play: match states by event id, and tables. */
export type PlayOutcome = Awaited<ReturnType<typeof readOutcome>>;

/** A match whose final state is not the official one; `state` is undefined when it is missing. */
export type Mismatch = { readonly facts: MatchFacts; readonly state: MatchState | undefined };

/** Timeout for a new partition without a leader. */
const LEADER_TIMEOUT_MS = 15_000;

/** In a system that was set up, at least one of these topics has records: deliveries expire, clients do not. */
const USED_TOPICS = ['raw-messages', 'normalized-messages', 'match-state', 'clients'] as const;

/**
 * Whether a system uses the topics of a prefix, as far as these exist: a play would then reach its clients. Rejects with `StreamError`,
 * `TopicAdminError`.
 */
export async function isInUse({ brokers, prefix }: TopicCluster): Promise<boolean> {
  const readBounds = async () => {
    const found = await findTopics({ brokers, prefix });
    const topics = USED_TOPICS.filter((topic) => found.has(topic)).map((topic) => topicName(prefix, topic));
    return topicBounds({ brokers, clientId: 'touchline-demo' }, topics);
  };
  // A new broker does not answer yet, and a new partition has no leader.
  const passes = (error: unknown): boolean =>
    error instanceof StreamError || error instanceof TopicAdminError;
  const bounds = await retry(readBounds, {
    firstMs: 100,
    ceilingMs: 100,
    deadlineMs: LEADER_TIMEOUT_MS,
    passes,
  });
  return bounds.some(({ start, end }) => end > start);
}

/** Reads the topics that hold the outcome. Rejects as `follow`. */
export async function readOutcome(cluster: OpenCluster) {
  const [states, tables] = await Promise.all([
    readLatest('match-state', cluster),
    readLatest('standings', cluster),
  ]);
  return {
    states: new Map(Array.from(states.values(), (state) => [state.event_id, state])),
    tables: [...tables.values()],
  };
}

/** Returns the matches that are missing, not finished, or without the official result. */
export function mismatches(
  matches: readonly MatchFacts[],
  { states }: Pick<PlayOutcome, 'states'>,
): Mismatch[] {
  return matches
    .map((facts) => ({ facts, state: states.get(facts.id) }))
    .filter(({ facts, state }) => state === undefined || !isFinished(state) || !isOfficial(state, facts));
}

/** Whether a state has the official score and the official shoot-out, if any. */
function isOfficial(state: MatchState, facts: MatchFacts): boolean {
  const is = (score: Score | null, official: GoalPair | undefined): boolean =>
    official === undefined ? score === null : score?.home === official[0] && score.away === official[1];
  return (
    is(state.score, finalScore(facts)) && is(state.firm, finalScore(facts)) && is(state.shoot_out, facts.pens)
  );
}

/** Returns a score and a shoot-out as text. */
export function resultText(score: GoalPair | null, pens: GoalPair | null): string {
  const pair = (goals: GoalPair): string => `${goals[0]}-${goals[1]}`;
  if (score === null) return '?-?';
  return pens === null ? pair(score) : `${pair(score)} (${pair(pens)} on penalties)`;
}

/** Returns the official result as text. */
export function officialText(facts: MatchFacts): string {
  return resultText(finalScore(facts), facts.pens ?? null);
}
