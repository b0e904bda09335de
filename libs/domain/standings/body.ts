import { hash } from 'node:crypto';
import { SOCCER } from '#soccer/soccer.ts';
import type { TableKind, TableType } from './columns.ts';
import { type Table, type TableRow, UNKNOWN_ID } from './tables.ts';

/** The season or stage whose matches a table ranks. */
export type TableObject = {
  readonly type: 'season' | 'stage';
  readonly id: number;
  readonly competitionId: number;
  readonly seasonId: number;
};

/** The smallest id of our tables: far above the provider's, so that passed-through tables keep theirs. */
export const FIRST_STANDINGS_ID = 2 ** 52;

/**
 * Returns the id of a table. It depends on kind and object alone, so that every rebuild gives the same id. Competition
 * and season are part of it: a stage reported in two seasons has a table in each, written by two tasks. `ownId`: the number of a
 * table that the rules define.
 * 52 bits of SHA-256: of a million tables, two share an id with a probability of 1 in 9,000.
 */
export function standingsId(
  kind: TableKind,
  { competitionId, seasonId, type, id }: TableObject,
  ownId: number | null = null,
): number {
  const own = ownId === null ? '' : `/${ownId}`;
  const digest = hash('sha256', `${competitionId}/${seasonId}/${type}/${id}/${kind}${own}`, 'hex');
  return FIRST_STANDINGS_ID + Number.parseInt(digest.slice(0, 13), 16);
}

/** Whether rules define a table of ours beside those of the stages, whose names begin with that of their type. */
export function isOwnTable(
  id: number,
  { name, type_name }: { readonly name: string; readonly type_name: string },
): boolean {
  return id >= FIRST_STANDINGS_ID && !name.startsWith(type_name);
}

/** A table of one object, group by group. */
type ObjectTable = {
  readonly id: number;
  readonly type: TableType;
  /** That of the type, or the one of the rules. */
  readonly name: string;
  readonly object: TableObject;
  /** `id`: null when the matches belong to no group. */
  readonly groups: readonly { readonly id: number | null; readonly table: Table }[];
};

/**
 * Returns the table in the provider's shape (`data.standings`), as canonical JSON. Names of objects and groups are empty: a
 * table depends on match results alone, which have only ids.
 */
export function standingsBody({ id, type, name, object, groups }: ObjectTable): string {
  const { type_id, type_name, subtype } = typeFields(type);
  // Every record has its keys in canonical order: `JSON.stringify` takes a third of the time of `canonicalJson`.
  return JSON.stringify({
    columns: [],
    competition_id: object.competitionId,
    groups: groups.map(({ id: groupId, table }) => ({
      corrections: table.corrections.map(({ participant_id, value, reason }) => ({
        participant_id,
        participant_name: table.rows.find((row) => row.id === participant_id)?.name ?? null,
        reason,
        value: value > 0 ? `+${value}` : String(value),
      })),
      id: groupId === null ? '' : String(groupId),
      name: '',
      participants: table.rows.map((row, index) => participantOf(row, index, type, object)),
      zones: table.zones.map((zone) => ({ colour: zone.colour, id: zone.id, name: zone.name })),
    })),
    id,
    item_status: groups.length === 0 ? 'deleted' : 'active',
    name,
    object_id: object.id,
    object_name: '',
    object_type: object.type,
    reset_group_rank: 'yes',
    season_id: object.seasonId,
    sport_id: SOCCER,
    stage_id: object.type === 'stage' ? object.id : null,
    subtype,
    type_id,
    type_name,
  });
}

/** Returns the fields that name a type in tables and in their catalogue. */
export function typeFields({ type_id, type_name, subtype }: TableType) {
  return { type_id: type_id ?? UNKNOWN_ID, type_name, subtype };
}

function participantOf(row: TableRow, index: number, { ranks }: TableType, object: TableObject): object {
  return {
    area_id: row.area_id,
    area_name: row.area_name,
    columns: row.columns,
    // A row of results has no id: its index serves as one. The row of a whole season has the season's id.
    id: row.id ?? (ranks === 'competition' ? object.id : index + 1),
    last_rank: row.last_rank,
    name: row.name ?? '',
    participant_acronym: row.participant_acronym,
    participant_type: ranks,
    rank: row.rank,
    subparticipant_id: row.subparticipant_id,
    subparticipant_name: row.subparticipant_name,
    zone_name: row.zone_name,
  };
}
