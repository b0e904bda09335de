import { describe, expect, test } from 'vitest';
import type { HealthRecord, Now } from '../trading/feed-status.ts';
import { MatchReader } from './match-reader.ts';
import type { MatchStateRecord, TransitionRecord } from './records.ts';

const EVENT = 2_429_281;
const NOW: Now = { wall: 1_000_000, steady: 5_000 };

function state(version: number, change: Partial<MatchStateRecord> = {}): MatchStateRecord {
  return {
    event_id: EVENT,
    competition_id: 9,
    version,
    status_type: 'live',
    score: { home: 0, away: 0 },
    firm: { home: 0, away: 0 },
    counting_goals: [],
    void_goals: {},
    guard: { safe: true, reasons: [] },
    home: { id: 10 },
    away: { id: 20 },
    cause: { offset: version },
    key_incidents: [],
    ...change,
  };
}

function transition(
  version: number,
  n = 0,
  kind = 'event_amended',
  goal: string | null = null,
  score: TransitionRecord['score'] = null,
): TransitionRecord {
  return { event_id: EVENT, version, n, kind, incident_id: goal, score };
}

function health(change: Partial<HealthRecord> = {}): HealthRecord {
  return {
    source: 'feed',
    event_id: null,
    state: 'alive',
    reason: null,
    since: 1,
    delay: null,
    heard_at: null,
    clock_runs: true,
    clock_since: null,
    term: 1,
    valid_until: NOW.wall + 1,
    written_at: NOW.wall - 1_000,
    ...change,
  };
}

/** Returns a reader of partition 0 that has caught up with these states. */
function reading(...states: MatchStateRecord[]): MatchReader {
  const reader = new MatchReader();
  reader.assign([0]);
  for (const one of states) reader.applyState(0, EVENT, one);
  reader.caughtUp(0);
  reader.endsAt(0, 0, NOW.steady);
  reader.haltsEndAt(0, NOW.steady);
  return reader;
}

/** Feeds that are alive. */
function believed(reader: MatchReader): MatchReader {
  reader.applyHealth('feed', health(), NOW.steady);
  reader.applyHealth(`feed/${EVENT}`, health({ event_id: EVENT, valid_until: null }), NOW.steady);
  return reader;
}

const goal = (incidentId: string, status: string, version: number, reason: string | null = null) =>
  expect.objectContaining({ kind: 'goal', eventId: EVENT, version, incidentId, status, reason });

const score = (home: number, away: number) => ({ home, away });

describe('a snapshot', () => {
  test('reports the goals of the newest state once it is read to its end', () => {
    const reader = new MatchReader();
    reader.assign([0]);
    expect(reader.applyState(0, EVENT, state(3, { counting_goals: ['a'] })).changes).toEqual([]);
    expect(reader.applyState(0, EVENT, state(9, { void_goals: { a: 'removed' } })).changes).toEqual([]);
    expect(reader.caughtUp(0)).toEqual([goal('a', 'cancelled', 9, 'removed')]);
    expect(reader.caughtUp(0)).toEqual([]);
  });

  test('contains the transitions up to its version', () => {
    const reader = new MatchReader();
    reader.assign([0]);
    expect(reader.applyTransition(0, transition(4)).isNew).toBe(false);
    reader.applyState(0, EVENT, state(5));
    reader.caughtUp(0);
    expect(reader.applyTransition(0, transition(5)).isNew).toBe(false);
    expect(reader.applyTransition(0, transition(6))).toEqual({ isNew: true, changes: [] });
  });

  test('that is read again after a rebalance reports nothing again, and forgets matches of other partitions', () => {
    const reader = reading(state(2, { counting_goals: ['a'] }));
    reader.assign([0]);
    reader.applyState(0, EVENT, state(1));
    expect(reader.applyState(0, EVENT, state(3, { counting_goals: ['a', 'b'] })).changes).toEqual([]);
    expect(reader.caughtUp(0)).toEqual([goal('b', 'stands', 3)]);
    reader.assign([1]);
    expect([...reader.eventIds()]).toEqual([]);
    expect(reader.applyState(0, EVENT, state(4))).toEqual({ isNew: false, changes: [] });
  });

  test('keeps transitions that were not read before a rebalance new', () => {
    const reader = reading(state(2));
    reader.applyTransition(0, transition(3));
    reader.assign([0]);
    reader.applyState(0, EVENT, state(6));
    reader.caughtUp(0);
    expect(reader.applyTransition(0, transition(3)).isNew).toBe(false);
    expect(reader.applyTransition(0, transition(4))).toEqual({ isNew: true, changes: [] });
  });
});

