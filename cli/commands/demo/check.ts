/** Checks after the play: reads the topics from their beginning, read committed. */

import { hash } from 'node:crypto';
import { topicBounds } from '#cluster/logs.ts';
import { StreamError } from '#streams/errors.ts';
import { retry } from '#timing/retry.ts';
import type { MatchState, NormalizedMessage, Score } from '#topics/generated/types.ts';
import { readLatest, type TopicCluster } from '#topics/read-values.ts';
import { topicName } from '#topics/topics.ts';
import { finalScore, type GoalPair, type MatchFacts } from '../../../data/dataset.ts';
import type { Disallowing } from '../../../services/simulator/faults.ts';
import type { PlaySummary } from '../../../services/simulator/player.ts';
import type { OpenCluster } from '../../cluster.ts';
import { readEach } from '../../topic-reads.ts';
import { isFinished } from './progress.ts';
import type { WebhookFound } from './webhook.ts';

export type Found = Awaited<ReturnType<typeof findAll>>;

/** A match whose final state is not the official one. */
export type Mismatch = { readonly facts: MatchFacts; readonly state: MatchState | undefined };

/** How long a new partition may take to get its leader, in milliseconds. */
const LEADERS_WITHIN = 15_000;

export type Check = { readonly what: string; readonly holds: boolean };

/** One of them has records wherever a system was set up: those of deliveries expire, and clients come before the first one. */
const SIGNS_OF_USE = ['raw-messages', 'normalized-messages', 'match-state', 'clients'] as const;

/** Whether the topics of a place, which may have been made a moment ago, are in use by a system: a play would reach its clients. */
export async function isUsed({ brokers, prefix }: TopicCluster): Promise<boolean> {
  const topics = SIGNS_OF_USE.map((topic) => topicName(prefix, topic));
  const look = () => topicBounds({ brokers, clientId: 'touchline-demo' }, topics);
  // A new partition has no leader yet.
  const passes = (error: unknown): boolean => error instanceof StreamError;
  const bounds = await retry(look, { firstMs: 100, ceilingMs: 100, deadlineMs: LEADERS_WITHIN, passes });
  return bounds.some(({ start, end }) => end > start);
}

/** Reads the topics that hold the outcome. */
export async function findAll(cluster: OpenCluster) {
  const messages = new Set<string>();
  const transitions = new Set<string>();
  let arrived = 0;
  let seen = 0;
  const [states, tables, letters] = await Promise.all([
    readLatest('match-state', cluster),
    readLatest('standings', cluster),
    readLatest('dead-letters', cluster),
    readEach(cluster, 'normalized-messages', (message) => {
      if (message.origin !== 'webhook') return;
      arrived++;
      messages.add(identityOf(message));
    }),
    readEach(cluster, 'match-transitions', ({ id }) => {
      seen++;
      transitions.add(id);
    }),
  ]);
  return {
    states: new Map(Array.from(states.values(), (state) => [state.event_id, state])),
    /** Records of normalized-messages that came by webhook, and how many of them are different messages. */
    arrived,
    messages: messages.size,
    deadLetters: letters.size,
    transitions: seen,
    /** How often match-transitions holds an id more than once. */
    repeatedTransitions: seen - transitions.size,
    tables: [...tables.values()],
  };
}

/** The matches that are missing, not over, or not as they officially ended. */
export function mismatches(matches: readonly MatchFacts[], found: Found): Mismatch[] {
  return matches
    .map((facts) => ({ facts, state: found.states.get(facts.id) }))
    .filter(({ facts, state }) => state === undefined || !isFinished(state) || !isOfficial(state, facts));
}

/** Whether a state has the official score, and the official shoot-out where there was one. */
function isOfficial(state: MatchState, facts: MatchFacts): boolean {
  const is = (score: Score | null, official: GoalPair | undefined): boolean =>
    official === undefined ? score === null : score?.home === official[0] && score.away === official[1];
  return (
    is(state.score, finalScore(facts)) && is(state.firm, finalScore(facts)) && is(state.shoot_out, facts.pens)
  );
}

/** Compares the topics with what was sent, check by check. */
export function checksOf(summary: PlaySummary, found: Found): Check[] {
  const { forged } = summary;
  const expected = expectedVoidsOf(summary);
  const seen = voidsOf(found);
  return [
    allOf('every message that was accepted is there', found.messages, summary.messages),
    {
      what: `every transition is published once: ${found.transitions}, each with an id of its own`,
      holds: found.repeatedTransitions === 0,
    },
    {
      what: `every goal that was disallowed is void, and no other: ${sum(seen)} of ${sum(expected)}`,
      holds: (Object.keys(expected) as VoidReason[]).every((reason) => expected[reason] === seen[reason]),
    },
    allOf('every forged signature was refused', forged.refused, forged.refused + forged.accepted),
    allOf('every unreadable body is a dead letter', found.deadLetters, sum(summary.malformed)),
  ];
}

/** That so many are all that there should be. */
export function allOf(what: string, count: number, all: number): Check {
  return { what: `${what}: ${count} of ${all}`, holds: count === all };
}

/** Whether the webhook of the demonstration received every goal and every cancellation. */
export function checkWebhook({ goals, disallowed, differing }: WebhookFound): Check {
  return {
    what: `a client’s webhook knows every goal and every cancellation: ${goals} goals, ${disallowed} disallowed`,
    holds: differing === 0,
  };
}

/** Why a goal is void in match-state. */
export type VoidReason = 'cancelled' | 'removed' | 'goal_cancelled';

const WAY_SHOWS: Readonly<Record<Disallowing, VoidReason>> = {
  rejected: 'cancelled',
  cancelled: 'cancelled',
  deleted: 'removed',
  goal_cancelled: 'goal_cancelled',
  goal_cancelled_child: 'goal_cancelled',
  // Of all ways at once, match-state reports the removal first.
  every_way: 'removed',
};

/** Number of void goals in match-state, by reason. */
export function voidsOf({ states }: Found): Record<VoidReason, number> {
  const voids: Record<VoidReason, number> = { cancelled: 0, removed: 0, goal_cancelled: 0 };
  for (const { void_goals } of states.values())
    for (const why of Object.values(void_goals)) voids[why as VoidReason]++;
  return voids;
}

function expectedVoidsOf({ invented }: PlaySummary): Record<VoidReason, number> {
  const voids: Record<VoidReason, number> = { cancelled: 0, removed: 0, goal_cancelled: 0 };
  for (const [way, reason] of Object.entries(WAY_SHOWS)) voids[reason] += invented[way as Disallowing] ?? 0;
  return voids;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Identity of a message: everything except its delivery and receive time. */
function identityOf({
  delivery_id: _delivery,
  received_at: _received,
  ...message
}: NormalizedMessage): string {
  return hash('sha1', JSON.stringify(message));
}

/** A score and a shoot-out as text. */
export function resultText(score: GoalPair | null, pens: GoalPair | null): string {
  const pair = (goals: GoalPair): string => `${goals[0]}-${goals[1]}`;
  if (score === null) return '?-?';
  return pens === null ? pair(score) : `${pair(score)} (${pair(pens)} on penalties)`;
}

/** The official result as text. */
export function officialText(facts: MatchFacts): string {
  return resultText(finalScore(facts), facts.pens ?? null);
}
