/** Which difference of two results is a change, and which records it publishes. */
import { describe, expect, test } from 'vitest';
import type { Cause, MatchResult } from '#records/types.ts';
import { resultChanges, type TableResult } from './match-result.ts';
import { AWAY, HOME } from './testing/messages.ts';
import { event, resultOf } from './testing/results.ts';

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
  const [goal] = result().goals ?? [];
  const [card] = result().cards ?? [];
  if (goal === undefined || card === undefined) throw new Error('the result has a goal and a card');
  const before = result();
  const changed = (after: TableResult) => resultChanges(before, after, STAMP).length > 0;

  test('equals one with equal values', () => {
    expect(changed(result())).toBe(false);
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
