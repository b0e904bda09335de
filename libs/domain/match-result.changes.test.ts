/** Which difference of two results is a change, and what a result has in the cases at the edge. */
import { describe, expect, test } from 'vitest';
import type { Cause, Incident } from '#topics/generated/types.ts';
import { applyMessage, matchResult, newMatch } from './match.ts';
import { resultChanges, type TableResult } from './match-result.ts';
import {
  AWAY,
  causeOf,
  EVENT_ID,
  eventFields,
  eventMessage,
  HOME,
  incident,
  incidentMessage,
  participants,
  START,
  snapshotMessage,
} from './testing/messages.ts';
import { played } from './testing/spec.ts';

const cause: Cause = { topic: 't', partition: 0, offset: 1, ut: 2, received_at: 3, message_id: 'm' };
const team = (id: number) => ({ id, name: 'Team', acronym: 'TEA', area_id: 5, area_name: 'England' });

/** The same values in objects of their own each time. */
function result(): TableResult {
  return {
    event_id: 1,
    competition_id: 2,
    season_id: 3,
    stage_id: 4,
    group_id: 5,
    round_id: 6,
    start_date: '2026-08-15 15:00',
    status_id: 33,
    status_type: 'live',
    home: team(HOME),
    away: team(AWAY),
    score: { home: 1, away: 0 },
    first_half: { home: 1, away: 0 },
    second_half: { home: 0, away: 0 },
    goals: [
      { kind: 'goal', team_id: HOME, player: { id: 9, name: 'Nine' }, assistant: { id: 8, name: 'Eight' } },
    ],
    cards: [{ kind: 'yellow', team_id: AWAY, player: { id: 7, name: 'Seven' } }],
  };
}

describe('a result', () => {
  const [goal] = result().goals ?? [];
  const [card] = result().cards ?? [];
  if (goal === undefined || card === undefined) throw new Error('the result has a goal and a card');
  const before = result();
  const changed = (after: TableResult) => resultChanges(before, after, { version: 7, cause }).length > 0;

  test.each<Partial<TableResult>>([
    { round_id: 7 },
    { start_date: '2026-08-15 16:00' },
    { status_id: 34 },
    { status_type: 'finished' },
    { home: { ...team(HOME), area_name: null } },
    { home: null },
    { away: { ...team(AWAY), name: 'Away' } },
    { away: null },
    { score: { home: 2, away: 0 } },
    { score: null },
    { first_half: { home: 0, away: 0 } },
    { second_half: null },
    { goals: null },
    { goals: [] },
    { goals: [goal, goal] },
    { goals: [{ ...goal, kind: 'penalty' }] },
    { goals: [{ ...goal, team_id: AWAY }] },
    { goals: [{ ...goal, player: null }] },
    { goals: [{ ...goal, player: { id: 9, name: 'Neun' } }] },
    { goals: [{ ...goal, assistant: null }] },
    { goals: [{ ...goal, assistant: { id: 6, name: 'Eight' } }] },
    { cards: null },
    { cards: [] },
    { cards: [{ ...card, kind: 'red' }] },
    { cards: [{ ...card, team_id: HOME }] },
    { cards: [{ ...card, player: null }] },
    { cards: [card, card] },
  ])('is another one with %j', (one) => {
    expect(changed({ ...result(), ...one })).toBe(true);
    expect(resultChanges({ ...result(), ...one }, result(), { version: 7, cause })).toHaveLength(1);
  });

  test('is the same where all values are', () => {
    expect(changed(result())).toBe(false);
    const none = { home: null, score: null, goals: null, cards: null };
    expect(resultChanges({ ...result(), ...none }, { ...result(), ...none }, { version: 7, cause })).toEqual(
      [],
    );
    const noGoals = { goals: [], cards: [] };
    expect(
      resultChanges(
        { ...result(), ...noGoals },
        { ...result(), goals: [], cards: [] },
        { version: 7, cause },
      ),
    ).toEqual([]);
  });

  test('is published again where that is asked for, and where there was none', () => {
    const record = { ...result(), removed: false, version: 7, cause };
    expect(resultChanges(before, result(), { version: 7, cause }, true)).toEqual([record]);
    expect(resultChanges(null, result(), { version: 7, cause })).toEqual([record]);
  });
});

