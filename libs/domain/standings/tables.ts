import type { CompetitionRules } from '#contract/competition-rules.ts';
import { type Column, TABLE_TYPES, type TableKind, type TableType } from './columns.ts';
import { type Flag, type Game, readGames } from './games.ts';
import { formRows, halfRows, leagueRows, liveRows, streakRows, venueRows, wideRows } from './league.ts';
import { assistRows, cardRows, scorerRows } from './players.ts';
import { popularResultRows } from './popular.ts';
import { correctionsAt, type Season, seasonOf } from './standing.ts';
import { overallStatsRow, teamStatsRows } from './stats.ts';
import type { MatchResult, Row, Value } from './types.ts';

/** A cell of a table. Cells are found by `code`. */
export type Cell = {
  readonly id: number | null;
  readonly code: string;
  readonly short_name: string;
  readonly value: Value;
};

/** A row of a table. */
export type TableRow = {
  /** Of the team or person; null in tables of results and in overall stats. */
  readonly id: number | null;
  readonly name: string | null;
  readonly rank: number;
  readonly last_rank: number | null;
  readonly zone_name: string;
  /** The club, where the row is a person's. */
  readonly subparticipant_id: number | null;
  readonly subparticipant_name: string | null;
  /** Without those that are not known. */
  readonly columns: readonly Cell[];
};

/** A table of one group. */
export type Table = {
  readonly type: TableType;
  readonly zones: CompetitionRules['zones'];
  /** Those in force, for teams of this group. */
  readonly corrections: CompetitionRules['corrections'];
  readonly rows: readonly TableRow[];
};

/** All tables of a group, and what could not be counted. */
export type GroupTables = {
  readonly tables: ReadonlyMap<TableKind, Table>;
  /** In order of event id. */
  readonly flags: readonly Flag[];
};

/** Tables that are about points, so that zones and corrections belong to them. */
const OF_POINTS: ReadonlySet<TableKind> = new Set(['league', 'wide', 'live']);

/**
 * All tables of one competition, season, stage and group, derived from the last-known results of its matches alone:
 * neither their order nor their repetition matters, and nothing is remembered. `day` (YYYY-MM-DD) gives the tables as
 * they stood at its end: without later matches, and without corrections that were not in force.
 */
export function deriveTables(
  results: Iterable<MatchResult>,
  rules: CompetitionRules,
  day: string | null = null,
): GroupTables {
  const { games: all, flags } = readGames(results, rules, day);
  const known = all.filter(({ score }) => score !== null);
  const played = known.filter(({ state }) => state === 'played');
  const season = seasonOf(played, all, rules, day);
  const live = played.length === known.length ? season : seasonOf(known, all, rules, day);
  const rows = rowsOf(season, live, played, all);
  const corrections = correctionsAt(rules, day).filter(({ participant_id }) =>
    season.teams.has(participant_id),
  );
  const tables = new Map<TableKind, Table>();
  for (const [kind, type] of TABLE_TYPES) {
    const ofPoints = OF_POINTS.has(kind);
    const zones = ofPoints ? rules.zones : [];
    tables.set(kind, {
      type,
      zones,
      corrections: ofPoints ? corrections : [],
      rows: rows[kind].map((row) => tableRow(row, type, zones)),
    });
  }
  return { tables, flags };
}

function rowsOf(
  season: Season,
  live: Season,
  played: readonly Game[],
  all: readonly Game[],
): Readonly<Record<TableKind, readonly Row[]>> {
  const assists = assistRows(season);
  return {
    league: leagueRows(season),
    wide: wideRows(season),
    halftime: halfRows(season, 'firstHalf'),
    second_half: halfRows(season, 'secondHalf'),
    home: venueRows(season, 'home'),
    away: venueRows(season, 'away'),
    live: liveRows(live, all),
    form: formRows(season),
    streaks: streakRows(season),
    popular_results: popularResultRows(played),
    top_scorers: scorerRows(season),
    cards: cardRows(season),
    assists,
    assists_115: assists,
    overall_stats: [overallStatsRow(played, all)],
    team_overall_stats: teamStatsRows(season, all),
  };
}

function tableRow(row: Row, type: TableType, zones: CompetitionRules['zones']): TableRow {
  const zone = zones.find(({ from, to }) => from <= row.rank && row.rank <= to);
  return {
    id: row.id,
    name: row.name,
    rank: row.rank,
    last_rank: row.last_rank,
    zone_name: zone?.name ?? '',
    subparticipant_id: row.club?.id ?? null,
    subparticipant_name: row.club?.name ?? null,
    columns: type.columns.flatMap((column) => cellOf(column, row)),
  };
}

function cellOf({ id, code, short_name }: Column, row: Row): Cell[] {
  const value = row.values.get(code);
  return value === undefined ? [] : [{ id, code, short_name, value }];
}
