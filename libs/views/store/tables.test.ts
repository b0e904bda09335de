import { expect, test } from 'vitest';
import { eventMessage } from '#ingestion/testing/messages.ts';
import { catalogueRecord, providerTable, tableRecord } from '../testing/records.ts';
import { ViewsWorld } from '../testing/world.ts';
import { SETTLED_SECONDS } from './tables.ts';

const SEASON = 312;

/** Views with a derived table of one team, and functions that change it and the provider's. */
function world() {
  const views = new ViewsWorld();
  let version = 0;
  return {
    views,
    ours(points: number, deleted = false) {
      version += 1;
      const of = { version, object_id: SEASON, season_id: SEASON };
      views.give(tableRecord(900, of, deleted ? [] : providerTable(SEASON, points).groups));
    },
    theirs(points: number, ut: number) {
      const league = providerTable(SEASON, points, { corrections: [-6] });
      views.give(catalogueRecord('provider_league', 40_001, SEASON, league, ut));
    },
    /** The number of tables whose points differ, `after` seconds from now. */
    points: (after: number) => views.views.leagues.differences(views.now / 1000 + after).get('points'),
  };
}

test('counts a table that differs once ours is unchanged for long, and follows both', () => {
  const { views, ours, theirs, points } = world();
  ours(54);
  expect(points(SETTLED_SECONDS + 1)).toBe(0);
  theirs(48, 1);
  expect([points(SETTLED_SECONDS - 1), points(SETTLED_SECONDS + 1)]).toEqual([0, 1]);
  expect(views.views.leagues.compared(SEASON)).toMatchObject([
    { standings_id: 900, corrections: [{ value: '-6' }], differences: [{ ours: 54, theirs: 48 }] },
  ]);
  views.now += 1_000_000;
  ours(48);
  expect(points(SETTLED_SECONDS + 1)).toBe(0);
  theirs(49, 2);
  expect(points(SETTLED_SECONDS + 1)).toBe(1);
  ours(48, true);
  expect(points(SETTLED_SECONDS + 1)).toBe(0);
});

test('counts what differed before a restart', () => {
  const { views, ours, theirs } = world();
  ours(54);
  theirs(48, 1);
  views.restart();
  const counts = views.views.leagues.differences(views.now / 1000 + SETTLED_SECONDS + 1);
  expect(Object.fromEntries(counts)).toEqual({ matches: 0, points: 1, rank: 0, team: 0 });
});

test('a season is of the competition of its tables, else of the matches of its knock-out stages', () => {
  const world = new ViewsWorld();
  const { views } = world;
  world.give(catalogueRecord('stage', 3, SEASON, { has_brackets: 'yes', show_standings: 'no' }));
  world.play(eventMessage({}, { competition_id: 9, season_id: SEASON, stage_id: 3 }));
  const competitions = () =>
    views.seasons().map(({ season_id, competition_id }) => [season_id, competition_id]);
  expect(competitions()).toEqual([[SEASON, 9]]);
  const of = { object_id: SEASON, season_id: SEASON, competition_id: 4 };
  world.give(tableRecord(900, of), tableRecord(901, { season_id: SEASON + 1, competition_id: 4 }));
  expect(competitions()).toEqual([
    [SEASON, 4],
    [SEASON + 1, 4],
  ]);
});
