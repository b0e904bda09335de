/** Tables with the names that they do not have themselves (docs/reference/standings.md: a derived one knows its places by id). Pure. */

import { SOCCER } from '#contract/soccer.ts';
import { type JsonObject, toWholeNumber } from '#contract/values.ts';
import { TABLE_TYPES } from '#domain/standings/columns.ts';
import { recordsOf } from './fields.ts';
import { slugOf } from './place.ts';

/** Names of columns by id and code: some have a code twice, with other ids. */
const COLUMN_NAMES: ReadonlyMap<string, string> = new Map(
  [...TABLE_TYPES.values()].flatMap(({ columns }) =>
    columns.map(({ id, code, name }) => [`${id ?? 0} ${code}`, name] as const),
  ),
);

/** The place of a table; null where unknown. */
export type TablePlace = {
  readonly area: string | null;
  readonly season: string | null;
  readonly stage: string | null;
  /** That of its teams: null where they come from several, as in an international cup. */
  readonly teamArea: { readonly id: number; readonly name: string } | null;
  /** What is ranked. */
  readonly object: string | null;
  readonly group: (id: number) => PlaceGroup | null;
};

/** What is known of a group: its name, and when it was written, Unix seconds. */
type PlaceGroup = { readonly name: string; readonly ut: number };

/** An entry of the catalogue of standings (spec, "Standings catalogue"), with names where it has none. */
export function nameEntry(entry: JsonObject, place: TablePlace): JsonObject {
  return {
    ...entry,
    name: nameOf(entry, place),
    object_name: entry.object_name || (place.object ?? ''),
    ...(entry.sport_id === SOCCER ? { sport_name: 'Soccer' } : {}),
  };
}

/**
 * A table (spec, "Standing"), with names where it has none. Whoever made it, it is written as the contract has it: the id
 * of a group as text, lists that are left out as empty ones, and what is not known as the provider writes it.
 */
export function nameTable(table: JsonObject, place: TablePlace): JsonObject {
  return {
    columns: [],
    ...nameEntry(table, place),
    // 0 for one of no such place, as a ranking of a sport.
    competition_id: table.competition_id ?? 0,
    season_id: table.season_id ?? 0,
    stage_id: table.stage_id ?? 0,
    groups: recordsOf(table.groups).map((group) => nameGroup(group, table, place)),
  };
}

function nameGroup(group: JsonObject, table: JsonObject, place: TablePlace): JsonObject {
  const id = toWholeNumber(group.id);
  const known = id === null ? null : place.group(id);
  return {
    zones: [],
    corrections: [],
    ...group,
    id: String(group.id ?? ''),
    name: group.name || (known?.name ?? ''),
    ut: group.ut ?? known?.ut ?? table.ut ?? 0,
    participants: recordsOf(group.participants).map((row) => nameRow(row, place)),
  };
}

/** A row; before its second match a team was where it is. */
function nameRow(row: JsonObject, { teamArea }: TablePlace): JsonObject {
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

/** As the provider names its own: `League standings - Europe, Champions League 2017/18, stage: Group Stage`. */
function nameOf({ name, type_name }: JsonObject, { area, season, stage }: TablePlace): unknown {
  if (name !== type_name) return name;
  const where = [area, season, stage && `stage: ${stage}`].filter(Boolean).join(', ');
  return where === '' ? name : `${type_name} - ${where}`;
}