const event = (fields: Record<string, unknown> = {}) => eventMessage(START, eventFields(fields));
const kickOff = incidentMessage(incident('5-1', 429));
const goalAt = (phase: number | null, options: Partial<Incident> = {}) =>
  incidentMessage(incident('5-2', 413, { event_status_id: phase, ...options }));
const tableOf = (...messages: Parameters<typeof played>[0]) => matchResult(played(messages));
const halves = (home: unknown[], away: unknown[]) =>
  participants().map((one, at) => ({
    ...(one as object),
    results: (at === 0 ? home : away).map((value, n) => ({ id: [2, 4, 5][n], value })),
  }));

describe('the result of a match', () => {
  test.each<[string, unknown, object]>([
    ['first half', goalAt(33), { first_half: { home: 1, away: 0 }, second_half: { home: 0, away: 0 } }],
    ['second half', goalAt(34), { first_half: { home: 0, away: 0 }, second_half: { home: 1, away: 0 } }],
    ['extra time', goalAt(35), { first_half: { home: 0, away: 0 }, second_half: { home: 0, away: 0 } }],
    ['an unknown phase', goalAt(999), { first_half: null, second_half: null }],
  ])('has a goal of the %s where it fell', (_, goal, expected) => {
    expect(tableOf(event(), kickOff, goal as typeof kickOff)).toMatchObject(expected);
  });

  test('is that of its timeline where that is complete, whatever is reported', () => {
    const reported = event({ participants: participants(5, 0) });
    expect(tableOf(reported, kickOff, goalAt(33))?.score).toEqual({ home: 1, away: 0 });
    const awarded = event({ status_id: 12, status_type: 'finished' });
    expect(tableOf(awarded, kickOff, goalAt(33))?.score).toEqual({ home: 1, away: 0 });
  });

  test('has no halves while it has no score', () => {
    const unscored = event({ participants: halves([null, 1, 0], [null, 0, 0]) });
    expect(tableOf(unscored)).toMatchObject({ score: null, first_half: null, second_half: null });
  });

  test('has no goals where it has no score and no timeline', () => {
    expect(tableOf(event())?.goals).toBeNull();
  });

  test('leaves a card out that names no team, or is deleted before it is reported', () => {
    const unseen = incidentMessage(incident('5-4', 419), { deleted: true });
    expect(tableOf(event(), kickOff, unseen)?.cards).toEqual([]);
    const card = incidentMessage(incident('5-3', 419, { participant_id: null }));
    expect(tableOf(event(), kickOff, card)?.cards).toEqual([]);
  });

  test('exists where the event has no status', () => {
    const unknown = event({ status_id: undefined, status_type: undefined, relation_status: undefined });
    expect(tableOf(unknown)).toMatchObject({ status_id: null });
  });

  test('has the card of a message, read before it or not', () => {
    const match = newMatch(EVENT_ID);
    const cards = [event(), kickOff, incidentMessage(incident('5-3', 419))].map((message, offset) => {
      const { result } = applyMessage(match, message, causeOf(message, offset));
      return [result, matchResult(match)?.cards?.length];
    });
    expect(cards).toEqual([
      [true, undefined],
      [true, 0],
      [true, 1],
    ]);
  });

  test('is told to have changed by a list with a card among other incidents', () => {
    const match = played([event(), kickOff, snapshotMessage(START + 1, [incident('5-1', 429)])]);
    const list = ['5-1', '5-3', '5-4'].map((id, at) => incident(id, [429, 418, 400][at] ?? 0));
    const message = snapshotMessage(START + 60, list);
    expect(applyMessage(match, message, causeOf(message, 3)).result).toBe(true);
  });
});
