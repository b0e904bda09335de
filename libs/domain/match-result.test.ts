import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cause, Incident, MatchResult, NormalizedMessage } from '#topics/generated/types.ts';
import { applyMessage, matchIncident, matchResult, matchState, newMatch, restoreMatch } from './match.ts';
import { resultChanges, resultKey, type TableResult } from './match-result.ts';
import { histories } from './testing/arbitraries.ts';
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

function matchOf(...messages: NormalizedMessage[]) {
  const match = newMatch(EVENT_ID);
  for (const [offset, message] of messages.entries()) applyMessage(match, message, causeOf(message, offset));
  return match;
}

function resultOf(...messages: NormalizedMessage[]): TableResult {
  const result = matchResult(matchOf(...messages));
  if (result === null) throw new Error('no result');
  return result;
}

const event = (fields: Record<string, unknown> = {}, at = 0) => eventMessage(START + at, eventFields(fields));
const kickOff = incidentMessage(incident('5-1', 429));
const player = { subparticipant_id: 9, subparticipant_name: 'Nine' };

/** An incident whose body names people. */
function by(id: string, type: number, people: object, options: Partial<Incident> = {}): NormalizedMessage {
  const one = incident(id, type, options);
  return incidentMessage({ ...one, body: JSON.stringify({ ...JSON.parse(one.body), ...people }) });
}

const withResults = (home: Record<number, unknown>, away: Record<number, unknown>) =>
  participants().map((one, at) => ({
    ...(one as object),
    results: Object.entries(at === 0 ? home : away).map(([id, value]) => ({ id: Number(id), value })),
  }));

describe('the result of a match', () => {
  test('belongs to its group, under one key', () => {
    const result = resultOf(event({ group_id: 0, round_id: 3 }));
    expect(resultKey(result)).toBe(`6628/25528/76600/-/${EVENT_ID}`);
    expect(result).toMatchObject({ round_id: 3, status_type: 'live', group_id: null, score: null });
  });

  test.each([
    ['its season is not known', event({ season_id: null })],
    ['its competition is not known', event({ competition_id: 0 })],
    ['it is of another sport', event({ sport_id: 1 })],
    ['its status is deleted', event({ status_type: 'deleted' })],
    ['its item status is deleted', event({ item_status: 'deleted' })],
    ['it was deleted', event({ action: 'delete' })],
  ])('is none where %s', (_, message) => {
    expect(matchResult(matchOf(message))).toBeNull();
  });

  test('exists again once the event is reported after its delete, in any order', () => {
    const gone = eventMessage(START + 5, { action: 'delete' });
    expect(matchResult(matchOf(event(), gone))).toBeNull();
    expect(matchResult(matchOf(gone, event()))).toBeNull();
    expect(matchResult(matchOf(event(), gone, event({}, 9)))).not.toBeNull();
    expect(matchResult(matchOf(event({}, 9), gone, event()))).not.toBeNull();
  });

  test('has the goals that count, with their scorers, and the halves they fell in', () => {
    const result = resultOf(
      event(),
      kickOff,
      by('5-2', 413, { ...player, additional_info: { assistant_id: '8', assistant_name: 'Eight' } }),
      by('5-3', 423, player, { participant_id: HOME, event_status_id: 34 }),
      by('5-4', 421, {}, { participant_id: AWAY, event_status_id: 35 }),
      by('5-5', 413, player, { confirmation: 'cancelled' }),
      by('5-6', 413, player, { event_status_id: 141 }),
    );
    expect(result.score).toEqual({ home: 1, away: 2 });
    expect(result.first_half).toEqual({ home: 1, away: 0 });
    expect(result.second_half).toEqual({ home: 0, away: 1 });
    const nine = { id: 9, name: 'Nine' };
    expect(result.goals).toEqual([
      { kind: 'goal', team_id: HOME, player: nine, assistant: { id: 8, name: 'Eight' } },
      { kind: 'own_goal', team_id: HOME, player: nine, assistant: null },
      { kind: 'penalty', team_id: AWAY, player: null, assistant: null },
    ]);
  });

  test('has the provider’s halves where the timeline is incomplete, and its goals only where they add up', () => {
    const fields = { participants: withResults({ 2: 1, 4: 0, 5: 1 }, { 2: 0, 4: 0, 5: 0 }) };
    const goal = by('5-2', 413, player);
    const partial = resultOf(event(fields), goal);
    expect(partial.first_half).toEqual({ home: 0, away: 0 });
    expect(partial.goals).toHaveLength(1);
    expect(partial.cards).toBeNull();
    expect(resultOf(event(fields)).goals).toBeNull();
    expect(resultOf(event({ participants: participants(0, 0) })).goals).toEqual([]);
  });

  test('has the provider’s halves where the phase of a goal is unknown', () => {
    const fields = { participants: withResults({ 2: 1, 4: 1, 5: 0 }, { 2: 0, 4: 0, 5: 0 }) };
    const goal = by('5-2', 413, player, { event_status_id: null });
    expect(resultOf(event(fields), kickOff, goal).first_half).toEqual({ home: 1, away: 0 });
    expect(resultOf(event(), kickOff, goal).first_half).toBeNull();
  });

  test('is the reported one of an awarded match', () => {
    const awarded = event({ status_id: 12, status_type: 'finished', participants: participants(3, 0) });
    const result = resultOf(awarded, kickOff, by('5-2', 413, player, { participant_id: AWAY }));
    expect(result).toMatchObject({ score: { home: 3, away: 0 }, first_half: null, second_half: null });
  });

  test('has the cards that stand', () => {
    const deleted = incidentMessage(incident('5-4', 419, { ut: START + 1 }), { deleted: true });
    const result = resultOf(
      event(),
      kickOff,
      by('5-3', 418, player, { participant_id: AWAY }),
      by('5-2', 419, player),
      by('5-4', 419, player),
      deleted,
      by('5-5', 419, player, { confirmation: 'cancelled' }),
    );
    expect(result.cards).toEqual([
      { kind: 'yellow', team_id: HOME, player: { id: 9, name: 'Nine' } },
      { kind: 'red', team_id: AWAY, player: { id: 9, name: 'Nine' } },
    ]);
  });

  test('is the same after a restore', () => {
    const match = matchOf(
      event(),
      kickOff,
      by('5-2', 413, player),
      by('5-3', 419, player),
      snapshotMessage(START + 9, []),
    );
    const incidents = ['5-1', '5-2', '5-3'].map((id) => matchIncident(match, id));
    expect(matchResult(restoreMatch(matchState(match), incidents))).toEqual(matchResult(match));
  });
});

