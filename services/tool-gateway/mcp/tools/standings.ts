/** Tools for tables: their list, one table, and the top scorers. A call may mean a table by season, type, stage and group. */
import { z } from 'zod';
import type { OperationData } from '#contract/rest/operations.ts';
import type { Paging } from '#contract/rest/provider.ts';
import { pageOf } from '#contract/rest/tree.ts';
import { foldName } from '#domain/name-search.ts';
import { correctionText, differenceText } from '#domain/standings/provider-league.ts';
import { isOwnTable } from '#domain/standings/table-id.ts';
import { shortText } from '#json/short-text.ts';
import { toWholeNumber } from '#json/values.ts';
import { dataOf, id, seasonInput, seasonOf } from './common.ts';
import { ToolError, type ToolScope, tool } from './tool.ts';

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
    const tables = entries.map((one) => ({
      ...one,
      standings_id: one.id,
      type: one.type_name,
      of: one.object_type,
      of_id: one.object_id,
    }));
    return { season_id, tables, total };
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
  answer({ standings_id, group, ...args }, scope) {
    const tableId = standings_id ?? chosenTable(seasonOf(args, scope), { group, ...args }, scope);
    const table = readTable(tableId, scope);
    const rows = group === undefined ? rowsOf(table.groups) : rowsOfGroup(table, group);
    const shown = pageOf(rows, args);
    return {
      ...table,
      standings_id: table.id,
      type: table.type_name,
      season_id: table.season_id ?? null,
      groups: [...Map.groupBy(shown, (one) => one.group)].map(([group, of]) => ({
        name: group.name,
        notes: notesOf(group),
        rows: of.map(({ record }) => ({
          ...record,
          last_rank: record.last_rank ?? null,
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
    const standings_id = chosenTable(season_id, { type_id: TOP_SCORERS }, scope);
    const rows = rowsOf(readTable(standings_id, scope).groups);
    const scorers = pageOf(rows, args).map(({ record }) => {
      const count = (wanted: string) =>
        toWholeNumber(record.columns.find(({ code }) => code === wanted)?.value);
      return {
        ...record,
        player_id: record.id,
        player: record.name,
        team_id: toWholeNumber(record.subparticipant_id),
        team: record.subparticipant_name || null,
        goals: count('goals_scored'),
        matches: count('mp'),
      };
    });
    return { standings_id, season_id, scorers, total: rows.length };
  },
});

function notesOf({ corrections, provider }: TableGroup): string[] {
  return [
    ...(corrections ?? []).map((one) => `Correction: ${correctionText(one)}`),
    ...(provider?.corrections ?? []).map(
      (one) => `Correction in the provider’s table: ${correctionText(one)}`,
    ),
    ...(provider?.differences ?? []).map((one) => `In the provider’s table: ${differenceText(one)}`),
  ];
}

/** Maximum number of tables of one season that are searched: 19 types for each of its stages. */
const MAX_TABLES = 2_000;

type Table = OperationData<'standings.show'>['standings'];
type TableGroup = Table['groups'][number];
type TableRow = { readonly group: TableGroup; readonly record: TableGroup['participants'][number] };

/** Returns a page of the tables of a season and its stages. */
export function tablesOf(seasonId: number, { limit, page }: Paging, { data, access }: ToolScope) {
  const answer = data.standingsList({ limit, page, object_type: 'season', object_id: seasonId }, access);
  const { standings_list } = dataOf<'standings.index'>(answer);
  return { entries: standings_list, total: answer.total ?? standings_list.length };
}

/** Returns a season's table of one type: its own, else its stages' only one, else the only one with the group. Throws `ToolError`. */
function chosenTable(
  seasonId: number,
  wanted: { type_id: number; stage_id?: number | undefined; group?: string | undefined },
  scope: ToolScope,
): number {
  const { stage_id, group } = wanted;
  const { entries } = tablesOf(seasonId, { limit: MAX_TABLES, page: 1 }, scope);
  const candidates = entries.filter(
    ({ type_id, object_type, object_id }) =>
      type_id === wanted.type_id &&
      (stage_id === undefined || (object_type === 'stage' && object_id === stage_id)),
  );
  const usual = candidates.filter((one) => !isOwnTable(one.id, one));
  const withGroup = () =>
    candidates.filter(
      ({ id }) => group !== undefined && groupNamed(readTable(id, scope), group) !== undefined,
    );
  const table = usual.find((one) => one.object_type === 'season') ?? onlyOf(usual) ?? onlyOf(withGroup());
  if (table !== undefined) return table.id;
  const [code, problem, listed] =
    candidates.length > 0
      ? (['AMBIGUOUS', 'Several tables match', candidates] as const)
      : (['NOT_FOUND', 'That season has no such table', entries] as const);
  if (listed.length === 0)
    throw new ToolError(code, 'That season has no tables (yet). Call list_competitions for other seasons.');
  const names = listed.slice(0, 20).map((one) => `${one.id} (${shortText(one.name)})`);
  throw new ToolError(code, `${problem}. Call again with standings_id, such as ${names.join(', ')}.`);
}

function onlyOf<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** Throws `RestError` `NOT_FOUND`, `NOT_SERVED`, `FORBIDDEN`. */
function readTable(id: number, { data, access }: ToolScope): Table {
  return dataOf<'standings.show'>(data.standings(id, access)).standings;
}

/** Returns the rows of a group, by its name or the last word of the name. Throws `ToolError` `NOT_FOUND`. */
function rowsOfGroup(table: Table, name: string): TableRow[] {
  const group = groupNamed(table, name);
  if (group !== undefined) return rowsOf([group]);
  const names = table.groups.map((group) => shortText(group.name)).filter((one) => one !== '');
  throw new ToolError(
    'NOT_FOUND',
    `That table has no such group. It has ${names.join(', ') || 'none with a name'}.`,
  );
}

function rowsOf(groups: readonly TableGroup[]): TableRow[] {
  return groups.flatMap((group) => group.participants.map((record) => ({ group, record })));
}

/** Returns the group with this name, or with it as its last word. */
function groupNamed({ groups }: Table, name: string): TableGroup | undefined {
  const wanted = ` ${foldName(name)}`;
  return groups.find((group) => ` ${foldName(group.name)}`.endsWith(wanted));
}
