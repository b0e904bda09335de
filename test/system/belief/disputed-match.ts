/** Plays a match whose story is disputed afterwards, and compares what surfaces tell of it with what the topics said at each second. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import type { FeedHealth, MatchState, TopicValues } from '#records/types.ts';
import { INCIDENT } from '#soccer/soccer.ts';
import type { Course } from '#story/course.ts';
import { scoreWords } from '#story/words.ts';
import type { TopicName } from '#topics/topics.ts';
import { HealthTable } from '#trading/feed-status.ts';
import { NO_HALTS } from '#trading/halts.ts';
import { tradingOf } from '#trading/trading.ts';
import type { MatchDetails } from '../../../services/api/board/match-details.ts';
import { connectionEnv } from '../../support/environment.ts';
import type { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { deliverSigned } from '../../support/system.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { LEVEL_IDS } from '../contract/fed.ts';

type Fields = Readonly<Record<string, unknown>>;
type Details = Omit<MatchDetails, 'course'> & { readonly course: Course };

const EVENT = 7_000_002;
const [HOME, AWAY] = [201, 202];
/** Interval of messages, milliseconds. */
const INTERVAL_MS = 1_000;
/** Duration of the outage after it was noticed, milliseconds. */
const OUTAGE_MS = 3_000;
/** How long before its receipt the provider wrote the goal of the outage, seconds: it counts as late. */
const LATE_S = 15;
const OVER = { status_id: 11, status_type: 'finished', clock_status: 'stopped' };

export type Dispute = {
  readonly pipeline: Pipeline;
  /** URL of the webhook receiver. */
  readonly webhookUrl: string;
  readonly apiUrl: string;
  /** A client of the tools. */
  readonly tools: Client;
};

/** Plays the match, and expects board, command line and tools to tell what the topics said at each second. */
export async function expectStoryOfTopics(dispute: Dispute): Promise<void> {
  const details = await play(dispute);
  const { course } = details;
  const states = await recordsOf(dispute.pipeline, 'match-state', ({ event_id }) => event_id === EVENT);
  const health = await recordsOf(dispute.pipeline, 'feed-health', isOfMatch);
  const delayMs = Math.max(...states.map(({ value, at }) => at - value.cause.received_at));
  const looks = looksOf(states, health);
  for (const look of looks) {
    const { at, score } = look;
    const near = nearTo(course, at, INTERVAL_MS + delayMs);
    const told = `at ${at}, within ${INTERVAL_MS + delayMs} ms: ${JSON.stringify(course)}`;
    const [guard, belief] = guardAndBelief(look);
    expect(near.guards, told).toContain(guard);
    if (belief !== null) expect(near.beliefs, told).toContain(belief);
    expect(near.scores, told).toContain(score);
  }
  const seen = looks.map(({ permission, reasons }) => [permission, ...reasons].join(' '));
  for (const kind of ['safe', 'halted under_review', 'halted feed_stale', 'not_in_play'])
    expect(seen).toContain(kind);
  await expectScoresOfTransitions(dispute.pipeline, course);
  expect(course.scores.map(({ score }) => score)).toEqual(['0–0', '1–0', '1–1', '1–0', '1–1']);
  const unfed = course.stretches.find(({ reasons }) => reasons.includes('feed_stale'));
  expect(course.scores.at(-1)?.at).toBeGreaterThanOrEqual(unfed?.from ?? Number.POSITIVE_INFINITY);
  expect(details.history.findLast(({ kind }) => kind === 'score')?.late).toBeGreaterThanOrEqual(LATE_S);
  await expectSameElsewhere(dispute, details);
}

/** Plays a goal under review, a cancelled goal, an outage and a goal that arrives late after it. Returns the page once the match is over. */
async function play({ webhookUrl, apiUrl }: Dispute): Promise<Details> {
  let messages = 0;
  const say = async (incident: Fields | null, fields: Fields = {}, late = 0): Promise<void> => {
    messages += 1;
    const head = { id: 2_000 + messages, ut: Math.floor(Date.now() / 1000) - late };
    const event = {
      ...LEVEL_IDS,
      id: EVENT,
      name: 'Left - Right',
      clock_time: messages,
      participants,
      ...fields,
    };
    const message = incident === null ? eventMessage(head, event) : incidentMessage(head, incident, event);
    expect((await deliverSigned(webhookUrl, [message])).status).toBe(200);
    await delay(INTERVAL_MS);
  };
  const shown = async (): Promise<Details> =>
    (await (await fetch(`${apiUrl}/board/matches/${EVENT}`)).json()) as Details;
  const clock = async (seconds: number): Promise<void> => {
    for (let n = 0; n < seconds; n += 1) await say(null);
  };
  await say(incident('5-01', INCIDENT.firstHalfStarted));
  await untilTrue('the match is believed', async () => {
    await say(null);
    return (await shown()).match?.feed.believed === true;
  });
  await say(incident('5-02', INCIDENT.goal, { participant_id: HOME, confirmation: 'tbd' }));
  await clock(2);
  await say(incident('5-02', INCIDENT.goal, { participant_id: HOME, action: 'update' }));
  await say(incident('5-03', INCIDENT.goal, { participant_id: AWAY }));
  await clock(2);
  await say(incident('5-04', INCIDENT.goalCancelled, { participant_id: AWAY, parent_id: '5-03' }));
  await clock(2);
  await untilTrue('the outage is noticed', async () => !(await shown()).match.feed.believed);
  await delay(OUTAGE_MS);
  await say(incident('5-05', INCIDENT.goal, { participant_id: AWAY }), {}, LATE_S);
  await clock(3);
  await say(incident('5-06', INCIDENT.finishedRegularTime), OVER);
  return until('the match is over', async () => {
    const details = await shown();
    return details.match.status_type === 'finished' ? details : undefined;
  });
}

