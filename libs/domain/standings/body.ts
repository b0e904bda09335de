import { canonicalJson } from '#contract/canonical-json.ts';
import { SOCCER } from '#contract/soccer.ts';
import type { TableType } from './columns.ts';
import type { TableObject } from './standings-id.ts';
import type { StandingsCell, Table, TableRow } from './tables.ts';

/** A table of one object, group by group. */
export type ObjectTable = {
  readonly id: number;
  readonly type: TableType;
  readonly object: TableObject;
  /** `id`: null where the matches are of no group. */
  readonly groups: readonly { readonly id: number | null; readonly table: Table }[];
};

/** The value that the provider's shape has for an unknown id. */
const UNKNOWN_ID = 0;

/**
 * The table in the provider's shape (`data.standings`), as canonical JSON. Names of objects and groups are not in it: a
 * table is a function of match results, and those have ids only.
 */
export function standingsBody({ id, type, object, groups }: ObjectTable): string {
  return canonicalJson({
    id,
    ...typeFields(type),
    sport_id: SOCCER,
    object_type: object.type,
    object_id: object.id,
    object_name: '',
    item_status: groups.length === 0 ? 'deleted' : 'active',
    reset_group_rank: 'yes',
    competition_id: object.competitionId,
    season_id: object.seasonId,
    stage_id: object.type === 'stage' ? object.id : null,
    columns: [],
    groups: groups.map((group) => ({
      id: group.id === null ? '' : String(group.id),
      name: '',
      zones: group.table.zones.map(({ id: zoneId, name, colour }) => ({ id: zoneId, name, colour })),
      corrections: group.table.corrections.map(({ participant_id, value, reason }) => ({
        participant_id,
        participant_name: group.table.rows.find((row) => row.id === participant_id)?.name ?? null,
        value: value > 0 ? `+${value}` : String(value),
        reason,
      })),
      participants: group.table.rows.map((row, place) => participantOf(row, place, type, object)),
    })),
  });
}

/** How a type is named in tables and in their catalogue. */
export function typeFields({ type_id, type_name, subtype }: TableType) {
  return { name: type_name, type_id: type_id ?? UNKNOWN_ID, type_name, subtype };
}

function participantOf(row: TableRow, place: number, { ranks }: TableType, object: TableObject): object {
  // A row of results has no id, so its place stands for one; the row of a whole season has the season's.
  const id = row.id ?? (ranks === 'competition' ? object.id : place + 1);
  const columns = row.columns.map(columnOf);
  return { ...row, id, name: row.name ?? '', participant_type: ranks, columns };
}

/** With its keys in order, so that a list of them is written in one go. */
function columnOf({ code, id, short_name, value }: StandingsCell): object {
  return { code, id: id ?? UNKNOWN_ID, short_name, value };
}
