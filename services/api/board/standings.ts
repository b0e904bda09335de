import type { BoardView, SeasonEntry, TableEntry } from '#views/store/board-view.ts';
import { readTable, type ShownTable } from './tables.ts';

/** What the page of the tables shows. */
export type SeasonStandings = {
  readonly seasons: readonly SeasonEntry[];
  /** The tables of no season: the provider's rankings. */
  readonly rankings: readonly TableEntry[];
  /** Null where rankings are shown, or nothing is. */
  readonly season: SeasonEntry | null;
  /** All of the season's, or all rankings. */
  readonly tables: readonly TableEntry[];
  /** The tables of the kind that was asked for: each stage has its own. */
  readonly shown: readonly ShownStandings[];
};

/** A table and where it belongs. */
export type ShownStandings = {
  readonly entry: TableEntry;
  /** The name of its stage; null where it is the season's, or the stage has no name. */
  readonly stage: string | null;
  readonly table: ShownTable;
};

const LEAGUE = 2;
const NOWHERE = { competition_id: null, season_id: null, stage_id: null, group_id: null };

/**
 * The tables of a season, of the kind of the one that is asked for, else the league's. Without a season, the ranking that
 * is asked for, else of the first season that has tables. Null for a season or a table that is not there.
 */
export function seasonStandings(
  view: BoardView,
  seasonId: number | undefined,
  tableId: number | undefined,
): SeasonStandings | null {
  const seasons = view.seasons();
  const rankings = view.rankings();
  const ranked = seasons.length === 0 || rankings.some(({ standings_id }) => standings_id === tableId);
  const unasked = ranked ? null : seasons[0];
  const season = seasonId === undefined ? unasked : seasons.find(({ season_id }) => season_id === seasonId);
  if (season === undefined) return null;
  const tables = season === null ? rankings : view.tables(season.season_id);
  const asked =
    tableId === undefined
      ? (tables.find(({ type_id }) => type_id === LEAGUE) ?? tables[0])
      : tables.find(({ standings_id }) => standings_id === tableId);
  if (asked === undefined && tableId !== undefined) return null;
  return {
    seasons,
    rankings,
    season,
    tables,
    shown: tables
      .filter(({ type_id }) => type_id === asked?.type_id)
      .sort((a, b) => a.object_id - b.object_id)
      .flatMap((entry) => shownStandings(view, entry)),
  };
}

function shownStandings(view: BoardView, entry: TableEntry): ShownStandings[] {
  const record = view.table(entry.standings_id);
  if (record === null) return [];
  const nameOf = (level: 'stage' | 'group', id: number | null): string | null =>
    view.place({ ...NOWHERE, [`${level}_id`]: id })[level];
  const { groups } = readTable(record);
  return [
    {
      entry,
      stage: nameOf('stage', entry.object_type === 'stage' ? entry.object_id : null),
      // A table that was derived knows its groups by their ids alone.
      table: {
        groups: groups.map((group) => ({ ...group, name: group.name || (nameOf('group', group.id) ?? '') })),
      },
    },
  ];
}
