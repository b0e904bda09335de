import { beforeEach, describe, expect, test } from 'vitest';
import type { Access } from '#contract/rest/provider.ts';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { EVERYTHING, RECEIVED_AT, World } from '../testing/world.ts';
import { type DeskData, deskData } from './desk.ts';

let world: World;
let desk: DeskData;

const PAGE = { limit: 10, page: 1 };
const only = (...competitions: number[]): Access => ({ ...EVERYTHING, competitions: new Set(competitions) });

/** A match of two teams in a competition; its goals where it is over. */
function match(
  id: number,
  home: readonly [number, string],
  away: readonly [number, string],
  goals?: readonly [number, number],
  changes: Readonly<Record<string, unknown>> = {},
): void {
  const side = ([team, name]: readonly [number, string], counter: number) => ({
    ...{ id: team, counter, name, short_name: name, stats: [] },
    results: goals === undefined ? [] : [{ id: 2, value: goals[counter - 1] }],
  });
  const over = goals === undefined ? {} : { status_id: 11, status_type: 'finished' };
  world.play(
    eventMessage(
      { id: `${id}-${Math.random()}`, ut: 1_790_000_000 + (Number(changes.later) || 0) },
      { id, participants: [side(home, 1), side(away, 2)], ...over, ...changes },
    ),
  );
}

const BESIKTAS = [1, 'Beşiktaş J.K.'] as const;
const KOLN = [2, '1. FC Köln'] as const;

beforeEach(() => {
  world = new World();
  desk = deskData(world.views);
});

describe('a search for teams', () => {
  test('finds names without accents, case and punctuation, the best first', () => {
    match(1, BESIKTAS, KOLN);
    match(2, [3, 'Besiktas'], [4, 'Fortuna Besiktas']);
    const names = (query: string) => desk.teams(query, EVERYTHING).map(({ name }) => name);
    expect(names('BESIKTAS')).toEqual(['Besiktas', 'Beşiktaş J.K.', 'Fortuna Besiktas']);
    expect(names('koln fc')).toEqual(['1. FC Köln']);
    expect(names('%')).toEqual([]);
    expect(names('köln besiktas')).toEqual([]);
  });

  test('knows a team by its latest name, and by no match that has moved or was deleted', () => {
    match(1, BESIKTAS, KOLN, undefined, { competition_id: 10 });
    expect(desk.teams('koln', only(10))).toHaveLength(1);
    match(1, BESIKTAS, [2, 'Effzeh'], undefined, { competition_id: 11, later: 10 });
    expect(desk.teams('koln', EVERYTHING)).toEqual([]);
    expect(desk.teams('effzeh', only(10))).toEqual([]);
    expect(desk.teams('effzeh', only(11))).toMatchObject([{ id: 2, competition_id: 11 }]);
    match(1, BESIKTAS, [2, 'Effzeh'], undefined, { competition_id: 11, later: 20, action: 'delete' });
    expect(desk.teams('effzeh', EVERYTHING)).toEqual([]);
  });
});

test('two teams against each other: latest first, from the side of the first team', () => {
  match(1, BESIKTAS, KOLN, [2, 1], { start_date: '2026-01-01 15:00' });
  match(2, KOLN, BESIKTAS, [0, 0], { start_date: '2026-02-01 15:00' });
  match(3, KOLN, BESIKTAS, [3, 0], { start_date: '2026-03-01 15:00' });
  match(4, BESIKTAS, [9, 'Other'], [5, 0]);
  match(5, BESIKTAS, KOLN, undefined, { start_date: '2026-04-01 15:00' });
  const { items, total, balance } = desk.meetings([1, 2], EVERYTHING, PAGE);
  expect(items.map(({ state }) => state.event_id)).toEqual([5, 3, 2, 1]);
  expect(total).toBe(4);
  expect(balance).toEqual({ played: 3, won: 1, drawn: 1, lost: 1, goals: 2, against: 4 });
  expect(desk.meetings([1, 2], only(999), PAGE)).toMatchObject({ total: 0, balance: { played: 0 } });
});

test('what happened since: steps that were received then or later', () => {
  world.play(
    incidentMessage({ id: 1 }),
    incidentMessage({ id: 2, ut: 1_790_000_010 }, { confirmation: 'confirmed' }),
  );
  const now = RECEIVED_AT / 1000;
  const kinds = desk.storySince(7_000_001, now - 60).map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['incident_added', 'score_changed', 'incident_confirmed']));
  expect(desk.storySince(7_000_001, now + 60)).toEqual([]);
});

test('a match is read again when it has changed', () => {
  match(1, BESIKTAS, KOLN);
  const shown = () => desk.meetings([1, 2], EVERYTHING, PAGE).items[0];
  expect(shown()?.state.score).toBeNull();
  expect(shown()).toBe(shown());
  match(1, BESIKTAS, KOLN, [1, 0], { later: 10 });
  expect(shown()).toMatchObject({ statusName: 'Finished', state: { score: { home: 1, away: 0 } } });
});
