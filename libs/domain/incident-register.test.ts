import { describe, expect, test } from 'vitest';
import type { Incident, NormalizedMessage } from '#records/types.ts';
import { outranks } from './incident-register.ts';
import { applyMessage, matchIncident, matchState, restoreMatch } from './match.ts';
import {
  AWAY,
  causeOf,
  eventFields,
  eventMessage,
  incident,
  incidentMessage,
  participants,
  START,
  snapshotMessage,
} from './testing/messages.ts';
import { given, played } from './testing/spec.ts';

const opening = eventMessage(START, eventFields());

const body = (ut: number, confirmation: string | null, note: string, message_id: number | null = null) =>
  incident('5-1', 413, { ut, confirmation, note, message_id });
/** A record that says nothing but its phase. */
const inPhase = (event_status_id: number | null) => ({ ...body(1, 'tbd', 'a'), event_status_id });

test.each<[wins: boolean, why: string, record: Incident, current: Incident]>([
  [true, 'it is later', body(2, null, 'a'), body(1, 'cancelled', 'b')],
  [false, 'it is earlier', body(1, 'cancelled', 'b'), body(2, null, 'a')],
  [true, 'cancelled > confirmed', body(1, 'cancelled', 'a'), body(1, 'confirmed', 'b')],
  [true, 'confirmed > tbd', body(1, 'confirmed', 'a'), body(1, 'tbd', 'b')],
  [true, 'tbd > null', body(1, 'tbd', 'a'), body(1, null, 'b')],
  [false, 'null < tbd', body(1, null, 'b'), body(1, 'tbd', 'a')],
  [true, 'its JSON is larger', body(1, 'tbd', 'b'), body(1, 'tbd', 'a')],
  [false, 'its JSON is smaller', body(1, 'tbd', 'a'), body(1, 'tbd', 'b')],
  [false, 'code units, not an alphabet', body(1, 'tbd', 'Z'), body(1, 'tbd', 'a')],
  [false, 'it is the same', body(1, 'tbd', 'a'), body(1, 'tbd', 'a')],
  [true, 'its message has the higher id', body(1, 'tbd', 'a', 10), body(1, 'tbd', 'b', 9)],
  [false, 'its message has the lower id', body(1, 'tbd', 'b', 9), body(1, 'tbd', 'a', 10)],
  [true, 'it is an entry of a list', body(1, 'tbd', 'a'), body(1, 'tbd', 'b', 9)],
  [false, 'the other is an entry of a list', body(1, 'tbd', 'b', 9), body(1, 'tbd', 'a')],
  [true, 'later, whatever the ids', body(2, 'tbd', 'a', 9), body(1, 'tbd', 'b', 10)],
  [true, 'stronger, whatever the ids', body(1, 'confirmed', 'a', 9), body(1, 'tbd', 'b', 10)],
  [true, 'stronger than an entry of a list', body(1, 'confirmed', 'a', 9), body(1, 'tbd', 'b')],
  [true, 'its JSON is larger, at equal ids', body(1, 'tbd', 'b', 9), body(1, 'tbd', 'a', 9)],
  [false, 'it is the same message', body(1, 'tbd', 'a', 9), body(1, 'tbd', 'a', 9)],
  [true, 'an equal body is read with the later phase', inPhase(16), inPhase(13)],
  [false, 'an equal body is read with the earlier phase', inPhase(13), inPhase(16)],
  [false, 'an equal body is read without a phase', inPhase(null), inPhase(13)],
])('a record wins over the stored one (law 1): %s: %s', (wins, _, record, current) => {
  expect(outranks(record, current)).toBe(wins);
});

