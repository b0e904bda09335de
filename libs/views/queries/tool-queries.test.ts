import { beforeEach, describe, expect, test } from 'vitest';
import type { Access } from '#contract/rest/provider.ts';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { EVERYTHING, RECEIVED_AT, ViewsWorld } from '../testing/world.ts';
import { type ToolQueries, toolQueries } from './tool-queries.ts';

let world: ViewsWorld;
let queries: ToolQueries;

const PAGE = { limit: 10, page: 1 };
const only = (...competitions: number[]): Access => ({ ...EVERYTHING, competitions: new Set(competitions) });

/** Plays a match of two teams; with `goals` it is finished. */
function match(
  id: number,
  home: readonly [number, string],
  away: readonly [number, string],
  goals?: readonly [number, number],
  changes: Readonly<Record<string, unknown>> = {},
): void {
  const side = ([team, name]: readonly [number, string], counter: number) => ({
    id: team,
    counter,
    name,
    short_name: name,
    stats: [],
    results: goals === undefined ? [] : [{ id: 2, value: goals[counter - 1] }],
  });
  const over = goals === undefined ? {} : { status_id: 11, status_type: 'finished' };
  const head = { id: `${id}-${Math.random()}`, ut: 1_790_000_000 + (Number(changes.later) || 0) };
  world.play(eventMessage(head, { id, participants: [side(home, 1), side(away, 2)], ...over, ...changes }));
}

const BESIKTAS = [1, 'Beşiktaş J.K.'] as const;
const KOLN = [2, '1. FC Köln'] as const;

beforeEach(() => {
  world = new ViewsWorld();
  queries = toolQueries(world.views);
});

describe('a search for teams', () => {
  test('finds names without accents, case and punctuation, the best first', () => {
    match(1, BESIKTAS, KOLN);
    match(2, [3, 'Besiktas'], [4, 'Fortuna Besiktas']);
    const names = (query: string) => queries.teams(query, EVERYTHING).map(({ name }) => name);
    expect(names('BESIKTAS')).toEqual(['Besiktas', 'Beşiktaş J.K.', 'Fortuna Besiktas']);
    expect(names('koln fc')).toEqual(['1. FC Köln']);
    expect(names('%')).toEqual([]);
    expect(names('köln besiktas')).toEqual([]);
  });

  test('finds a team by its latest name, in the current competition of matches that are not deleted', () => {
    match(1, BESIKTAS, KOLN, undefined, { competition_id: 10 });
    expect(queries.teams('koln', only(10))).toHaveLength(1);
    match(1, BESIKTAS, [2, 'Effzeh'], undefined, { competition_id: 11, later: 10 });
    expect(queries.teams('koln', EVERYTHING)).toEqual([]);
    expect(queries.teams('effzeh', only(10))).toEqual([]);
    expect(queries.teams('effzeh', only(11))).toMatchObject([{ id: 2, competition_id: 11 }]);
    match(1, BESIKTAS, [2, 'Effzeh'], undefined, { competition_id: 11, later: 20, action: 'delete' });
    expect(queries.teams('effzeh', EVERYTHING)).toEqual([]);
  });
});

const balanceOf = (...[played, team_won, drawn, opponent_won, team_goals, opponent_goals]: number[]) => {
  return { played, team_won, drawn, opponent_won, team_goals, opponent_goals };
};

test('lists the meetings of two teams, latest first, with the balance of the first team', () => {
  match(1, BESIKTAS, KOLN, [2, 1], { start_date: '2026-01-01 15:00' });
  match(2, KOLN, BESIKTAS, [0, 0], { start_date: '2026-02-01 15:00' });
  match(3, KOLN, BESIKTAS, [3, 0], { start_date: '2026-03-01 15:00' });
  match(4, BESIKTAS, [9, 'Other'], [5, 0]);
  match(5, BESIKTAS, KOLN, undefined, { start_date: '2026-04-01 15:00' });
  const { items, total, balance } = queries.meetings([1, 2], EVERYTHING, PAGE);
  expect(items.map(({ state }) => state.event_id)).toEqual([5, 3, 2, 1]);
  expect(total).toBe(4);
  expect(balance).toEqual(balanceOf(3, 1, 1, 1, 2, 4));
  expect(queries.meetings([1, 2], only(999), PAGE)).toMatchObject({ total: 0, balance: { played: 0 } });
});

