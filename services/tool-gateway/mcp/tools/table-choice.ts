/** Finds the table that a call means, and its rows. */
import type { OperationData } from '#contract/rest/operations.ts';
import { foldName } from '#domain/name-search.ts';
import { isOwnTable } from '#domain/standings/table-id.ts';
import { shortText } from '#json/short-text.ts';
import { dataOf } from './common.ts';
import { ToolError, type ToolScope } from './tool.ts';

/** Maximum number of tables of one season that are searched: 19 types for each of its stages. */
const MAX_TABLES = 2_000;

export type TableListEntry = OperationData<'standings.index'>['standings_list'][number];
type Table = OperationData<'standings.show'>['standings'];
export type TableGroup = Table['groups'][number];
type TableRow = { readonly group: TableGroup; readonly record: TableGroup['participants'][number] };

/** Returns a page of the tables of a season and its stages. */
export function tablesOf(
  seasonId: number,
  { limit, page }: { limit: number; page: number },
  { data, access }: ToolScope,
): { entries: readonly TableListEntry[]; total: number } {
  const answer = data.standingsList({ limit, page, object_type: 'season', object_id: seasonId }, access);
  const { standings_list } = dataOf<'standings.index'>(answer);
  return { entries: standings_list, total: answer.total ?? standings_list.length };
}

type WantedTable = {
  readonly seasonId: number;
  readonly typeId: number;
  readonly stageId?: number | undefined;
  readonly group?: string | undefined;
};

/** Returns a season's table of one type: its own, else its stages' only one, else the only one with the group. Throws `ToolError`. */
export function chosenTable({ seasonId, typeId, stageId, group }: WantedTable, scope: ToolScope): number {
  const { entries } = tablesOf(seasonId, { limit: MAX_TABLES, page: 1 }, scope);
  const ofType = entries.filter((one) => one.type_id === typeId);
  const candidates =
    stageId === undefined
      ? ofType
      : ofType.filter((one) => one.object_type === 'stage' && one.object_id === stageId);
  const usual = candidates.filter((one) => !isOwnTable(one.id, one));
  const own = usual.find((one) => one.object_type === 'season');
  const only = usual.length === 1 ? usual[0] : undefined;
  const withGroup =
    group === undefined
      ? []
      : candidates.filter(({ id }) => groupNamed(readTable(id, scope), group) !== undefined);
  const table = own ?? only ?? (withGroup.length === 1 ? withGroup[0] : undefined);
  if (table !== undefined) return table.id;
  if (candidates.length > 0) {
    const names = candidates.slice(0, 20).map((one) => `${one.id} (${shortText(one.name)})`);
    throw new ToolError(
      'AMBIGUOUS',
      `Several tables match. Call again with standings_id, one of ${names.join(', ')}.`,
    );
  }
  const stages = new Map(
    entries.filter((one) => one.object_type === 'stage').map((one) => [one.object_id, one.object_name]),
  );
  if (stageId !== undefined && !stages.has(stageId) && entries.length > 0) {
    const names = [...stages]
      .map(([id, name]) => (name ? `${id} (${shortText(name)})` : String(id)))
      .join(', ');
    throw new ToolError(
      'NOT_FOUND',
      `That season has no tables of that stage. ${names === '' ? 'Call again without stage_id.' : `Its stages with tables are ${names}.`}`,
    );
  }
  const types = [...new Map(entries.map((one) => [one.type_id, one.type_name]))];
  const known = types.map(([type, name]) => `${type} ${shortText(name)}`).join(', ');
  throw new ToolError(
    'NOT_FOUND',
    known === ''
      ? 'That season has no tables (yet). Call list_competitions for other seasons.'
      : `That season has no table of this type. It has types ${known}.`,
  );
}

/** Reads a table. Throws `RestError` `NOT_FOUND`, `NOT_SERVED`, `FORBIDDEN`. */
export function readTable(id: number, { data, access }: ToolScope): Table {
  return dataOf<'standings.show'>(data.standings(id, access)).standings;
}

/** Returns the rows of a group, by its name or the last word of the name. Throws `ToolError` `NOT_FOUND`. */
export function rowsOfGroup(table: Table, name: string): TableRow[] {
  const group = groupNamed(table, name);
  if (group !== undefined) return rowsOf([group]);
  const names = table.groups.map((group) => shortText(group.name)).filter((one) => one !== '');
  throw new ToolError(
    'NOT_FOUND',
    names.length === 0
      ? 'That table has no named groups. Call again without group.'
      : `That table has no such group. It has ${names.join(', ')}.`,
  );
}

/** Returns the rows of some groups. */
export function rowsOf(groups: readonly TableGroup[]): TableRow[] {
  return groups.flatMap((group) => group.participants.map((record) => ({ group, record })));
}

/** Returns the group with this name, or with it as its last word. */
function groupNamed({ groups }: Table, name: string): TableGroup | undefined {
  const wanted = foldName(name);
  return groups.find(
    (group) => foldName(group.name) === wanted || foldName(group.name).endsWith(` ${wanted}`),
  );
}