describe('a delete', () => {
  const reported = incident('5-1', 413, { ut: START + 10 });

  test('leaves the body unchanged', () => {
    const later = incident('5-1', 413, { ut: START + 20, confirmation: 'cancelled' });
    const { incident: register } = given(incidentMessage(reported)).when(
      incidentMessage(later, { deleted: true }),
    );
    expect(register('5-1')).toMatchObject({ incident: reported, removed: true, deleted_at: START + 20 });
  });

  test('is stored with its latest time', () => {
    const early = incident('5-1', 413, { ut: START });
    const deleted = given(incidentMessage(reported), incidentMessage(reported, { deleted: true }));
    expect(deleted.when(incidentMessage(early, { deleted: true })).incidents).toEqual([]);
  });

  test('of an unknown incident is stored and is no tombstone', () => {
    const outcome = given().when(incidentMessage(reported, { deleted: true }));
    expect(outcome.incidents).toEqual(['5-1']);
    expect(outcome.incident('5-1')).toMatchObject({ incident: null, removed: false, deleted_at: START + 10 });
    expect(outcome.state).toMatchObject({ removed: [], coverage: 'none' });
  });

  test('removes an incident that is reported only after it', () => {
    const outcome = given(incidentMessage(reported, { deleted: true })).when(incidentMessage(reported));
    expect(outcome.kinds).toEqual(['incident_added', 'incident_removed', 'goal_cancelled']);
    expect(outcome.state.removed).toEqual(['5-1']);
  });
});

describe('a list', () => {
  const at = (seconds: number, incidents: readonly Incident[]) => snapshotMessage(START + seconds, incidents);
  const one = incident('5-1', 400, { ut: START });
  const two = incident('5-2', 413, { ut: START });
  const later = (id: string, seconds: number) => incident(id, 413, { ut: START + seconds });
  const both = [incidentMessage(one), incidentMessage(two)];

  const lags: [number, string, { missing?: boolean; removed?: boolean }][] = [
    [4, 'shows nothing', {}],
    [5, 'has it missing', { missing: true }],
    [74, 'has it missing', { missing: true }],
    [75, 'removes it', { removed: true }],
  ];
  test.each(lags)('%i s newer than an incident that it omits %s', (seconds, _, is) => {
    const { missing = false, removed = false } = is;
    const outcome = given(...both).when(at(seconds, [one]));
    expect(outcome.incident('5-2')).toMatchObject({ incident: two, removed, missing, listed_at: null });
    expect(outcome.state).toMatchObject({
      missing: missing ? ['5-2'] : [],
      removed: removed ? ['5-2'] : [],
      snapshot_at: START + seconds,
    });
  });

  test.each(lags)('%i s newer than the list that had an incident which it omits %s', (seconds, _, is) => {
    const presence = { missing: false, removed: false, ...is, listed_at: START + 300 };
    const listed = at(300, [one, two]);
    const outcome = given(...both, listed).when(at(300 + seconds, [one]));
    expect(outcome.incident('5-2')).toMatchObject(presence);
    // In the other order, the older list shows the sign of life.
    const reversed = given(...both, at(300 + seconds, [one])).when(listed);
    expect(reversed.incident('5-2')).toMatchObject(presence);
  });

  test('without any incident is evidence of nothing', () => {
    const outcome = given(...both).when(at(600, []));
    expect(outcome).toMatchObject({ kinds: [], incidents: [] });
    expect(outcome.state).toMatchObject({ removed: [], missing: [], snapshot_at: null, coverage: 'partial' });
  });

  test('without any incident still brings the deletes beside it', () => {
    const deleted = { ...at(600, []), deleted: [later('5-2', 500)] };
    const outcome = given(...both).when(deleted);
    expect(outcome.state).toMatchObject({ removed: ['5-2'], snapshot_at: null });
    expect(outcome.incident('5-2')).toMatchObject({ removed: true, deleted_at: START + 500 });
  });

  test('with a delete beside it removes the incident at once', () => {
    const outcome = given(...both).when({ ...at(6, [one]), deleted: [later('5-2', 6)] });
    expect(outcome.incident('5-2')).toMatchObject({ removed: true, missing: false });
    expect(outcome.state).toMatchObject({ removed: ['5-2'], missing: [] });
  });

  test('removes an incident that it omits for long, deleted before or not', () => {
    const early = incidentMessage(later('5-2', -1), { deleted: true });
    expect(given(...both, early).when(at(75, [one])).state.removed).toEqual(['5-2']);
  });

  test('ends the doubt when it has a missing incident again, or a later record of it arrives', () => {
    const missing = [...both, at(60, [one])];
    expect(given(...missing).state.missing).toEqual(['5-2']);
    expect(given(...missing).when(at(66, [one, two])).state.missing).toEqual([]);
    expect(given(...missing).when(incidentMessage(later('5-2', 56))).state.missing).toEqual([]);
    expect(given(...missing).when(incidentMessage(later('5-2', 55))).state.missing).toEqual(['5-2']);
  });

  test('settles the doubt when it is a later one that still omits the incident', () => {
    const outcome = given(...both, at(60, [one])).when(at(75, [one]));
    expect(outcome.state).toMatchObject({ missing: [], removed: ['5-2'] });
    expect(outcome.incidents).toEqual(['5-1', '5-2']);
  });

  test('changes no incident whose presence it does not change', () => {
    const recent = incident('5-3', 400, { ut: START + 98 });
    const outcome = given(...both, at(100, [one]), incidentMessage(recent)).when(at(101, [one]));
    expect(outcome.incidents).toEqual(['5-1']);
    expect(outcome.state.removed).toEqual(['5-2']);
  });

  test('of the same time as another adds to its list', () => {
    const outcome = given(...both, at(100, [one])).when(at(100, [two]));
    expect(outcome.state.removed).toEqual([]);
    expect(outcome.kinds[0]).toBe('incident_reinstated');
    expect(outcome.kinds.at(-1)).toBe('snapshot_applied');
  });

  test('that is older applies its bodies, but does not change which incidents are listed', () => {
    const amended = incident('5-2', 413, { ut: START + 30, note: 'amended' });
    const outcome = given(at(160, [one])).when(at(40, [amended]));
    expect(outcome.state).toMatchObject({ removed: ['5-2'], snapshot_at: START + 160 });
    expect(outcome.incident('5-2')).toMatchObject({ incident: amended, listed_at: START + 40 });
  });
});

