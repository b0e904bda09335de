import { expect, test } from 'vitest';
import { applyMessage, newMatch } from '#domain/match.ts';
import {
  AWAY,
  absenceMessage,
  causeOf,
  EVENT_ID,
  eventFields,
  eventMessage,
  HOME,
  type IncidentOptions,
  incident,
  incidentMessage,
  participants,
  START,
  snapshotMessage,
} from '#domain/testing/messages.ts';
import type { Incident, MatchTransition, NormalizedMessage, Score } from '#records/types.ts';
import { KEY_INCIDENT } from '#topics/testing/match-samples.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { findingsOf } from './decide.ts';

const EMPTY = { score: null, value: null, incident_presence: null, goals: [], remaining: null };

const goalOf = (id: string) => ({ ...KEY_INCIDENT, id });

function kindsOf(kind: string, detail: Partial<MatchTransition>): string[] {
  const transition = { ...sampleOf('match-transitions'), ...EMPTY, kind, ...detail };
  return findingsOf(transition).map((finding) => finding.kind);
}

const AWARDED = { status_id: 12, status_type: 'finished' };

const score = (home: number, away: number) => ({ home, away });
const guard = (...reasons: string[]) => ({ safe: reasons.length === 0, reasons });

test.each([
  [score(0, 0), score(1, 0), ['goal']],
  [score(1, 0), score(1, 2), ['goal']],
  [score(1, 0), score(0, 1), ['goal']],
  [score(1, 0), score(0, 0), ['goal_cancelled']],
  [null, score(1, 0), []],
  [score(1, 0), null, []],
])('finds in a score from %j to %j: %j', (before, after, kinds) => {
  expect(kindsOf('score_changed', { score: { before, after } })).toEqual(kinds);
  expect(kindsOf('firm_score_changed', { score: { before, after } })).toEqual([]);
});

/** Of a change of the score: kind and incident of each finding, all with the scores of the change. */
test.each<[why: string, Partial<MatchTransition>, before: Score, after: Score, ...found: string[]]>([
  ['each goal', { goals: ['5-1', '5-2'].map(goalOf) }, score(0, 0), score(2, 0), 'goal 5-1', 'goal 5-2'],
  ['a goal without an incident', {}, score(0, 0), score(2, 0), 'goal'],
  [
    'no goal that the provider’s result counted before the first list named it',
    { goals: ['5-1', '5-2'].map(goalOf) },
    score(1, 0),
    score(2, 0),
    'goal 5-2',
  ],
  [
    'a cancelled goal',
    { kind: 'goal_cancelled', key_incident_before: goalOf('5-1') },
    score(1, 0),
    score(0, 0),
    'goal_cancelled 5-1',
  ],
  ['a goal that only the provider’s result no longer counts', {}, score(1, 0), score(0, 0), 'goal_cancelled'],
  [
    'nothing where the goal’s own transition says it',
    { remaining: { score: score(1, 0), cancelled: true } },
    score(1, 0),
    score(0, 0),
  ],
  ['no goal in a lower score', { goals: [goalOf('5-1')] }, score(2, 0), score(1, 0)],
])('finds %s, with the scores', (_, change, before, after, ...expected) => {
  const of = { ...sampleOf('match-transitions'), ...EMPTY, kind: 'score_changed', score: { before, after } };
  const found = findingsOf({ ...of, ...change });
  expect(found.map(({ kind, incident: one }) => [kind, one?.id].filter(Boolean).join(' '))).toEqual(expected);
  for (const one of found) expect(one).toMatchObject({ score_before: before, score: after });
});

test('finds a cancelled goal, whatever the score does', () => {
  expect(kindsOf('goal_cancelled', {})).toEqual(['goal_cancelled']);
});

const goal = (id: string, options: IncidentOptions = {}) => incident(id, 413, options);
const moved = { ut: START + 60, participant_id: AWAY };
const of = (...incidents: readonly Incident[]) => incidents.map((one) => incidentMessage(one));
const exchanged = [
  { id: AWAY, counter: 1 },
  { id: HOME, counter: 2 },
];
const finished = { status_id: 11, status_type: 'finished', participants: participants(1, 0) };

