import { describe, expect, test } from 'vitest';
import type { Incident, NormalizedMessage } from '#records/types.ts';
import { outranks } from './incident-register.ts';
import {
  eventFields,
  eventMessage,
  incident,
  incidentMessage,
  participants,
  START,
  snapshotMessage,
} from './testing/messages.ts';
import { given } from './testing/spec.ts';

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
      'is the score with and without the omitted',
      [...goals, incidentMessage(incident('5-4', 400)), list(first, second)],
      result(2, 0),
      { removed: ['5-4'], score: 2 },
    ],
    ['has the score after an omitted cancellation', cancelled, result(1, 0), { missing: ['5-3'], score: 1 }],
    ['has the score without the cancellation', cancelled, result(2, 0), { removed: ['5-3'], score: 2 }],
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

  test('that ends removes what the list omits, and one that begins brings it back', () => {
    const contradicted = [opening, ...lags, result(2, 0)];
    const agrees = eventMessage(START + 800, { participants: participants(1, 0) });
    const ends = given(...contradicted).when(agrees);
    expect(ends.state).toMatchObject({ missing: [], removed: ['5-2'], score: { home: 1, away: 0 } });
    expect(ends.kinds).toEqual(
      'incident_removed goal_cancelled score_changed event_amended guard_changed'.split(' '),
    );
    expect(ends.incidents).toEqual(['5-2']);
    const begins = given(opening, ...lags).when(result(2, 0));
    expect(begins.kinds).toEqual(
      'incident_reinstated incident_missing goal_reinstated score_changed event_amended guard_changed'.split(
        ' ',
      ),
    );
    expect(begins.state).toMatchObject({
      score: { home: 2, away: 0 },
      firm: { home: 1, away: 0 },
      under_review: true,
      guard: { reasons: ['under_review', 'missing_from_list'] },
    });
  });
});
