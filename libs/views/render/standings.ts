/** Adds names to tables: a derived table has only the ids of its season, stage and groups (docs/reference/standings.md). Pure. */

import { TABLE_TYPES } from '#domain/standings/columns.ts';
import type { ComparedGroup } from '#domain/standings/provider-league.ts';
import { writeRecord } from '#json/records.ts';
import { type JsonObject, toWholeNumber } from '#json/values.ts';
import { SOCCER } from '#soccer/soccer.ts';
import { recordsOf, slugOf } from './fields.ts';

/** Names of columns by id and code: two columns may have the same code. */
const COLUMN_NAMES: ReadonlyMap<string, string> = new Map(
  [...TABLE_TYPES.values()].flatMap(({ columns }) =>
    columns.map(({ id, code, name }) => [`${id ?? 0} ${code}`, name] as const),
  ),
);

/** The names around a table; null where unknown. */
export type TableNames = {
  readonly area: string | null;
  readonly season: string | null;
  readonly stage: string | null;
  /** The area of all its teams; null if they come from several, as in an international cup. */
  readonly teamArea: { readonly id: number; readonly name: string } | null;
  /** Name of the ranked object, such as a season. */
  readonly object: string | null;
  readonly group: (id: number) => GroupName | null;
};

/** The name of a group, and the time it was written, Unix seconds. */
type GroupName = { readonly name: string; readonly ut: number };

/** Adds the missing names to an entry of the catalogue of standings (spec, "Standings catalogue"). */
export function nameEntry(entry: JsonObject, names: TableNames): JsonObject {
  return {
    ...entry,
    name: nameOf(entry, names),
    object_name: entry.object_name || (names.object ?? ''),
    ...(entry.sport_id === SOCCER ? { sport_name: 'Soccer' } : {}),
  };
}

/**
 * Adds the missing names to a table (spec, "Standing"), derived or the provider's, in the contract's form: ids of groups as
 * text, missing lists as empty ones, unknown values as the provider writes them. `compared`: its groups beside the provider's.
 */
export function nameTable(
  table: JsonObject,
  names: TableNames,
  compared: readonly ComparedGroup[] = [],
): JsonObject {
  return {
    columns: [],
    ...nameEntry(table, names),
    // 0 where there is none, as for a ranking of a sport.
    competition_id: table.competition_id ?? 0,
    season_id: table.season_id ?? 0,
    stage_id: table.stage_id ?? 0,
    groups: recordsOf(table.groups).map((group) => ({
      ...nameGroup(group, table, names),
      ...providerOf(group, compared),
    })),
  };
}

function nameGroup(group: JsonObject, table: JsonObject, names: TableNames): JsonObject {
  const id = toWholeNumber(group.id);
  const known = id === null ? null : names.group(id);
  return {
    zones: [],
    corrections: [],
    ...group,
    id: String(group.id ?? ''),
    name: group.name || (known?.name ?? ''),
    ut: group.ut ?? known?.ut ?? table.ut ?? 0,
    participants: recordsOf(group.participants).map((row) => nameRow(row, names)),
  };
}

/** Returns the field of the provider's own table of a group's teams; none where it was not read. */
function providerOf(group: JsonObject, compared: readonly ComparedGroup[]): JsonObject {
  const own = compared.find((one) => one.group === String(group.id ?? ''));
  return own === undefined
    ? {}
    : { provider: { corrections: own.corrections.map(writeRecord), differences: own.differences } };
}

/** Adds the missing fields to a row. Without a previous rank, the rank itself is the previous one. */
function nameRow(row: JsonObject, { teamArea }: TableNames): JsonObject {
  const name = String(row.name ?? '');
  const club = String(row.subparticipant_name ?? '');
  return {
    ...row,
    name,
    participant_acronym: row.participant_acronym ?? '',
    participant_slug: row.participant_slug ?? slugOf(name, Number(row.id)),
    area_id: row.area_id ?? teamArea?.id ?? 0,
    area_name: row.area_name ?? teamArea?.name ?? '',
    last_rank: row.last_rank ?? row.rank,
    subparticipant_id: row.subparticipant_id ?? '',
    subparticipant_name: club,
    subparticipant_slug:
      row.subparticipant_slug ?? (club === '' ? '' : slugOf(club, Number(row.subparticipant_id))),
    columns: recordsOf(row.columns).map((cell) => ({ ...cell, name: cell.name ?? columnName(cell) })),
  };
}

function columnName({ id, code, short_name }: JsonObject): unknown {
  return COLUMN_NAMES.get(`${id} ${code}`) ?? short_name;
}

/** Names a table as the provider does: `League standings - Europe, Champions League 2017/18, stage: Group Stage`. */
function nameOf({ name, type_name }: JsonObject, { area, season, stage }: TableNames): unknown {
  if (name !== type_name) return name;
  const where = [area, season, stage && `stage: ${stage}`].filter(Boolean).join(', ');
  return where === '' ? name : `${type_name} - ${where}`;
}
