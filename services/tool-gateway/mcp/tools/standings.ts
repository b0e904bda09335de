/** Tools for tables: their list, one table, and the top scorers. */
import { z } from 'zod';
import { pageOf } from '#contract/rest/tree.ts';
import { correctionText, differenceText } from '#domain/standings/provider-league.ts';
import { toWholeNumber } from '#json/values.ts';
import { id, seasonInput, seasonOf } from './common.ts';
import {
  chosenTable,
  readTable,
  rowsOf,
  rowsOfGroup,
  type TableGroup,
  type TableListEntry,
  tablesOf,
} from './table-choice.ts';
import { tool } from './tool.ts';

/** Ids of types of tables (spec, "Standings type"). */
const LEAGUE = 2;
const TOP_SCORERS = 6;

const entry = z.object({
  standings_id: z.int(),
  name: z.string(),
  type_id: z.int(),
  type: z.string(),
  of: z.string().describe('season, stage etc.'),
  of_id: z.int(),
});

const FIND_TABLES = 'Unknown table. Call list_standings with a season to find one.';

export const listStandings = tool({
  name: 'list_standings',
  title: 'Tables of a season',
  description:
    'Lists the tables of a season and its stages: league, home, away, form, top scorers, cards etc.',
  operations: ['standings.index'],
  input: z.object(seasonInput),
  pageSize: 30,
  output: z.object({ season_id: z.int(), tables: z.array(entry) }),
  missing: FIND_TABLES,
  answer(args, scope) {
    const season_id = seasonOf(args, scope);
    const { entries, total } = tablesOf(season_id, args, scope);
    return { season_id, tables: entries.map(entryOf), total };
  },
});

const row = z.object({
  rank: z.int(),
  last_rank: z.int().nullable(),
  id: z.int(),
  name: z.string().nullable(),
  club: z.string().nullable().describe('Of a player.'),
  zone: z.string().nullable(),
  values: z
    .record(z.string(), z.union([z.number(), z.string(), z.null()]))
    .describe('By code of the column, such as mp, won, pts, goals_diff, form.'),
});

export const getStandings = tool({
  name: 'get_standings',
  title: 'A table',
  description:
    'Returns a table: by default the league table of a season or competition, with type_id another type, with standings_id any.',
  operations: ['standings.index', 'standings.show'],
  input: z.object({
    standings_id: id.optional().describe('A table, from list_standings.'),
    ...seasonInput,
    stage_id: id.optional().describe('The table of this stage of the season.'),
    group: z.string().trim().min(1).max(80).optional().describe('Only this group, such as "C" or "Group C".'),
    type_id: z.int().min(0).default(LEAGUE).describe('2 is the league table.'),
  }),
  pageSize: 50,
  output: z.object({
    standings_id: z.int(),
    name: z.string(),
    type: z.string(),
    season_id: z.int().nullable(),
    groups: z.array(
      z.object({
        name: z.string(),
        rows: z.array(row),
        notes: z.array(z.string()),
      }),
    ),
  }),
  missing: FIND_TABLES,
  answer({ standings_id, stage_id, type_id, group, ...args }, scope) {
    const wanted = { typeId: type_id, stageId: stage_id, group };
    const tableId = standings_id ?? chosenTable({ seasonId: seasonOf(args, scope), ...wanted }, scope);
    const table = readTable(tableId, scope);
    const rows = group === undefined ? rowsOf(table.groups) : rowsOfGroup(table, group);
    const shown = pageOf(rows, args);
    return {
      standings_id: table.id,
      name: table.name,
      type: table.type_name,
      season_id: table.season_id ?? null,
      groups: [...Map.groupBy(shown, (one) => one.group)].map(([group, of]) => ({
        name: group.name,
        notes: notesOf(group),
        rows: of.map(({ record }) => ({
          rank: record.rank,
          last_rank: record.last_rank ?? null,
          id: record.id,
          name: record.name,
          club: record.subparticipant_name || null,
          zone: record.zone_name || null,
          values: Object.fromEntries(record.columns.map(({ code, value }) => [code, value])),
        })),
      })),
      total: rows.length,
    };
  },
});

export const getTopScorers = tool({
  name: 'get_top_scorers',
  title: 'Top scorers',
  description: 'Lists the top scorers of a season, best first.',
  operations: ['standings.index', 'standings.show'],
  input: z.object(seasonInput),
  pageSize: 10,
  output: z.object({
    standings_id: z.int(),
    season_id: z.int(),
    scorers: z.array(
      z.object({
        rank: z.int(),
        player_id: z.int(),
        player: z.string().nullable(),
        team_id: z.int().nullable(),
        team: z.string().nullable(),
        goals: z.number().nullable(),
        matches: z.number().nullable(),
      }),
    ),
  }),
  missing: 'No top scorers of that season are known. Call list_standings for its tables.',
  answer(args, scope) {
    const season_id = seasonOf(args, scope);
    const standings_id = chosenTable({ seasonId: season_id, typeId: TOP_SCORERS }, scope);
    const rows = rowsOf(readTable(standings_id, scope).groups);
    const scorers = pageOf(rows, args).map(({ record }) => {
      const values = new Map(record.columns.map(({ code, value }) => [code, value]));
      return {
        rank: record.rank,
        player_id: record.id,
        player: record.name,
        team_id: toWholeNumber(record.subparticipant_id),
        team: record.subparticipant_name || null,
        goals: numberOf(values.get('goals_scored')),
        matches: numberOf(values.get('mp')),
      };
    });
    return { standings_id, season_id, scorers, total: rows.length };
  },
});

/** Says the corrections of a group, and what the provider's own table says. */
function notesOf({ corrections, provider }: TableGroup): string[] {
  return [
    ...(corrections ?? []).map((one) => `Correction: ${correctionText(one)}`),
    ...(provider?.corrections ?? []).map(
      (one) => `Correction in the provider’s table: ${correctionText(one)}`,
    ),
    ...(provider?.differences ?? []).map((one) => `In the provider’s table: ${differenceText(one)}`),
  ];
}

function entryOf(one: TableListEntry): z.input<typeof entry> {
  return {
    standings_id: one.id,
    name: one.name,
    type_id: one.type_id,
    type: one.type_name,
    of: one.object_type,
    of_id: one.object_id,
  };
}

function numberOf(value: number | string | null | undefined): number | null {
  const number = value === null || value === undefined || value === '' ? Number.NaN : Number(value);
  return Number.isNaN(number) ? null : number;
}
