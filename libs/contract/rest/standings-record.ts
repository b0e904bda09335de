/** Renders tables as `data.standings` and `data.standings_list[]` (spec, "Standing", "Standings catalogue"), from records of topics. */
import { countOf, isRatio, TABLE_TYPES, type TableType } from '#domain/standings/columns.ts';
import { writeRecord } from '#json/records.ts';
import type { JsonObject } from '#json/values.ts';
import type { ProviderStandings, Standings, StandingsGroup, StandingsRow } from '#records/types.ts';
import { SOCCER } from '#soccer/soccer.ts';

/** The value that the contract has for an unknown id. */
const UNKNOWN_ID = 0;
const TYPES: ReadonlyMap<number, TableType> = new Map(
  [...TABLE_TYPES.values()].map((type) => [type.type_id ?? UNKNOWN_ID, type]),
);

type Table = Omit<Standings, 'later'>;

/** Renders a derived table with these groups. Objects and groups have no names: a table depends on match results alone. */
export function standingsRecord(table: Table): JsonObject {
  const { standings_id, name, type_id, type_name, subtype, object_type, object_id, groups } = table;
  return {
    columns: [],
    competition_id: table.competition_id,
    groups: groups.map((group) => groupRecord(group, table)),
    id: standings_id,
    item_status: statusOf(table),
    name,
    object_id,
    object_name: '',
    object_type,
    reset_group_rank: 'yes',
    season_id: table.season_id,
    sport_id: SOCCER,
    stage_id: object_type === 'stage' ? object_id : null,
    subtype,
    type_id,
    type_name,
  };
}

/** Renders a ranking of the provider. */
export function rankingRecord({ standings_id: id, version: _, ...ranking }: ProviderStandings): JsonObject {
  return writeRecord({ ...ranking, id });
}

/** Renders the entry of a table in the catalogue of standings. */
export function standingsEntry(table: Standings | ProviderStandings): JsonObject {
  const known =
    'item_status' in table ? table : { item_status: statusOf(table), object_name: '', sport_id: SOCCER };
  return {
    id: table.standings_id,
    name: table.name,
    type_id: table.type_id,
    type_name: table.type_name,
    subtype: table.subtype,
    object_type: table.object_type,
    object_id: table.object_id,
    object_name: known.object_name,
    item_status: known.item_status,
    sport_id: known.sport_id,
    competition_id: table.competition_id,
    season_id: table.season_id,
    // The version of a ranking is the later time of table and entry.
    ut: 'item_status' in table ? table.version : table.ut,
  };
}

function statusOf({ groups }: Pick<Standings, 'groups'>): string {
  return groups.length === 0 ? 'deleted' : 'active';
}

function groupRecord({ id, zones, corrections, rows }: StandingsGroup, table: Table): JsonObject {
  return {
    corrections: corrections.map(({ participant_id, participant_name, points, reason }) => ({
      participant_id,
      participant_name,
      reason,
      value: points > 0 ? `+${points}` : String(points),
    })),
    id: id === null ? '' : String(id),
    name: '',
    participants: rows.map((row, index) => rowRecord(row, index, table)),
    zones: zones.map((zone) => ({ colour: zone.colour, id: zone.id, name: zone.name })),
  };
}

function rowRecord(row: StandingsRow, index: number, { type_id, ranks, object_id }: Table): JsonObject {
  const { participant, club } = row;
  return {
    area_id: participant.area_id,
    area_name: participant.area_name,
    columns: cellsOf(row, TYPES.get(type_id)),
    // A row of results has no id: its index serves as one. The row of a whole season has the season's id.
    id: participant.id ?? (ranks === 'competition' ? object_id : index + 1),
    last_rank: row.last_rank,
    name: participant.name ?? '',
    participant_acronym: participant.acronym,
    participant_type: ranks,
    rank: row.rank,
    subparticipant_id: club?.id ?? null,
    subparticipant_name: club?.name ?? null,
    zone_name: row.zone ?? '',
  };
}

/** Renders the columns of a row, in the order of its type. An unknown value is '' in tables of persons, and has no cell in others. */
export function cellsOf(row: StandingsRow, type: TableType | undefined) {
  if (type === undefined) return [];
  return type.columns.flatMap(({ code, id, short_name }) => {
    const value = shownValue(row, type, code);
    return value === undefined ? [] : [{ code, id: id ?? UNKNOWN_ID, short_name, value }];
  });
}

function shownValue(row: StandingsRow, { kind, ranks }: TableType, code: string) {
  const count = countOf(kind, code);
  if (count !== null) return row[count] ?? undefined;
  const value = row.columns[code];
  if (value === undefined) return ranks === 'person' ? '' : undefined;
  if (value === null) return '';
  return typeof value === 'number' && isRatio(code) ? value.toFixed(2) : value;
}
