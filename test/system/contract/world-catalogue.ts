/** Catalogue records of the contract's rows. */
import type { CatalogueRecord } from '#records/types.ts';
import { catalogueValue } from '#views/testing/records.ts';
import { LISTED } from './world.ts';

const COMPETITION = {
  name: 'League',
  short_name: 'LG',
  mini_name: 'L',
  gender: 'male',
  type: 'country_league',
  area_id: 900,
  area_name: 'Atlantis',
  area_type: 'country',
  area_sort: 4,
  area_code: 'ATL',
  overall_sort: 5,
  tour_id: 6,
  tour_name: 'Tour',
  old_competition_id: 7,
};

const SEASON = {
  name: '2026',
  actual: 'yes',
  year: '2026',
  old_season_id: 8,
  range_level: 1,
  stats_lvl: 'gold',
  team_connection: 'by_season',
};

const STAGE = {
  name: 'Regular season',
  stage_name_id: 2,
  start_date: '2026-08-01',
  end_date: '2027-05-31',
  show_standings: 'yes',
  has_brackets: 'no',
  groups_nr: 1,
  sort: 3,
  is_current: 'yes',
  old_stage_id: 9,
};

/** The provider's own table of the league: it counted more matches of a team, and corrected the points of another. */
const THEIR_TABLE = {
  object_type: 'season',
  object_id: 20,
  groups: [
    {
      id: '',
      participants: [
        {
          id: 101,
          name: 'Team 101',
          rank: 1,
          columns: [
            { code: 'mp', value: 9 },
            { code: 'pts', value: '27' },
          ],
        },
      ],
      corrections: [{ participant_id: 102, participant_name: 'Team 102', value: '-6', reason: 'Debts' }],
    },
  ],
};

/** Returns the known records of the provider's catalogues. `written`: the form in which the provider writes a record. */
export function catalogue(written: (body: object) => object = (body) => body): CatalogueRecord[] {
  const catalogueRecord = (kind: string, id: number, parent: number | null, body: object) =>
    catalogueValue(kind, id, parent, written(body), LISTED);
  const flags = { game_break: 'no', important: 'yes', important_for_trader: 'yes' };
  const sports = Array.from({ length: 12 }, (_, index) =>
    catalogueRecord('sport', 901 + index, null, {
      name: `Sport ${index}`,
      url: `sport-${index}`,
      active: 'yes',
      has_timer: 'no',
    }),
  );
  return [
    ...sports,
    catalogueRecord('sport', 1, null, {
      name: 'Basketball',
      url: 'basketball',
      active: 'yes',
      has_timer: 'yes',
      template: 'quarters',
      incidents_positions: 'yes',
    }),
    catalogueRecord('area', 900, null, { name: 'Atlantis', area_code: 'ATL', parent_area_id: '899' }),
    catalogueRecord('language', 900, null, { name: 'Atlantean', code: 'at' }),
    catalogueRecord('status', 900, null, { name: 'Under water', short_name: 'UW', type: 'other' }),
    catalogueRecord('incident', 900, null, { name: 'Flood', sport_id: 5, ...flags }),
    catalogueRecord('competition', 10, null, {
      ...COMPETITION,
      stats_lvl: 'gold',
      generate_season_stats: true,
    }),
    catalogueRecord('competition', 11, null, {
      name: 'Cup',
      stats_lvl: 'bronze',
      generate_season_stats: false,
    }),
    catalogueRecord('competition', 12, null, { name: 'Third league', stats_lvl: 'bronze' }),
    catalogueRecord('season', 20, 10, SEASON),
    catalogueRecord('season', 21, 11, { name: '2026', actual: 'yes' }),
    catalogueRecord('stage', 30, 20, STAGE),
    catalogueRecord('stage', 31, 21, { name: 'Final', show_standings: 'no', has_brackets: 'yes' }),
    catalogueRecord('group', 40, 30, { name: 'Group A' }),
    catalogueRecord('provider_league', 50, 20, THEIR_TABLE),
  ];
}
