/** Checks the topics after the play, read committed from their beginning. */
import { hash } from 'node:crypto';
import { topicBounds } from '#cluster/logs.ts';
import type { MatchState, NormalizedMessage, Score } from '#records/types.ts';
import { StreamError } from '#streams/errors.ts';
import { retry } from '#timing/retry.ts';
import { findTopics } from '#topics/admin.ts';
import { TopicAdminError } from '#topics/errors.ts';
import { follow, readLatest, type TopicCluster } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import { finalScore, type GoalPair, type MatchFacts } from '../../../data/dataset.ts';
import {
  CONTENT_FAULTS,
  DELIVERY_FAULTS,
  type Disallowing,
  FAULT_NAMES,
  type Fault,
  parseFaults,
} from '../../../services/simulator/faults.ts';
import type { PlaySummary } from '../../../services/simulator/player.ts';
import { LIST_FAULTS, listFaultsOf, parseRestFaults } from '../../../services/simulator/rest/faults.ts';
import type { SimulationSummary } from '../../../services/simulator/simulate.ts';
import type { OpenCluster } from '../../cluster.ts';
import { isFinished } from './progress.ts';
import type { ReceivedWebhooks } from './webhook.ts';

/** What the topics hold after the play. */
export type PlayOutcome = Awaited<ReturnType<typeof readOutcome>>;

/** A match whose final state is not the official one; `state` is undefined when it is missing. */
export type Mismatch = { readonly facts: MatchFacts; readonly state: MatchState | undefined };

/** Timeout for a new partition without a leader. */
const LEADER_TIMEOUT_MS = 15_000;

/** A check of the outcome: the sentence that should hold, and whether it does. */
export type DemoCheck = { readonly what: string; readonly holds: boolean };

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

/** Reads the topics that hold the outcome. Rejects with `StreamError`, `DecodeError`. */
export async function readOutcome(cluster: OpenCluster) {
  const messages = new Set<string>();
  const transitions = new Set<string>();
  const ahead = new Set<string>();
  let arrived = 0;
  let seen = 0;
  const [states, tables, letters] = await Promise.all([
    readLatest('match-state', cluster),
    readLatest('standings', cluster),
    readLatest('dead-letters', cluster),
    follow(['normalized-messages', 'match-transitions'], cluster, {
      untilEnd: true,
      onRecord({ topic, value }) {
        if (value === null) return;
        if (topic === 'match-transitions') {
          seen++;
          transitions.add(value.id);
        } else if (value.origin === 'webhook') {
          arrived++;
          const identity = identityOf(value);
          messages.add(identity);
          if (value.unread.includes('incident.ut')) ahead.add(identity);
        }
      },
    }),
  ]);
  return {
    states: new Map(Array.from(states.values(), (state) => [state.event_id, state])),
    /** Records of normalized-messages that came by webhook. */
    arrived,
    /** Different messages among them. */
    messages: messages.size,
    /** Different messages whose incident is stamped by a clock that is ahead. */
    ahead: ahead.size,
    deadLetters: letters.size,
    transitions: seen,
    /** Records of match-transitions whose id an earlier record has. */
    repeatedTransitions: seen - transitions.size,
    tables: [...tables.values()],
  };
}

/** Returns the matches that are missing, not finished, or without the official result. */
export function mismatches(matches: readonly MatchFacts[], found: PlayOutcome): Mismatch[] {
  return matches
    .map((facts) => ({ facts, state: found.states.get(facts.id) }))
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

/** Compares the outcome with what the simulator sent. */
export function checksOf(summary: PlaySummary, found: PlayOutcome): DemoCheck[] {
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
    allOf(
      'every time of a clock ahead is recognized as wrong',
      found.ahead,
      summary.invented.stamped_ahead ?? 0,
    ),
    allOf('every unreadable body is a dead letter', found.deadLetters, sum(summary.malformed)),
  ];
}

/** The totals of a play by webhooks and REST. */
export type DemoSummary = PlaySummary & Pick<SimulationSummary, 'rest'>;

