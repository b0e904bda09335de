import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cause, Incident, MatchResult, NormalizedMessage } from '#records/types.ts';
import { applyMessage, matchIncident, matchResult, matchState, newMatch, restoreMatch } from './match.ts';
import { halfScores, resultChanges, resultKey, type TableResult } from './match-result.ts';
import { histories } from './testing/arbitraries.ts';
import { sides } from './testing/goals.ts';
import {
  AWAY,
  causeOf,
  EVENT_ID,
  eventMessage,
  HOME,
  incident,
  incidentMessage,
  participants,
  START,
  snapshotMessage,
} from './testing/messages.ts';
import { by, event, kickOff, player, resultOf, withResults } from './testing/results.ts';
import { played } from './testing/spec.ts';

const goalAt = (phase: number | null, options: Partial<Incident> = {}) =>
  incidentMessage(incident('5-2', 413, { event_status_id: phase, ...options }));

describe('the result of a match', () => {
  test('belongs to its group, under one key', () => {
    const result = resultOf(event({ group_id: 0, round_id: 3 }));
    expect(resultKey(result)).toBe(`6628/25528/76600/-/${EVENT_ID}`);
    expect(resultKey({ ...result, stage_id: null, group_id: 7 })).toBe(`6628/25528/-/7/${EVENT_ID}`);
    expect(result).toMatchObject({ round_id: 3, status_type: 'live', group_id: null, score: null });
  });

  test.each([
    ['its season is not known', event({ season_id: null })],
    ['its competition is not known', event({ competition_id: 0 })],
    ['it is of another sport', event({ sport_id: 1 })],
    ['its status is deleted', event({ status_type: 'deleted' })],
    ['its item status is deleted', event({ item_status: 'deleted' })],
    ['it was deleted', event({ action: 'delete' })],
  ])('is null when %s', (_, message) => {
    expect(matchResult(played([message]))).toBeNull();
  });

  test('exists again once the event is reported after its delete, in any order', () => {
    const gone = eventMessage(START + 5, { action: 'delete' });
    expect(matchResult(played([event(), gone]))).toBeNull();
    expect(matchResult(played([gone, event()]))).toBeNull();
    expect(matchResult(played([event(), gone, event({}, 9)]))).not.toBeNull();
    expect(matchResult(played([event({}, 9), gone, event()]))).not.toBeNull();
  });

  const noOther = { secondary_assistant_id: null, secondary_assistant_name: null, other: {} };
  const noKeeper = { goalkeeper_id: null, goalkeeper_name: null };
  const info = { assistant_id: 8, assistant_name: 'Eight', ...noKeeper, ...noOther };

  test('has the goals that count, with their scorers, and the scores of their halves', () => {
    const result = resultOf(
      event(),
      kickOff,
      by('5-2', 413, { ...player, additional_info: info }),
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

  test('has the provider’s halves if the timeline is incomplete, and goals only if they add up to the score', () => {
    const fields = { participants: withResults({ 2: 1, 4: 0, 5: 1 }, { 2: 0, 4: 0, 5: 0 }) };
    const goal = by('5-2', 413, player);
    const partial = resultOf(event(fields), goal);
    expect(partial.first_half).toEqual({ home: 0, away: 0 });
    expect(partial.goals).toHaveLength(1);
    expect(partial.cards).toBeNull();
    expect(resultOf(event(), goal).first_half).toEqual({ home: 1, away: 0 });
    expect(resultOf(event(fields)).goals).toBeNull();
    expect(resultOf(event({ participants: participants(0, 0) })).goals).toEqual([]);
  });

  test('has the provider’s halves if the phase of a goal is unknown', () => {
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

  test('at the end has the reported score and halves, and still the goals, where these differ', () => {
    const over = { status_id: 11, status_type: 'finished' };
    const reported = withResults({ 2: 2, 4: 1, 5: 1 }, { 2: 0, 4: 0, 5: 0 });
    const goal = by('5-2', 413, player);
    const lost = resultOf(event({ ...over, participants: reported }), kickOff, goal);
    expect(lost).toMatchObject({
      score: { home: 2, away: 0 },
      first_half: { home: 1, away: 0 },
      second_half: { home: 1, away: 0 },
    });
    expect(lost.goals).toHaveLength(1);
    const agrees = withResults({ 2: 1, 4: 0, 5: 1 }, { 2: 0, 4: 0, 5: 0 });
    // The goals are the score, and tell the halves as while it lasted.
    const equal = resultOf(event({ ...over, participants: agrees }), kickOff, goal);
    expect(equal).toMatchObject({ score: { home: 1, away: 0 }, first_half: { home: 1, away: 0 } });
    const live = resultOf(event({ participants: reported }), kickOff, goal);
    expect(live).toMatchObject({ score: { home: 1, away: 0 }, first_half: { home: 1, away: 0 } });
  });

  test('has the provider’s result of the shoot-out once it is over, and the kicks before, which are no goals', () => {
    const results = withResults({ 2: 1, 7: 4 }, { 2: 1, 7: 3 });
    const kick = by('5-2', 413, player, { event_status_id: 141 });
    const live = event({ status_id: 141, status_type: 'live', participants: results });
    expect(resultOf(live, kickOff, kick)).toMatchObject({ shoot_out: { home: 1, away: 0 }, goals: [] });
    const over = event({ status_id: 143, status_type: 'finished', participants: results });
    expect(resultOf(over, kickOff, kick).shoot_out).toEqual({ home: 4, away: 3 });
  });

  test('has the cards that stand', () => {
    const deleted = incidentMessage(incident('5-4', 419, { ut: START + 1 }), { deleted: true });
    const result = resultOf(
      event(),
      kickOff,
      by('5-3', 418, player, { participant_id: AWAY }),
      by('5-2', 419, { subparticipant_name: 'A name alone' }),
      by('5-4', 419, player),
      deleted,
      by('5-5', 419, player, { confirmation: 'cancelled' }),
    );
    expect(result.cards).toEqual([
      { kind: 'yellow', team_id: HOME, player: null, attribute_ids: [] },
      { kind: 'red', team_id: AWAY, player: { id: 9, name: 'Nine' }, attribute_ids: [] },
    ]);
  });

  test('has the attributes of a card, ascending, without what is no id', () => {
    const card = by('5-3', 418, { attribute_ids: [20, 7, 0, 3] });
    expect(resultOf(event(), kickOff, card).cards).toMatchObject([{ attribute_ids: [3, 7, 20] }]);
  });

  test('is the same after a restore', () => {
    const timeline = [event(), kickOff, by('5-2', 413, player), by('5-3', 419, player)];
    const match = played([...timeline, snapshotMessage(START + 9, [])]);
    const incidents = ['5-1', '5-2', '5-3'].map((id) => matchIncident(match, id));
    expect(matchResult(restoreMatch(matchState(match), incidents))).toEqual(matchResult(match));
  });

  test.each<[string, unknown, object]>([
    ['first half', goalAt(33), { first_half: { home: 1, away: 0 }, second_half: { home: 0, away: 0 } }],
    ['second half', goalAt(34), { first_half: { home: 0, away: 0 }, second_half: { home: 1, away: 0 } }],
    ['extra time', goalAt(35), { first_half: { home: 0, away: 0 }, second_half: { home: 0, away: 0 } }],
    ['an unknown phase', goalAt(999), { first_half: null, second_half: null }],
  ])('counts a goal of the %s in its half', (_, goal, expected) => {
    expect(resultOf(event(), kickOff, goal as typeof kickOff)).toMatchObject(expected);
  });

  test('has no halves without a score, or a side of a goal', () => {
    const none = { coverage: 'complete', source: 'incidents', score: null, derived: null } as const;
    expect(halfScores(none, [], sides)).toBeNull();
    const one = { ...none, score: { home: 1, away: 0 }, derived: { home: 1, away: 0 } };
    expect(halfScores(one, [incident('5-2', 413, { participant_id: 9 })], sides)).toBeNull();
    const unscored = event({ participants: withResults({ 2: null, 4: 1, 5: 0 }, { 2: null, 4: 0, 5: 0 }) });
    expect(resultOf(unscored)).toMatchObject({ score: null, first_half: null, second_half: null });
  });

  test('has no goals without a score and a timeline', () => {
    expect(resultOf(event()).goals).toBeNull();
    expect(resultOf(event({ participants: [] }), by('5-2', 413, player)).goals).toBeNull();
  });

  test('leaves out a card that names no team, or is deleted before it is reported', () => {
    const unseen = incidentMessage(incident('5-4', 419), { deleted: true });
    expect(resultOf(event(), kickOff, unseen).cards).toEqual([]);
    const card = incidentMessage(incident('5-3', 419, { participant_id: null }));
    expect(resultOf(event(), kickOff, card).cards).toEqual([]);
  });

  test('exists without a status of the event', () => {
    const unknown = event({ status_id: undefined, status_type: undefined, relation_status: undefined });
    expect(resultOf(unknown)).toMatchObject({ status_id: null });
  });

  test('has the card of a message, whether the result was read before or not', () => {
    const match = newMatch(EVENT_ID);
    const cards = [event(), kickOff, incidentMessage(incident('5-3', 419))].map((message, offset) => {
      const { result } = applyMessage(match, message, causeOf(message, offset));
      return [result, matchResult(match)?.cards?.length];
    });
    expect(cards.flat()).toEqual([true, undefined, true, 0, true, 1]);
  });
});

describe('the result flag of a message', () => {
  const resultFlag = (...messages: NormalizedMessage[]) => {
    const match = newMatch(EVENT_ID);
    return messages
      .map((message, offset) => applyMessage(match, message, causeOf(message, offset)).result)
      .at(-1);
  };

  test('is set, or the result is unchanged', () => {
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

  test('is not set by incidents of play alone', () => {
    expect(resultFlag(event(), kickOff, incidentMessage(incident('5-2', 408)))).toBe(false);
    expect(resultFlag(event(), event({ clock_time: 9 }, 9))).toBe(false);
  });
});

const cause: Cause = { topic: 't', partition: 0, offset: 1, ut: 2, received_at: 3, message_id: 'm' };
const STAMP = { version: 7, cause };
const team = (id: number) => ({ id, name: 'Team', acronym: 'TEA', area_id: 5, area_name: 'England' });

/** Returns equal values in new objects each time. */
function result(): TableResult {
  return {
    event_id: 1,
    competition_id: 2,
    season_id: 3,
    stage_id: 4,
    group_id: 5,
    round_id: 6,
    start_date: '2026-08-15 15:00',
    kick_off: Date.UTC(2026, 7, 15, 15),
    status_id: 33,
    status_type: 'live',
    home: team(HOME),
    away: team(AWAY),
    score: { home: 1, away: 0 },
    first_half: { home: 1, away: 0 },
    second_half: { home: 0, away: 0 },
    goals: [{ kind: 'goal', team_id: HOME, player: { id: 9, name: 'N' }, assistant: { id: 8, name: 'E' } }],
    cards: [{ kind: 'yellow', team_id: AWAY, player: { id: 7, name: 'Seven' }, attribute_ids: [] }],
    shoot_out: null,
  };
}

describe('a result', () => {
  const before = result();

  test('equals one with equal values', () => {
    expect(resultChanges(before, result(), STAMP)).toEqual([]);
    const none = { home: null, score: null, goals: null, cards: null };
    expect(resultChanges({ ...result(), ...none }, { ...result(), ...none }, STAMP)).toEqual([]);
    const empty = () => ({ ...result(), goals: [], cards: [] });
    expect(resultChanges(empty(), empty(), STAMP)).toEqual([]);
  });

  test('is published again on request, and if there was none', () => {
    const record = { ...result(), removed: false, ...STAMP };
    expect(resultChanges(before, result(), STAMP, true)).toEqual([record]);
    expect(resultChanges(null, result(), STAMP)).toEqual([record]);
  });
});

describe('the records of a change', () => {
  const changes = (before: TableResult | null, after: TableResult | null) =>
    resultChanges(before, after, STAMP);
  const brief = ({ removed, group_id, version, home }: MatchResult) => ({
    removed,
    group_id,
    version,
    home: home?.id ?? null,
  });
  const GONE = { removed: true, group_id: 1, version: 7, home: null };
  const inGroup = (group_id: number) => resultOf(event({ group_id }));

  test('are none if nothing changed', () => {
    expect(changes(null, null)).toEqual([]);
    expect(changes(inGroup(1), inGroup(1))).toEqual([]);
  });

  test('have the new result under the same key', () => {
    const after = resultOf(event({ group_id: 1, status_id: 34 }));
    expect(changes(inGroup(1), after)).toEqual([{ ...after, removed: false, ...STAMP }]);
  });

  test('begin with a removal if the match moved to another group', () => {
    const moved = { removed: false, group_id: 2, version: 7, home: HOME };
    expect(changes(inGroup(1), inGroup(2)).map(brief)).toEqual([GONE, moved]);
  });

  test('have a removal if the match no longer exists', () => {
    expect(changes(inGroup(1), null).map(brief)).toEqual([GONE]);
  });
});