/** What is found: kind, incident, its team, and the scores before and after. */
test.each<[why: string, before: readonly NormalizedMessage[], NormalizedMessage, ...found: string[]]>([
  [
    'a goal that is corrected to the other team',
    of(goal('5-1')),
    incidentMessage(goal('5-1', moved)),
    'goal_cancelled 5-1 home 1-0 0-0',
    'goal 5-1 away 0-0 0-1',
  ],
  [
    'two goals, each corrected to the other team',
    of(goal('5-1'), goal('5-2', { participant_id: AWAY })),
    snapshotMessage(START + 60, [incident('5-0', 429), goal('5-1', moved), goal('5-2', { ut: START + 60 })]),
    'goal_cancelled 5-1 home 1-1 0-1',
    'goal_cancelled 5-2 away 0-1 0-0',
    'goal 5-1 away 0-0 1-1',
    'goal 5-2 home 0-0 1-1',
  ],
  [
    'a retaken penalty whose cancellation came first',
    of(incident('5-1', 421), incident('5-9', 424)),
    incidentMessage(incident('5-2', 421)),
    'goal_cancelled 5-2 home 0-0 0-0',
    'goal 5-1 home 0-0 1-0',
  ],
  ['sides that are exchanged', of(goal('5-1')), eventMessage(START + 60, { participants: exchanged })],
  [
    'an award without a result, which has no score until it is',
    of(goal('5-1')),
    eventMessage(START + 60, AWARDED),
    'final',
  ],
  [
    'the result of an award',
    [...of(goal('5-1')), eventMessage(START + 60, AWARDED)],
    eventMessage(START + 90, { ...AWARDED, participants: participants(0, 3) }),
  ],
  [
    'a finished match that the provider no longer has',
    [eventMessage(START + 60, finished)],
    absenceMessage(START + 90, { confirmed: true }),
    'final_withdrawn',
  ],
])('finds of %s what was taken back, then what counts', (_, before, message, ...expected) => {
  const match = newMatch(EVENT_ID);
  const opening = [eventMessage(START, eventFields()), incidentMessage(incident('5-0', 429)), ...before];
  opening.forEach((one, at) => void applyMessage(match, one, causeOf(one, at)));
  const found = applyMessage(match, message, causeOf(message, 9)).transitions.flatMap((transition) =>
    findingsOf(transition).filter(({ kind }) => /^(goal|final)/.test(kind)),
  );
  const text = (one: Score | null) => (one === null ? '' : `${one.home}-${one.away}`);
  const sides = new Map<unknown, string>([
    [HOME, 'home'],
    [AWAY, 'away'],
  ]);
  const shown = found.map(({ kind, incident: one, score_before, score: after }) =>
    [kind, one?.id, sides.get(one?.team_id), text(score_before), text(after)].filter(Boolean).join(' '),
  );
  expect(shown).toEqual(expected);
});

const CARD = incident('5-2', 418);
const YELLOW = incident('5-2', 419);
const later = (one: typeof CARD, change: Partial<typeof CARD>) => ({ ...one, ut: one.ut + 9, ...change });

test.each([
  ['added', [CARD], ['red_card']],
  ['added as cancelled', [incident('5-2', 418, { confirmation: 'cancelled' })], []],
  ['cancelled', [CARD, later(CARD, { confirmation: 'cancelled' })], ['red_card', 'red_card_cancelled']],
  ['confirmed', [incident('5-2', 418, { confirmation: 'tbd' }), later(CARD, {})], ['red_card']],
  ['a yellow one, amended to red', [YELLOW, later(YELLOW, { incident_id: 418 })], ['red_card']],
  ['amended to a yellow one', [CARD, later(CARD, { incident_id: 419 })], ['red_card', 'red_card_cancelled']],
  [
    'moved to the other team',
    [CARD, later(CARD, { participant_id: AWAY })],
    ['red_card', 'red_card_cancelled', 'red_card'],
  ],
])('follows a red card that is %s', (_, cards, kinds) => {
  const match = newMatch(EVENT_ID);
  const kickOff = eventMessage(START, eventFields());
  applyMessage(match, kickOff, causeOf(kickOff, 0));
  const found = cards.flatMap((card, at) => {
    const message = incidentMessage(card);
    const { transitions } = applyMessage(match, message, causeOf(message, at + 1));
    return transitions.flatMap((transition) => findingsOf(transition)).map(({ kind }) => kind);
  });
  expect(found.filter((kind) => kind.startsWith('red_card'))).toEqual(kinds);
});

test.each([
  ['34 live', '11 finished', ['final']],
  [null, '11 finished', ['final']],
  ['live', 'finished', ['final']],
  ['finished', '11 finished', []],
  // An abandoned match has no result until one is awarded.
  ['34 live', '7 finished', []],
  ['7 finished', '12 finished', ['final']],
  ['11 finished', '13 finished', []],
  ['11 finished', '34 live', ['final_withdrawn']],
  ['11 finished', '7 finished', ['final_withdrawn']],
  ['34 live', '9 live', []],
])('finds in a status from %s to %s: %j', (before, after, kinds) => {
  expect(kindsOf('status_changed', { value: { before, after } })).toEqual(kinds);
});

test.each<[before: readonly string[], after: readonly string[], kinds: readonly string[]]>([
  [[], ['game_break'], ['guard_closed']],
  [['game_break'], ['game_break', 'possible_var'], []],
  [['game_break'], [], ['guard_opened']],
  [[], ['score_differs'], ['guard_closed', 'score_differs']],
  [['game_break'], ['score_differs', 'game_break'], ['score_differs']],
  [['score_differs', 'game_break'], ['score_differs'], []],
  [['score_differs'], ['game_break'], ['score_agrees']],
  [['score_differs'], [], ['score_agrees', 'guard_opened']],
])('finds in a guard that was closed for %j and is for %j: %j', (before, after, kinds) => {
  const sample = sampleOf('match-transitions');
  const match = { ...sample.match, guard_before: guard(...before), guard: guard(...after) };
  const found = findingsOf({ ...sample, ...EMPTY, match, kind: 'guard_changed' });
  expect(found.map(({ kind }) => kind)).toEqual(kinds);
  expect(found.find(({ kind }) => kind === 'guard_opened')?.reasons ?? before).toEqual(before);
});