const participants = [
  { id: HOME, counter: 1, name: 'Left', short_name: 'Left', acronym: 'LFT', stats: [] },
  { id: AWAY, counter: 2, name: 'Right', short_name: 'Right', acronym: 'RGT', stats: [] },
];

function incident(id: string, incident_id: number, changes: Fields = {}): Record<string, unknown> {
  return {
    id,
    action: 'insert',
    incident_id,
    incident_name: 'Incident',
    participant_id: null,
    participant_name: null,
    confirmation: 'confirmed',
    ...changes,
  };
}

/** A record with the time of its writing, Unix milliseconds. */
type Written<T> = { readonly value: T; readonly at: number };

/** Returns the records of a topic, in order. */
async function recordsOf<T extends TopicName>(
  pipeline: Pipeline,
  topic: T,
  isWanted: (value: TopicValues[T]) => boolean,
): Promise<Written<TopicValues[T]>[]> {
  const found: Written<TopicValues[T]>[] = [];
  await pipeline.read(topic, (value, at) => {
    if (isWanted(value)) found.push({ value, at });
  });
  return found;
}

const isOfMatch = ({ event_id }: FeedHealth): boolean => event_id === null || event_id === EVENT;

type Look = {
  readonly at: number;
  readonly permission: string;
  readonly reasons: readonly string[];
  readonly score: string;
};

/** Returns what a reader of the topics could know of the match at each second of it. */
function looksOf(states: readonly Written<MatchState>[], health: readonly Written<FeedHealth>[]): Look[] {
  const table = new HealthTable();
  const looks: Look[] = [];
  const last = (states.at(-1)?.at ?? 0) + INTERVAL_MS;
  let next = 0;
  for (let at = states[0]?.at ?? last; at <= last; at += INTERVAL_MS) {
    for (let one = health[next]; one !== undefined && one.at <= at; one = health[++next]) {
      const { source, event_id } = one.value;
      table.apply(event_id === null ? source : `${source}/${event_id}`, one.value, one.at);
    }
    const state = states.findLast((one) => one.at <= at)?.value;
    if (state === undefined) continue;
    const { permission, reasons } = tradingOf(state, table.match(EVENT, { wall: at, steady: at }), NO_HALTS);
    looks.push({ at, permission, reasons, score: scoreWords(state.score) });
  }
  return looks;
}

type Permitted = { readonly permission: string; readonly reasons: readonly string[] };

/**
 * Returns the guard and the belief in the feed, null out of play. Both are compared on their own: a reader has the match state after a
 * delay of its own, and may name another state of a feed that is not believed.
 */
function guardAndBelief({ permission, reasons }: Permitted): readonly [string, boolean | null] {
  if (permission === 'not_in_play') return [permission, null];
  const own = reasons.filter((reason) => !reason.startsWith('feed_'));
  return [own.join() || 'open', own.length === reasons.length];
}

/** Returns what the course tells of the time around a moment, `withinMs` before and after it. */
function nearTo({ from, to, stretches, scores }: Course, at: number, withinMs: number) {
  const [begin, end] = [at - withinMs, at + withinMs];
  const near = stretches
    .filter((stretch) => stretch.from <= end && begin < stretch.to)
    .map((stretch) => guardAndBelief(stretch));
  const isOutside = begin < from || to <= end;
  return {
    guards: [...near.map(([guard]) => guard), ...(isOutside ? ['not_in_play'] : [])],
    beliefs: near.map(([, belief]) => belief),
    scores: scores
      .filter((score, n) => score.at <= end && begin < (scores[n + 1]?.at ?? Number.POSITIVE_INFINITY))
      .map(({ score }) => score),
  };
}

/** Expects each score of the course to be a transition, from when its message was received. */
async function expectScoresOfTransitions(pipeline: Pipeline, { scores }: Course): Promise<void> {
  const transitions = await recordsOf(pipeline, 'match-transitions', ({ event_id }) => event_id === EVENT);
  const changed = transitions.flatMap(({ value: { kind, score, cause } }) =>
    kind === 'score_changed' && score !== null
      ? [{ at: cause.received_at, score: scoreWords(score.after) }]
      : [],
  );
  expect(scores).toEqual(changed);
}

/** Expects the page, the command line and the tools to tell the same story. */
async function expectSameElsewhere({ pipeline, apiUrl, tools }: Dispute, details: Details): Promise<void> {
  const page = await (await fetch(`${apiUrl}/match/${EVENT}`)).text();
  const clockOf = (ms: number): string => new Date(ms).toISOString().slice(11, 19);
  expect([...page.matchAll(/<title>(\S+ to \S+: \w+)/g)].map(([, bar]) => bar)).toEqual(
    details.course.stretches.map(({ from, to, permission }) =>
      [`${clockOf(from)} to ${clockOf(to)}:`, permission].join(' '),
    ),
  );
  const { out } = await touchlineHere(['match', String(EVENT), '--json'], connectionEnv(pipeline.connection));
  const { story } = JSON.parse(out) as { readonly story: Details['timeline'] };
  expect(story.map(({ id, void: why }) => [id, why])).toEqual(
    details.timeline.map(({ id, void: why }) => [id, why]),
  );
  const answer = await tools.callTool({ name: 'get_match', arguments: { match_id: EVENT } });
  const { timeline } = answer.structuredContent as {
    readonly timeline: readonly { readonly incident_id: string; readonly stands: boolean }[];
  };
  expect(timeline.map(({ incident_id, stands }) => [incident_id, stands])).toEqual(
    details.timeline.map(({ id, void: why }) => [id, why === null]),
  );
}