test('leaves an abandoned match out of the balance, and counts an awarded one by its reported result', () => {
  match(1, BESIKTAS, KOLN, [1, 0], { status_id: 7 });
  const kickOff = { id: '5-1', incident_id: 429, participant_id: null, event_time: '00:00' };
  const participants = [
    { id: 1, counter: 1, name: '', results: [{ id: 2, value: 3 }] },
    { id: 2, counter: 2, name: '', results: [{ id: 2, value: 0 }] },
  ];
  const event = (changes: object) => ({ id: 2, participants, ...changes });
  world.play(incidentMessage({ id: 'a' }, kickOff, event({ status_id: 33 })));
  world.play(eventMessage({ id: 'b', ut: 1_790_000_100 }, event({ status_id: 12, status_type: 'finished' })));
  const { items, balance } = queries.meetings([1, 2], EVERYTHING, PAGE);
  expect(items.map(({ state }) => state.score?.home)).toEqual([1, 3]);
  expect(balance).toEqual(balanceOf(1, 1, 0, 0, 3, 0));
});

describe('the changes of matches', () => {
  const NOW = RECEIVED_AT / 1000;
  const ANY = { ...PAGE, only: null };
  const changed = (query: object, access = EVERYTHING) =>
    queries
      .changes({ ...ANY, timestamp: NOW - 60, ...query }, access)
      .items.map(({ own }) => own.map(({ kind }) => kind).join('+'));

  test('list goals first, each with all steps of its version, latest first', () => {
    world.play(
      incidentMessage({ id: 1 }, { confirmation: 'tbd' }),
      incidentMessage({ id: 2, ut: 1_790_000_010 }, { id: '5-200', incident_id: 419 }),
      incidentMessage({ id: 3, ut: 1_790_000_020 }, { confirmation: 'cancelled' }),
    );
    const all = changed({});
    expect(all.slice(0, 2)).toEqual(['incident_cancelled+goal_cancelled', 'incident_added']);
    expect(all.slice(2)).toEqual(expect.arrayContaining(['incident_added', 'guard_changed']));
    expect(changed({ only: new Set(['taken_back']) })).toEqual(['incident_cancelled+goal_cancelled']);
  });

  test('are found by the time at which they became visible, however late', () => {
    world.now = RECEIVED_AT + 3_600_000;
    world.views.caughtUp();
    world.play(incidentMessage({ id: 1 }));
    expect(changed({ timestamp: NOW + 3_590 })).toContain('incident_added');
    expect(changed({ timestamp: NOW + 3_620 })).toEqual([]);
  });

  test('are filtered by match, team and competition, and never lie outside the contract', () => {
    match(1, BESIKTAS, KOLN, [1, 0], { competition_id: 10 });
    match(2, [3, 'Besiktas'], [4, 'Fortuna'], [1, 0], { competition_id: 11 });
    for (const query of [{ match_id: 1 }, { team_id: 2 }, { competition_id: 10 }]) {
      const { items } = queries.changes({ ...ANY, timestamp: 0, ...query }, EVERYTHING);
      expect(new Set(items.map(({ event_id }) => event_id)), JSON.stringify(query)).toEqual(new Set([1]));
    }
    expect(changed({}, only(12))).toEqual([]);
    for (const query of [{ match_id: 1 }, { competition_id: 10 }])
      expect(() => changed(query, only(11))).toThrow('Outside the contract');
  });
});

test('reads a match again when it has changed', () => {
  match(1, BESIKTAS, KOLN);
  const shown = () => queries.meetings([1, 2], EVERYTHING, PAGE).items[0];
  expect(shown()?.state.score).toBeNull();
  expect(shown()).toBe(shown());
  match(1, BESIKTAS, KOLN, [1, 0], { later: 10 });
  expect(shown()).toMatchObject({ status: 'Finished', state: { score: { home: 1, away: 0 } } });
});