describe('versions', () => {
  test('of states that are not above the known version are dropped', () => {
    const reader = reading(state(5, { counting_goals: ['a'] }));
    for (const version of [4, 5]) expect(reader.applyState(0, EVENT, state(version)).isNew).toBe(false);
    expect(reader.state(EVENT)?.counting_goals).toEqual(['a']);
  });

  test('may have several transitions, each applied once', () => {
    const reader = reading(state(1));
    for (const n of [0, 1]) expect(reader.applyTransition(0, transition(2, n)).isNew).toBe(true);
    for (const n of [0, 1]) expect(reader.applyTransition(0, transition(2, n)).isNew).toBe(false);
  });

  test('that are missing among transitions are reported as a gap, also the first versions of a new match', () => {
    const reader = reading(state(3));
    const gap = (version: number, until: number) => [{ kind: 'gap', eventId: EVENT, version, until }];
    expect(reader.applyTransition(0, transition(7)).changes).toEqual(gap(4, 6));
    expect(reader.applyTransition(0, transition(8)).changes).toEqual([]);
    expect(reading().applyTransition(0, transition(3)).changes).toEqual(gap(1, 2));
  });
});

describe('a goal', () => {
  test('is cancelled once, by the topic that reports it first', () => {
    const reader = reading(state(1, { counting_goals: ['a'] }));
    const taken = (version: number) =>
      reader.applyTransition(0, transition(version, 0, 'goal_cancelled', 'a')).changes;
    const moved = (version: number, change: Partial<MatchStateRecord>) =>
      reader.applyState(0, EVENT, state(version, change)).changes;
    expect(taken(2)).toEqual([goal('a', 'cancelled', 2)]);
    expect(moved(2, { void_goals: { a: 'cancelled' } })).toEqual([]);
    expect(moved(3, { counting_goals: ['a'] })).toEqual([goal('a', 'stands', 3)]);
    expect(moved(4, { void_goals: { a: 'removed' } })).toEqual([goal('a', 'cancelled', 4, 'removed')]);
    expect(reader.applyTransition(0, transition(3, 0, 'goal_reinstated', 'a')).changes).toEqual([]);
    expect(taken(4)).toEqual([]);
  });

  test('is not restored by a state that is older than its cancellation', () => {
    const reader = reading(state(1));
    reader.applyTransition(0, transition(2));
    reader.applyTransition(0, transition(3, 0, 'goal_cancelled', 'a'));
    expect(reader.applyState(0, EVENT, state(2, { counting_goals: ['a'] })).changes).toEqual([]);
  });

  test('is restored by a state that is newer than its cancellation', () => {
    const reader = reading(state(1));
    reader.applyState(0, EVENT, state(3, { counting_goals: ['a'] }));
    const late = reader.applyTransition(0, transition(2, 0, 'goal_cancelled', 'a'));
    expect(late).toEqual({ isNew: true, changes: [] });
  });

  test('that no longer counts for a side is cancelled', () => {
    const reader = reading(state(1, { counting_goals: ['a'] }));
    expect(reader.applyState(0, EVENT, state(2)).changes).toEqual([goal('a', 'cancelled', 2, 'not_counted')]);
    expect(reader.applyState(0, EVENT, state(3)).changes).toEqual([]);
  });
});

describe('a reported goal', () => {
  const key_incidents = [
    { id: 'a', team_id: 7, counts_for_id: 7, player_name: 'A', minute: '12' },
    { id: 'b', team_id: 8, counts_for_id: 8, player_name: null, minute: null },
  ];
  const scored = (version: number, now: MatchStateRecord['score'], counting_goals: string[]) =>
    state(version, { score: now, counting_goals, key_incidents });

  test('has team, player, minute, and the score before and after', () => {
    const reader = reading();
    const [first] = reader.applyState(0, EVENT, scored(1, score(1, 0), ['a'])).changes;
    expect(first).toMatchObject({ teamId: 7, player: 'A', minute: '12', before: null, score: score(1, 0) });
    const [second] = reader.applyState(0, EVENT, scored(2, score(1, 1), ['a', 'b'])).changes;
    const nobody = { player: null, minute: null };
    expect(second).toMatchObject({
      incidentId: 'b',
      teamId: 8,
      ...nobody,
      before: score(1, 0),
      score: score(1, 1),
    });
    const unknown = reader
      .applyState(0, EVENT, { ...scored(3, null, ['c']), key_incidents: [] })
      .changes.find((one) => 'status' in one && one.status === 'stands');
    expect(unknown).toMatchObject({ teamId: null, ...nobody, before: score(1, 1), score: null });
  });

  test('is joined with its cancellation, and an older state does not restore the score before it', () => {
    const reader = reading(scored(1, score(1, 0), ['a']));
    const taken = transition(3, 0, 'goal_cancelled', 'a', { before: score(1, 0), after: score(0, 0) });
    reader.applyTransition(0, transition(2));
    const scores = { before: score(1, 0), score: score(0, 0) };
    expect(reader.applyTransition(0, taken).changes).toMatchObject([
      { incidentId: 'a', status: 'cancelled', teamId: 7, player: 'A', ...scores },
    ]);
    expect(reader.applyState(0, EVENT, scored(2, score(2, 0), ['a', 'b'])).changes).toMatchObject([
      { incidentId: 'b', before: score(0, 0), score: score(0, 0) },
    ]);
    expect(reader.applyState(0, EVENT, scored(4, score(2, 0), ['a', 'b'])).changes).toMatchObject([
      { incidentId: 'a', status: 'stands', before: score(0, 0), score: score(2, 0) },
    ]);
  });
});