/** Number of expected injections of a fault from which it must have occurred; fewer may be none. */
const CERTAIN = 4;
/** Number of lists of live events from which each fault of lists must have occurred: a slow machine reads fewer. */
const CERTAIN_LISTS = 10;

/** Counts the injections by fault, and checks that each fault of the setting occurred: none holds untested. */
export function checkFaults(setting: string, summary: DemoSummary): DemoCheck {
  const rates = parseFaults(setting);
  const listRates = parseRestFaults(listFaultsOf(setting));
  const { matches, deliveries, rest } = summary;
  const liveLists = rest?.liveLists ?? 0;
  const isDue = (fault: Fault): boolean =>
    rates[fault] * (fault in DELIVERY_FAULTS ? deliveries : matches) >= CERTAIN;
  const due = [
    ...FAULT_NAMES.filter(isDue),
    ...LIST_FAULTS.filter((fault) => liveLists >= CERTAIN_LISTS && listRates[fault] > 0),
  ];
  const counts = faultCounts(summary);
  const absent = due.filter((fault) => (counts[fault] ?? 0) === 0);
  const few = Object.values(listRates).some((rate) => rate > 0) && liveLists < CERTAIN_LISTS;
  const suffix =
    (absent.length === 0 ? '' : `, not ${absent.join(', ')}`) +
    (few ? ` (faults of lists need more than the ${liveLists} lists of live matches that were read)` : '');
  return {
    what: `every kind of fault occurred: ${due.length - absent.length} of ${due.length} kinds${suffix}`,
    holds: absent.length === 0,
  };
}

/** Returns the number of injections of each fault: of deliveries, content and lists. */
export function faultCounts({ faults, invented, rest }: DemoSummary): Readonly<Record<string, number>> {
  const content = Object.keys(CONTENT_FAULTS) as (keyof typeof CONTENT_FAULTS)[];
  return {
    ...faults,
    ...Object.fromEntries(content.map((fault) => [fault, invented[fault] ?? 0])),
    ...rest?.faults,
  };
}

/** Returns the check that `count` equals `all`. */
export function allOf(what: string, count: number, all: number): DemoCheck {
  return { what: `${what}: ${count} of ${all}`, holds: count === all };
}

/** Returns the check that the webhook received every goal and every cancellation. */
export function checkWebhook({ goals, disallowed, differing }: ReceivedWebhooks): DemoCheck {
  return {
    what: `a client’s webhook knows every goal and every cancellation: ${goals} goals, ${disallowed} disallowed`,
    holds: differing === 0,
  };
}

/** The reason why match-state voids a goal. */
export type VoidReason = 'cancelled' | 'removed' | 'goal_cancelled';

/** The reason that match-state shows for each way in which the simulator disallows a goal. */
const REASONS: Readonly<Record<Disallowing, VoidReason>> = {
  rejected: 'cancelled',
  cancelled: 'cancelled',
  deleted: 'removed',
  goal_cancelled: 'goal_cancelled',
  goal_cancelled_child: 'goal_cancelled',
  goal_cancelled_twice: 'goal_cancelled',
  // Of several reasons, match-state shows the removal.
  every_way: 'removed',
};

/** Counts the void goals of match-state by reason. */
export function voidsOf({ states }: PlayOutcome): Record<VoidReason, number> {
  const voids: Record<VoidReason, number> = { cancelled: 0, removed: 0, goal_cancelled: 0 };
  for (const { void_goals } of states.values())
    for (const why of Object.values(void_goals)) voids[why as VoidReason]++;
  return voids;
}

function expectedVoidsOf({ invented }: PlaySummary): Record<VoidReason, number> {
  const voids: Record<VoidReason, number> = { cancelled: 0, removed: 0, goal_cancelled: 0 };
  for (const [way, reason] of Object.entries(REASONS)) voids[reason] += invented[way as Disallowing] ?? 0;
  return voids;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Returns a digest of a message without its delivery and time of receipt. */
function identityOf({
  delivery_id: _delivery,
  received_at: _received,
  ...message
}: NormalizedMessage): string {
  return hash('sha1', JSON.stringify(message));
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
