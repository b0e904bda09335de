import { listOf, only, type ReadTyped, readTyped, withOther } from '#json/typed-record.ts';
import type { JsonObject } from '#json/values.ts';
import type { ProviderRankingGroup, ProviderRankingRow, ProviderStandings } from '#records/types.ts';
import { SOCCER } from '#soccer/soccer.ts';
import { count, int, long, object, text } from '../values.ts';
import { FIRST_STANDINGS_ID } from './table-id.ts';

/** The table types that do not follow from match results: the rankings of national teams and of clubs. */
export const PROVIDER_TYPES: ReadonlySet<number> = new Set([9, 11]);

const numberOrText: ReadTyped<number | string> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : text(value);

const columns = listOf(only({ id: long, code: text, short_name: text, name: text, value: numberOrText }));
const zones = listOf(only({ id: long, name: text, colour: text }));
const corrections = listOf(only({ participant_id: long, participant_name: text, value: text, reason: text }));

const rowFields = withOther({
  id: long,
  name: text,
  rank: int,
  last_rank: int,
  participant_type: text,
  participant_acronym: text,
  participant_slug: text,
  area_id: long,
  area_name: text,
  zone_name: text,
  subparticipant_id: long,
  subparticipant_name: text,
  subparticipant_slug: text,
  columns,
});
const groupId: ReadTyped<string> = (value) => (value === '' ? '' : (long(value)?.toString() ?? null));
const groupFields = withOther({
  id: groupId,
  name: text,
  ut: long,
  zones,
  corrections,
  participants: listOf(rowOf),
});
const TABLE = {
  name: text,
  type_id: int,
  type_name: text,
  subtype: text,
  object_type: text,
  object_id: long,
  object_name: text,
  item_status: text,
  sport_id: int,
  sport_name: text,
  competition_id: long,
  season_id: long,
  stage_id: long,
  reset_group_rank: text,
  groups: listOf(groupOf),
};

/**
 * Returns the record of a ranking of the provider, from its `GET /v2/standings/{id}` answer (`data.standings`) and its entry in the
 * catalogue of standings, under the provider's id. `answeredAt`: the answer's `api.timestamp`, Unix seconds. Returns null for any
 * other table: one of a type that is derived here, or without an id.
 */
export function providerStandings(
  standings: unknown,
  answeredAt: number,
  entry: JsonObject = {},
): ProviderStandings | null {
  const table = object(standings);
  const type_id = int(table?.type_id);
  const object_id = long(table?.object_id);
  const standings_id = count(table?.id);
  if (table === null || standings_id === null || standings_id >= FIRST_STANDINGS_ID) return null;
  if (type_id === null || !PROVIDER_TYPES.has(type_id) || object_id === null) return null;
  const ut = long(table.ut) ?? answeredAt;
  // Only the entry has some fields, such as a name.
  const { id: _id, ut: _ut, columns: _columns, ...named } = { ...entry, ...table };
  const read = readTyped(named, TABLE);
  const type_name = read.type_name ?? '';
  return {
    standings_id,
    version: Math.max(ut, long(entry.ut) ?? 0),
    ut,
    ...read,
    name: read.name ?? type_name,
    type_id,
    type_name,
    subtype: read.subtype ?? 'standings',
    object_type: read.object_type ?? '',
    object_id,
    object_name: read.object_name ?? '',
    item_status: read.item_status ?? 'active',
    sport_id: read.sport_id ?? SOCCER,
    groups: read.groups ?? [],
  };
}

function groupOf(value: unknown): ProviderRankingGroup | null {
  const group = groupFields(value);
  if (group === null) return null;
  return {
    ...group,
    id: group.id ?? '',
    name: group.name ?? '',
    zones: group.zones ?? [],
    corrections: group.corrections ?? [],
    participants: group.participants ?? [],
  };
}

function rowOf(value: unknown): ProviderRankingRow | null {
  const row = rowFields(value);
  return row && { ...row, columns: row.columns ?? [] };
}
