/**
 * The table types of soccer and their columns: ids, codes and names of the provider's catalogue of types. What that
 * catalogue does not show is from the service's specification; an id in neither is null.
 */
import { SHOWN_COLUMNS } from './shown-columns.ts';

/** A column of a table. Identified by `code`: several types order theirs differently. */
export type StandingsColumn = {
  readonly id: number | null;
  readonly code: string;
  readonly short_name: string;
  readonly name: string;
};

/** A kind of table. */
export type TableType = {
  /** Our own name: one type has no published id. */
  readonly kind: TableKind;
  readonly type_id: number | null;
  readonly type_name: string;
  readonly subtype: 'standings' | 'standings_live' | 'form' | 'overall_stats';
  /** What its rows rank. */
  readonly ranks: 'team' | 'person' | 'result' | 'competition';
  readonly columns: readonly StandingsColumn[];
};

export type TableKind =
  | 'league'
  | 'wide'
  | 'halftime'
  | 'second_half'
  | 'home'
  | 'away'
  | 'live'
  | 'form'
  | 'streaks'
  | 'popular_results'
  | 'top_scorers'
  | 'cards'
  | 'assists'
  | 'assists_115'
  | 'overall_stats'
  | 'team_overall_stats';

const COLUMNS: ReadonlyMap<number, StandingsColumn> = new Map(
  SHOWN_COLUMNS.map(([id, code, short_name, name]) => [id, { id, code, short_name, name }]),
);

/** A column that only the specification names, or neither source; see docs/reference/standings.md. */
function unlisted(code: string, short_name: string, name: string): StandingsColumn {
  return { id: null, code, short_name, name };
}

type TypeRow = readonly [TableKind, number | null, string, readonly (number | StandingsColumn)[]];

const LEAGUE = [1, 2, 3, 4, 6, 7, 5, 8, 46, 189, 195];

const TEAM_TYPES: readonly TypeRow[] = [
  ['league', 2, 'League standings', LEAGUE],
  [
    'wide',
    1,
    'Wide standings',
    [
      1, 2, 3, 4, 5, 6, 7, 8, 46, 34, 9, 10, 11, 14, 12, 13, 48, 61, 35, 15, 16, 17, 18, 30, 31, 49, 62, 189,
      78, 195,
    ],
  ],
  ['halftime', 3, 'Halftime standings', [1, 148, 149, 150, 151, 153, 154, 155, 195]],
  [
    'second_half',
    null,
    'Second half standings',
    [
      1,
      unlisted('2half_won', 'W 2', 'Won - 2nd half'),
      unlisted('2half_draw', 'D 2', 'Draw - 2nd half'),
      431,
      unlisted('2half_goals_diff', 'Diff 2', 'Goals difference - 2nd half'),
      unlisted('2half_goals_scored', 'GS 2', 'Goals scored - 2nd half'),
      unlisted('2half_goals_allowed', 'GA 2', 'Goals allowed - 2nd half'),
      unlisted('2half_pts', 'Pts 2', 'Points - 2nd half'),
      195,
    ],
  ],
  ['home', 4, 'Home standings', [34, 9, 10, 11, 14, 12, 13, 48, 61, 195]],
  ['away', 5, 'Away standings', [35, 15, 16, 17, 18, 30, 31, 49, 62, 195]],
  [
    'live',
    244,
    'League standings live',
    [
      ...LEAGUE,
      unlisted('is_playing', 'is_playing', 'Is playing'),
      unlisted('home_result', 'home_result', 'Home result'),
      unlisted('away_result', 'away_result', 'Away result'),
      unlisted('event_id', 'event_id', 'Event id'),
    ],
  ],
  ['form', 18, 'Form table', [46, 189]],
  ['streaks', 47, 'Streaks', [79, 80, 81, 82, 83, 84, 195]],
  [
    'team_overall_stats',
    90,
    'Team overall stats',
    [
      1, 2, 3, 4, 6, 7, 9, 10, 11, 12, 13, 15, 16, 17, 30, 31, 66, 67, 68, 78, 94, 102, 103, 104, 105, 106,
      107, 108, 110, 111, 113, 114, 115, 116, 117, 118, 119, 120, 134, 173, 174, 175, 176, 177, 188, 234, 237,
      418, 419, 240, 243, 241, 244, 422, 423, 424, 425, 426, 242, 245, 427, 428, 228, 229, 246, 247, 230, 231,
      232, 233, 346, 347, 349, 350, 190, 191, 429, 430, 250, 251, 252, 253, 410, 411, 414, 415, 412, 413, 416,
      417, 150, 431,
    ],
  ],
];

const PERSON_TYPES: readonly TypeRow[] = [
  ['top_scorers', 6, 'Top scorers', [6, 1, unlisted('goals_per_match', 'GPM', 'Goals per match'), 195]],
  [
    'cards',
    7,
    'Cards',
    [
      32,
      33,
      unlisted('cards', 'Cards', 'Cards'),
      8,
      1,
      unlisted('cards_per_match', 'CPM', 'Cards per match'),
      unlisted('yellow_cards_per_match', 'YCPM', 'Yellow cards per match'),
      unlisted('red_cards_per_match', 'RCPM', 'Red cards per match'),
      195,
    ],
  ],
  ['assists', 176, 'Assists', [257, 1, 258, 195]],
  ['assists_115', 115, 'Assists', [1, 257, 258]],
];

const OTHER_TYPES: readonly (readonly [TableType['ranks'], TypeRow])[] = [
  ['result', ['popular_results', 39, 'Most popular results', [76, 77, 78, 195]]],
  [
    'competition',
    [
      'overall_stats',
      55,
      'Overall stats',
      [
        11, 68, 329, 1, 9, 66, 3, 94, 15, 67, 6, 12, 30, 102, 103, 104, 105, 106, 31, 7, 154, 24, 190, 107,
        108, 110, 111, 113, 114, 115, 116, 117, 118, 119, 120, 188,
      ],
    ],
  ],
];

function typeOf(ranks: TableType['ranks'], [kind, type_id, type_name, columns]: TypeRow): TableType {
  return {
    kind,
    type_id,
    type_name,
    subtype: SUBTYPES[kind] ?? 'standings',
    ranks,
    columns: columns.flatMap((column) => (typeof column === 'number' ? (COLUMNS.get(column) ?? []) : column)),
  };
}

const SUBTYPES: Partial<Record<TableKind, TableType['subtype']>> = {
  live: 'standings_live',
  form: 'form',
  overall_stats: 'overall_stats',
  team_overall_stats: 'overall_stats',
};

/** Every table type that can be derived from match results. The provider's two rankings cannot. */
export const TABLE_TYPES: ReadonlyMap<TableKind, TableType> = new Map(
  [
    ...TEAM_TYPES.map((row) => typeOf('team', row)),
    ...PERSON_TYPES.map((row) => typeOf('person', row)),
    ...OTHER_TYPES.map(([ranks, row]) => typeOf(ranks, row)),
  ].map((type) => [type.kind, type]),
);
