/**
 * The table types of soccer and their columns. Ids, codes and names are those of the provider's catalogue of types
 * (shown-columns.json: its PHP client's fixtures of 2019, MIT licence), else of the service's specification. An id that neither
 * shows is null.
 */
import SHOWN_COLUMNS from './shown-columns.json' with { type: 'json' };
import TYPES from './table-types.json' with { type: 'json' };

/** A column of a table, identified by `code`: types order their columns differently. */
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

function columnOf(column: number | UnlistedColumn): StandingsColumn | [] {
  if (typeof column === 'number') return COLUMNS.get(column) ?? [];
  const [code, short_name, name] = column;
  return { id: null, code, short_name, name };
}
