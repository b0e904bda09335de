/** The table types of soccer, by the provider's catalogue (shown-columns.json) or the specification; an id that neither shows is null. */
import SHOWN_COLUMNS from './shown-columns.json' with { type: 'json' };
import TYPES from './table-types.json' with { type: 'json' };

/** A column of a table, identified by `code`: types order their columns differently. */
type StandingsColumn = {
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

type ShownColumn = [id: number, code: string, short_name: string, name: string];
/** A column whose id the catalogue does not show; see docs/reference/standings.md. */
type UnlistedColumn = [code: string, short_name: string, name: string];
type TypeRow = Omit<TableType, 'columns'> & { readonly columns: readonly (number | UnlistedColumn)[] };

const COLUMNS: ReadonlyMap<number, StandingsColumn> = new Map(
  (SHOWN_COLUMNS as ShownColumn[]).map(([id, code, short_name, name]) => [
    id,
    { id, code, short_name, name },
  ]),
);

/** Every table type that can be derived from match results. The provider's two rankings cannot. */
export const TABLE_TYPES: ReadonlyMap<TableKind, TableType> = new Map(
  (TYPES as TypeRow[]).map((row) => [row.kind, { ...row, columns: row.columns.flatMap(columnOf) }]),
);

/** The columns of a row that count matches, goals and points, by their code in the league table. */
export const COUNTS = {
  mp: 'played',
  won: 'won',
  draw: 'drawn',
  lost: 'lost',
  goals_scored: 'goals_for',
  goals_allowed: 'goals_against',
  goals_diff: 'goal_difference',
  pts: 'points',
} as const;
export type RowCount = (typeof COUNTS)[keyof typeof COUNTS];

/** The kinds of tables with these counts, and what precedes their codes there. */
const COUNT_PREFIXES: Readonly<Partial<Record<TableKind, string>>> = {
  league: '',
  wide: '',
  live: '',
  home: 'home_',
  away: 'away_',
  halftime: '1half_',
  second_half: '2half_',
};

/** Returns the field of a row that has a column of a kind of table; null for a column that rows have by its code. */
export function countOf(kind: TableKind, code: string): RowCount | null {
  const prefix = COUNT_PREFIXES[kind];
  if (prefix === undefined) return null;
  // Tables of halves count matches as the league table does.
  const name = code.startsWith(prefix) ? code.slice(prefix.length) : code;
  return Object.hasOwn(COUNTS, name) ? COUNTS[name as keyof typeof COUNTS] : null;
}

/** Whether a column is a percentage or a figure per match, which tables show with two decimals. */
export function isRatio(code: string): boolean {
  return /(^|_)(avg|average|pct|per_match)(_|$)/.test(code);
}

function columnOf(column: number | UnlistedColumn): StandingsColumn | [] {
  if (typeof column === 'number') return COLUMNS.get(column) ?? [];
  const [code, short_name, name] = column;
  return { id: null, code, short_name, name };
}