describe('the result flag of a message', () => {
  const resultFlag = (...messages: NormalizedMessage[]) => {
    const match = newMatch(EVENT_ID);
    return messages
      .map((message, offset) => applyMessage(match, message, causeOf(message, offset)).result)
      .at(-1);
  };

  test('is set wherever the result changes', () => {
    const later = incident('5-2', 413, { ut: START + 9, participant_id: AWAY });
    expect(resultFlag(event())).toBe(true);
    expect(resultFlag(event(), kickOff)).toBe(true);
    expect(resultFlag(event(), kickOff, by('5-2', 413, player))).toBe(true);
    expect(resultFlag(event(), kickOff, by('5-2', 413, player), incidentMessage(later))).toBe(true);
    const named = { subparticipant_id: 10, subparticipant_name: 'Ten' };
    expect(
      resultFlag(event(), kickOff, by('5-2', 413, player), by('5-2', 413, named, { ut: START + 9 })),
    ).toBe(true);
    expect(resultFlag(event(), kickOff, by('5-2', 419, player))).toBe(true);
    expect(resultFlag(event(), eventMessage(START + 5, { action: 'delete' }), event({}, 9))).toBe(true);
  });

  test('is set, or the result does not change', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const match = newMatch(EVENT_ID);
        applyMessage(match, event(), causeOf(event(), 0));
        for (const [offset, message] of history.entries()) {
          const before = matchResult(match);
          const { result } = applyMessage(match, message, causeOf(message, offset));
          if (!result) expect(matchResult(match)).toEqual(before);
        }
      }),
    );
  });

  test('is not set by play alone', () => {
    expect(resultFlag(event(), kickOff, incidentMessage(incident('5-2', 408)))).toBe(false);
    expect(resultFlag(event(), event({ clock_time: 9 }, 9))).toBe(false);
  });
});

describe('the records of a change', () => {
  const cause: Cause = { topic: 't', partition: 0, offset: 1, ut: 2, received_at: 3, message_id: 'm' };
  const stamp = { version: 7, cause };
  const changes = (before: TableResult | null, after: TableResult | null) =>
    resultChanges(before, after, stamp);
  const brief = ({ removed, group_id, version, home }: MatchResult) => ({
    removed,
    group_id,
    version,
    home: home?.id ?? null,
  });
  const inGroup = (group_id: number) => resultOf(event({ group_id }));

  test('are none where nothing changed', () => {
    expect(changes(null, null)).toEqual([]);
    expect(changes(inGroup(1), inGroup(1))).toEqual([]);
  });

  test('have the new result under the same key', () => {
    const after = resultOf(event({ group_id: 1, status_id: 34 }));
    expect(changes(inGroup(1), after)).toEqual([{ ...after, removed: false, ...stamp }]);
  });

  test('begin with a removal where the match moved to another group', () => {
    expect(changes(inGroup(1), inGroup(2)).map(brief)).toEqual([
      { removed: true, group_id: 1, version: 7, home: null },
      { removed: false, group_id: 2, version: 7, home: HOME },
    ]);
  });

  test('have a removal where the match no longer exists', () => {
    expect(changes(inGroup(1), null).map(brief)).toEqual([
      { removed: true, group_id: 1, version: 7, home: null },
    ]);
  });
});
