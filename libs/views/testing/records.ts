/** Records of the provider's catalogue and of tables, for tests of views. */
import { providerStandings } from '#domain/standings/provider-table.ts';
import type { Standings, StandingsEntry } from '#records/types.ts';
import type { ViewRecord } from '../ingest/records.ts';

type Id = number | string;

const AT = { partition: 0, offset: 0 };
/** When the records were written unless a test says so, Unix seconds. */
const WRITTEN = 1_700_000_000;

/** Returns a record of the provider's catalogue. `parent`: the id of the node or sport that it belongs to. */
export function catalogueRecord(
  kind: string,
  id: Id,
  parent: Id | null,
  body: object,
  ut = WRITTEN,
): ViewRecord<'catalogue'> {
  const parent_id = parent === null ? null : String(parent);
  const value = { kind, id: String(id), parent_id, ut, body: JSON.stringify(body) };
  return { topic: 'catalogue', ...AT, key: `${kind}/${id}`, value };
}

const TABLE = {
  version: 1,
  type_id: 2,
  object_type: 'season',
  object_id: 25_528,
  competition_id: 6_628,
  season_id: 25_528,
  ut: WRITTEN,
  cause: null,
};

/** Returns the entry of a league table in the list of tables, by default that of a season. */
export function tableEntry(
  id: number,
  changes: Partial<StandingsEntry> = {},
): ViewRecord<'standings-catalogue'> {
  const value = {
    ...TABLE,
    standings_id: id,
    name: 'League',
    type_name: 'League standings',
    subtype: 'standings',
    object_name: '',
    item_status: 'active',
    sport_id: 5,
    ...changes,
  };
  return { topic: 'standings-catalogue', ...AT, key: String(id), value };
}

/** Returns a league table, by default that of a season. */
export function tableRecord(
  id: number,
  body: object,
  changes: Partial<Standings> = {},
): ViewRecord<'standings'> {
  const value = { ...TABLE, standings_id: id, body: JSON.stringify(body), later: [], ...changes };
  return { topic: 'standings', ...AT, key: String(id), value };
}

/** Returns a ranking of the provider. `body`: `data.standings`. */
export function rankingRecord(body: object): ViewRecord<'provider-standings'> {
  const value = providerStandings(body, WRITTEN);
  if (value === null) throw new Error('no ranking');
  return { topic: 'provider-standings', ...AT, key: String(value.standings_id), value };
}
