import { isDeepStrictEqual } from 'node:util';
import type { ResultTeam, StandingsCorrection, StandingsGroup, StandingsRow } from '#records/types.ts';
import { COUNTS, countOf, type RowCount, TABLE_TYPES, type TableKind, type TableType } from './columns.ts';
import type { CompetitionRules } from './competition-rules.ts';
import { type GameSet, KNOWN, PLAYED, PLAYING, TO_COME } from './game-set.ts';
import type { Game } from './games.ts';
import { formRows, halfRows, leagueRows, liveRows, streakRows, venueRows, wideRows } from './league.ts';
import { assistRows, cardRows, scorerRows } from './players.ts';
import { type RankedSeason, seasonOf } from './standing.ts';
import { overallStatsRow, popularResultRows, teamStatsRows } from './stats.ts';
import { type TableScope, teamsOf } from './table-scope.ts';
import type { RankedRow } from './types.ts';

/** A table of one group, with the corrections in force of its teams. */
export type Table = Readonly<Omit<StandingsGroup, 'id'>>;

/** Tables of points, the only ones with zones and corrections. */
export const OF_POINTS: ReadonlySet<TableKind> = new Set(['league', 'wide', 'live']);

const ALL: readonly TableKind[] = [...TABLE_TYPES.keys()];
const SCHEDULED: readonly TableKind[] = ['team_overall_stats', 'overall_stats'];

/** Returns the tables that may have changed with a match; null when it did not exist, or no longer does. */
export function touchedBy(before: Game | null, after: Game | null): readonly TableKind[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (before === null || after === null || !isSameMatch(before, after)) return ALL;
  const states = new Set([before.state, after.state]);
  if (states.has('played')) return ALL;
  const kinds: TableKind[] = [];
  if (states.has('playing')) kinds.push('live');
  if (states.has('to_come') && states.size === 2) kinds.push(...SCHEDULED);
  return kinds;
}

function isSameMatch(a: Game, b: Game): boolean {
  return a.start === b.start && isDeepStrictEqual([a.home, a.away], [b.home, b.away]);
}

/** Returns the tables of games that were read with the same rules. `rules` has only the corrections in force. */
export function tablesOf(
  scope: TableScope,
  rules: CompetitionRules,
  kinds: Iterable<TableKind>,
): ReadonlyMap<TableKind, Table> {
  const teams = teamsOf(scope);
  const { games, start } = scope;
  const season = seasonOf(games.view(PLAYED), teams, rules, start);
  const live = games.view(PLAYING).size === 0 ? season : seasonOf(games.view(KNOWN), teams, rules, start);
  const corrections = rules.corrections.flatMap(
    ({ participant_id, value, reason }): StandingsCorrection[] => {
      const team = teams.get(participant_id);
      return team === undefined
        ? []
        : [{ participant_id, participant_name: team.name, points: value, reason }];
    },
  );
  const tables = new Map<TableKind, Table>();
  for (const kind of kinds) {
    const type = TABLE_TYPES.get(kind) as TableType;
    const ofPoints = OF_POINTS.has(kind);
    const ownCorrections = ofPoints ? corrections : null;
    const zones = ofPoints ? rules.zones : [];
    const rows = ROWS[kind]({ games, season, live });
    const zoneOf = zonesOf(rows, zones, rules.not_entitled);
    tables.set(kind, {
      zones,
      corrections: ownCorrections ?? [],
      rows: rows.map((row) => tableRow(row, type, zoneOf(row), teams, ownCorrections)),
    });
  }
  return tables;
}

/** The inputs of tables. `live`: including games in play. */
type TableInputs = { readonly games: GameSet; readonly season: RankedSeason; readonly live: RankedSeason };

const ROWS: Readonly<Record<TableKind, (inputs: TableInputs) => readonly RankedRow[]>> = {
  league: ({ season }) => leagueRows(season),
  wide: ({ season }) => wideRows(season),
  halftime: ({ season }) => halfRows(season, 'firstHalf'),
  second_half: ({ season }) => halfRows(season, 'secondHalf'),
  home: ({ season }) => venueRows(season, 'home'),
  away: ({ season }) => venueRows(season, 'away'),
  live: ({ live, games }) => liveRows(live, games.view(PLAYING)),
  form: ({ season }) => formRows(season),
  streaks: ({ season }) => streakRows(season),
  popular_results: ({ games }) => popularResultRows(games.view(PLAYED)),
  top_scorers: ({ season }) => scorerRows(season),
  cards: ({ season }) => cardRows(season),
  assists: ({ season }) => assistRows(season),
  assists_115: ({ season }) => assistRows(season),
  overall_stats: ({ season, games }) => [overallStatsRow(season, games.view(TO_COME))],
  team_overall_stats: ({ season, games }) => teamStatsRows(season, games.view(TO_COME)),
};

/** Returns a function that returns the name of a row's zone, null for none. Teams that are not entitled to a zone leave their rank in it to the next team. */
function zonesOf(
  rows: readonly RankedRow[],
  zones: CompetitionRules['zones'],
  barred: CompetitionRules['not_entitled'],
): (row: RankedRow) => string | null {
  const zonesWithSkipped = zones.map((zone) => {
    const isBarred = ({ id }: RankedRow) =>
      barred.some((one) => one.participant_id === id && one.zones.includes(zone.id));
    return { zone, skipped: rows.filter(isBarred) };
  });
  return (row) => {
    const found = zonesWithSkipped.find(({ zone, skipped }) => {
      const rank = row.rank - skipped.filter((one) => one.rank < row.rank).length;
      return !skipped.includes(row) && zone.from <= rank && rank <= zone.to;
    });
    return found?.zone.name ?? null;
  };
}

const NO_COUNTS = Object.fromEntries(Object.values(COUNTS).map((name) => [name, null])) as Record<
  RowCount,
  number | null
>;

/** The columns of each kind of table, with the field that a row has each in; null: by its code. */
const FIELDS = new Map(
  Array.from(TABLE_TYPES, ([kind, { columns }]) => [
    kind,
    columns.map(({ code }) => ({ code, count: countOf(kind, code) })),
  ]),
);

/** `corrections`: null where none applies to a table of this type. */
function tableRow(
  { id, name, club, rank, last_rank, values }: RankedRow,
  { kind, ranks }: TableType,
  zone: string | null,
  teams: ReadonlyMap<number, ResultTeam>,
  corrections: readonly StandingsCorrection[] | null,
): StandingsRow {
  const team = ranks === 'team' ? teams.get(id as number) : undefined;
  const counts = { ...NO_COUNTS };
  const columns: StandingsRow['columns'] = {};
  for (const { code, count } of FIELDS.get(kind) ?? []) {
    const value = values.get(code);
    if (value === undefined) continue;
    if (count === null) columns[code] = value;
    else counts[count] = value as number;
  }
  return {
    rank,
    last_rank,
    participant: {
      id,
      name,
      acronym: team?.acronym ?? null,
      area_id: team?.area_id ?? null,
      area_name: team?.area_name ?? null,
    },
    club,
    zone,
    ...counts,
    corrections:
      corrections?.reduce((sum, one) => (one.participant_id === id ? sum + one.points : sum), 0) ?? null,
    columns,
  };
}