describe('the guard', () => {
  test('closes when the partition was not read to its end for 1.75 s, whatever the feed says', () => {
    const reader = believed(reading(state(1)));
    const at = (steady: number) => reader.guard(EVENT, { ...NOW, steady }).reasons;
    reader.applyHealth('feed', health({ valid_until: null, term: 2 }), NOW.steady);
    reader.applyHealth(`feed/${EVENT}`, health({ event_id: EVENT, valid_until: null, term: 2 }), NOW.steady);
    reader.readTo(0, 5);
    reader.endsAt(0, 7, NOW.steady + 1_000);
    reader.endsAt(0, 8, NOW.steady + 1_400);
    expect(at(NOW.steady + 1_750)).not.toContain('states_unread');
    expect(at(NOW.steady + 1_751)).toContain('states_unread');
    // Of two ends the earlier one is waited for.
    reader.readTo(0, 7);
    expect(at(NOW.steady + 2_750)).not.toContain('states_unread');
    expect(at(NOW.steady + 2_751)).toContain('states_unread');
    reader.endsAt(0, 7, NOW.steady + 3_000);
    expect(at(NOW.steady + 3_000)).not.toContain('states_unread');
  });

  test('closes when the version of the match goes back, without moving its score, until the version comes', () => {
    const reader = believed(reading(state(143, { counting_goals: ['a'] })));
    const lost = (version: number) => state(version, { cause: { offset: 1_000 + version } });
    expect(reader.applyState(0, EVENT, lost(1))).toEqual({ isNew: false, changes: [] });
    expect(reader.guard(EVENT, NOW)).toMatchObject({ safe: false, reasons: ['version_went_back'] });
    expect(reader.state(EVENT)).toMatchObject({ version: 143, counting_goals: ['a'] });
    reader.applyState(0, EVENT, lost(143));
    expect(reader.guard(EVENT, NOW)).toMatchObject({ safe: true, reasons: [] });
  });

  test('waits for the end again after an assignment', () => {
    const reader = believed(reading(state(1)));
    reader.readTo(0, 9);
    reader.assign([0]);
    reader.caughtUp(0);
    reader.endsAt(0, 9, NOW.steady + 1_000);
    expect(reader.guard(EVENT, { ...NOW, steady: NOW.steady + 1_751 }).reasons).toContain('states_unread');
  });

  test('is closed while the match is halted by hand, or halts were not read to their end', () => {
    const reader = believed(reading(state(1)));
    const at = (steady: number) => reader.guard(EVENT, { ...NOW, steady }).reasons;
    reader.applyHalt('competition:9', { scope: 'competition:9', halted: true, until: NOW.wall + 1 });
    expect(at(NOW.steady)).toEqual(['halted_by_hand']);
    expect(at(NOW.steady + 1)).not.toContain('halted_by_hand');
    reader.applyHalt('competition:9', { scope: 'competition:9', halted: false, until: null });
    expect(at(NOW.steady)).toEqual([]);
    reader.haltsEndAt(3, NOW.steady + 1_000);
    expect(at(NOW.steady + 1_751)).toContain('halts_unread');
    reader.haltsReadTo(3);
    expect(at(NOW.steady + 1_751)).not.toContain('halts_unread');
  });

  test('is closed for a match that is unknown, loading, of a dead feed, or behind a transition', () => {
    const reader = believed(reading(state(1)));
    expect(reader.guard(EVENT, { ...NOW, wall: NOW.wall + 1 }).reasons).toEqual(['feed_expired']);
    expect(reader.guard(7, NOW).reasons).toEqual(['unknown_match', 'feed_unknown']);
    reader.applyTransition(0, transition(2));
    expect(reader.guard(EVENT, NOW).reasons).toEqual(['behind']);
    reader.applyState(0, EVENT, state(2));
    expect(reader.guard(EVENT, NOW).safe).toBe(true);
    reader.assign([0]);
    expect(reader.guard(EVENT, NOW).reasons).toEqual(['loading']);
    reader.applyState(0, EVENT, null);
    expect(reader.state(EVENT)).toBeNull();
  });
});

test('a goal that counts for another team is cancelled, then stands', () => {
  const scored = (version: number, team: number, [home, away]: readonly [number, number], change = {}) => {
    const key = { id: 'a', team_id: team, counts_for_id: team, player_name: null, minute: null };
    return state(version, { score: { home, away }, counting_goals: ['a'], key_incidents: [key], ...change });
  };
  const reader = reading(scored(1, 10, [1, 0]));
  const [before, none, after] = [score(1, 0), score(0, 0), score(0, 1)];
  const goal = { incidentId: 'a' };
  expect(reader.applyState(0, EVENT, scored(2, 20, [0, 1])).changes).toMatchObject([
    { ...goal, status: 'cancelled', reason: 'corrected', teamId: 10, before, score: none },
    { ...goal, status: 'stands', teamId: 20, before: none, score: after },
  ]);
  // Sides that are exchanged move no goal.
  const exchanged = scored(3, 20, [1, 0], { home: { id: 20 }, away: { id: 10 } });
  expect(reader.applyState(0, EVENT, exchanged).changes).toEqual([]);
});