test('the latest delete of an incident counts, in any order (law 3)', () => {
  const at = (ut: number) => incident('5-1', 413, { ut: START + ut });
  const [early, late] = [10, 30].map((ut) => incidentMessage(at(ut), { deleted: true }));
  const body = incidentMessage(at(20));
  const orders = [
    [early, body, late],
    [late, body, early],
    [early, late, body],
    [late, early, body],
  ];
  for (const history of orders) {
    const { state } = given(opening, ...history.map((message) => message as NormalizedMessage));
    expect(state.removed).toEqual(['5-1']);
  }
  expect(given(opening, body, early as NormalizedMessage).state.removed).toEqual([]);
});

describe('a result that contradicts the list (law 3)', () => {
  const first = incident('5-1', 413, { event_time: 60 });
  const second = incident('5-2', 413, { event_time: 1_800 });
  const list = (...incidents: readonly Incident[]) => snapshotMessage(START + 600, incidents);
  /** A message of the event that reports a result at most. */
  const result = (home?: number, away?: number, fields = {}) =>
    eventMessage(START + 700, { ...fields, participants: participants(home, away) });
  const named = incident('5-3', 424, { parent_id: '5-2' });
  const deleted = incidentMessage(incident('5-2', 413, { ut: START + 650 }), { deleted: true });
  type Case = readonly [
    why: string,
    known: readonly NormalizedMessage[],
    result: NormalizedMessage,
    is: { readonly missing?: string[]; readonly removed?: string[]; readonly score: number | null },
  ];
  const goals = [incidentMessage(first), incidentMessage(second)];

  const lags = [...goals, list(first)];
  const cancelled = [...goals, incidentMessage(named), list(first, second)];
  const moved = { removed: ['5-2'], score: 1 };
  test.each<Case>([
    ['has all goals', lags, result(2, 0), { missing: ['5-2'], score: 2 }],
    ['agrees with the list', lags, result(1, 0), moved],
    ['is unknown', lags, result(), moved],
    ['is neither', lags, result(7, 0), moved],
    ['is of one side', lags, result(2), moved],
    ['has all goals and a list that has them', [...goals, list(first, second)], result(2, 0), { score: 2 }],
    ['has all goals, but one was deleted', [...lags, deleted], result(2, 0), moved],
    [
      'is the score with and without what the list omits',
      [...goals, incidentMessage(incident('5-4', 400)), list(first, second)],
      result(2, 0),
      { removed: ['5-4'], score: 2 },
    ],
    ['has the score after an omitted cancellation', cancelled, result(1, 0), { missing: ['5-3'], score: 1 }],
    [
      'has the score without the omitted cancellation',
      cancelled,
      result(2, 0),
      { removed: ['5-3'], score: 2 },
    ],
    [
      'is the same with goal and cancellation omitted',
      [...goals, incidentMessage(named), list(first)],
      result(1, 0),
      { removed: ['5-2', '5-3'], score: 1 },
    ],
    ['is of another sport', lags, result(2, 0, { sport_id: 1 }), { removed: ['5-2'], score: 2 }],
  ])('%s, in any order', (_, known, message, { missing = [], removed = [], score }) => {
    for (const history of [
      [...known, message],
      [message, ...known],
      [message, ...known.toReversed()],
    ]) {
      const { state } = given(opening, ...history);
      expect(state).toMatchObject({ missing, removed });
      expect(state.score?.home ?? null).toBe(score);
    }
  });

  test('says the same after a restore, before any list could have removed an incident', () => {
    const opposite = incident('5-4', 413, { event_time: 1_800, participant_id: AWAY });
    const other = incident('5-9', 400);
    const known = [opening, result(1, 1), incidentMessage(first), incidentMessage(opposite)];
    const match = played([...known, snapshotMessage(START + 6, [other])]);
    const restored = restoreMatch(
      matchState(match),
      ['5-1', '5-4', '5-9'].map((id) => matchIncident(match, id)),
    );
    const next = snapshotMessage(START + 90, [first, other]);
    const effect = applyMessage(restored, next, causeOf(next, 9));
    expect(effect).toEqual(applyMessage(match, next, causeOf(next, 9)));
    expect(effect.incidents).toEqual(['5-1', '5-9']);
  });

  test('that begins with a list changes no incident that was missing before', () => {
    const other = incidentMessage(incident('5-3', 400));
    const known = [opening, result(2, 0), ...goals, other, snapshotMessage(START + 6, [first, second])];
    const outcome = given(...known).when(snapshotMessage(START + 90, [first]));
    const changed = ['incident_missing', 'firm_score_changed', 'snapshot_applied', 'guard_changed'];
    expect(outcome.kinds).toEqual(changed);
    expect(outcome.incidents).toEqual(['5-1', '5-2']);
  });

  test('that ends removes what the list omits, and one that begins brings it back', () => {
    const contradicted = [opening, ...lags, result(2, 0)];
    const agrees = eventMessage(START + 800, { participants: participants(1, 0) });
    const ends = given(...contradicted).when(agrees);
    expect(ends.state).toMatchObject({ missing: [], removed: ['5-2'], score: { home: 1, away: 0 } });
    expect(ends.kinds).toEqual([
      'incident_removed',
      'goal_cancelled',
      'score_changed',
      'event_amended',
      'guard_changed',
    ]);
    expect(ends.incidents).toEqual(['5-2']);
    const begins = given(opening, ...lags).when(result(2, 0));
    expect(begins.kinds).toEqual([
      'incident_reinstated',
      'incident_missing',
      'goal_reinstated',
      'score_changed',
      'event_amended',
      'guard_changed',
    ]);
    expect(begins.state).toMatchObject({
      score: { home: 2, away: 0 },
      firm: { home: 1, away: 0 },
      under_review: true,
      guard: { reasons: ['under_review', 'missing_from_list'] },
    });
  });

  test.each<[why: string, known: readonly NormalizedMessage[], NormalizedMessage]>([
    ['that goes on', [result(2, 0)], eventMessage(START + 900, { clock_time: 900 })],
    ['that ends', [result(2, 0)], eventMessage(START + 900, { participants: participants(1, 0) })],
    ['that begins', [], result(2, 0)],
  ])('%s is restored with the incidents', (_, known, message) => {
    const match = played([opening, ...lags, ...known]);
    const incidents = ['5-1', '5-2'].map((id) => matchIncident(match, id));
    const restored = restoreMatch(matchState(match), incidents);
    expect(matchState(restored)).toEqual(matchState(match));
    const [applied, again] = [match, restored].map((one) => applyMessage(one, message, causeOf(message, 9)));
    expect(again).toEqual(applied);
  });
});
