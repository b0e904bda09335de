import { canonicalJson } from '#json/canonical-json.ts';
import type { Standings, StandingsEntry } from '#records/types.ts';
import { SOCCER } from '#soccer/soccer.ts';
import { count, int, long, object, text } from '../values.ts';
import { FIRST_STANDINGS_ID } from './body.ts';

/** The table types that do not follow from match results: the rankings of national teams and of clubs. */
export const PROVIDER_TYPES: ReadonlySet<number> = new Set([9, 11]);

/**
 * Returns the records of a ranking of the provider, from its `GET /v2/standings/{id}` answer (`data.standings`), unchanged and
 * under the provider's id. `answeredAt`: the answer's `api.timestamp`, Unix seconds. Returns null for any other table: one of
 * a type that is derived here, or without an id.
 */
export function providerTable(
  standings: unknown,
  answeredAt: number,
): { readonly entry: StandingsEntry; readonly table: Standings } | null {
  const record = object(standings);
  const id = count(record?.id);
  const type_id = int(record?.type_id);
  const object_id = long(record?.object_id);
  if (record === null || id === null || id >= FIRST_STANDINGS_ID) return null;
  if (type_id === null || !PROVIDER_TYPES.has(type_id) || object_id === null) return null;
  const ut = long(record.ut) ?? answeredAt;
  const shared = {
    standings_id: id,
    // The provider's time of writing is the version, so that the same answer has the same version.
    version: ut,
    type_id,
    object_type: text(record.object_type) ?? '',
    object_id,
    competition_id: long(record.competition_id),
    season_id: long(record.season_id),
    ut,
    cause: null,
  };
  const type_name = text(record.type_name) ?? '';
  return {
    entry: {
      ...shared,
      name: text(record.name) ?? type_name,
      type_name,
      subtype: text(record.subtype) ?? 'standings',
      object_name: text(record.object_name) ?? '',
      item_status: text(record.item_status) ?? 'active',
      sport_id: int(record.sport_id) ?? SOCCER,
    },
    table: { ...shared, body: canonicalJson(record), later: [] },
  };
}
