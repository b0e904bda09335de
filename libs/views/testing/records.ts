/** Records of the provider's catalogue and of tables, for tests of views. */

import { COUNTS, countOf, TABLE_TYPES, type TableKind, type TableType } from '#domain/standings/columns.ts';
import { type ListedKind, leagueItem, readCatalogueItem } from '#ingestion/catalogue.ts';
import { providerLeague, providerStandings } from '#ingestion/provider-standings.ts';
import type {
  CatalogueRecord,
  ProviderStandings,
  Standings,
  StandingsGroup,
  StandingsRow,
} from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import type { ViewRecord } from '../records.ts';

type Id = number | string;

const AT = { partition: 0, offset: 0 };
/** When the records were written unless a test says so, Unix seconds. */
const WRITTEN = 1_700_000_000;

/** Returns what the topic has of a record of the provider's catalogue. `body`: the provider's record, of a league `data.standings`. */
export function catalogueValue(
  kind: string,
  id: Id,
  parent: Id | null,
  body: object,
  ut?: number,
): CatalogueRecord {
  const league = kind === 'provider_league' ? providerLeague(body, new Set()) : null;
  const item =
    league === null
      ? readCatalogueItem(kind as ListedKind, { id, ...body }, parent === null ? null : String(parent))
      : leagueItem(Number(id), Number(parent), league, []);
  if (item === null) throw new Error('no record of the catalogue');
  const { nulls: _, unread: __, ...record } = item;
  return { ...record, ut: ut ?? item.ut ?? WRITTEN };
}

/** Returns the record of `catalogueValue`. */
export function catalogueRecord(...of: Parameters<typeof catalogueValue>): ViewRecord<'catalogue'> {
  const value = catalogueValue(...of);
  return { topic: 'catalogue', ...AT, key: `${value.kind}/${value.id}`, value };
}

const TABLE: Standings = {
  ...sampleOf('standings'),
  version: 1,
  name: 'League',
  object_id: 25_528,
  competition_id: 6_628,
  season_id: 25_528,
  groups: [],
  later: [],
  ut: WRITTEN,
};

/** Rows as `data.standings` has them, or fewer of their fields. */
type ShownRow = {
  readonly id?: number;
  readonly name?: string;
  readonly rank?: number;
  readonly last_rank?: number | null;
  readonly zone_name?: string;
  readonly subparticipant_id?: number | string | null;
  readonly subparticipant_name?: string | null;
  readonly columns?: readonly { readonly code: string; readonly value: number | string }[];
};
/** Groups as `data.standings` has them, or fewer of their fields. */
export type ShownGroups = readonly {
  readonly id?: number | string | null;
  readonly zones?: readonly { readonly id: number; readonly name: string; readonly colour: string }[];
  readonly corrections?: readonly {
    readonly participant_name: string;
    readonly value: string;
    readonly reason: string;
  }[];
  readonly participants: readonly ShownRow[];
}[];

/** Returns a provider's table of a season, `data.standings`, in which one team has these points. */
export function providerTable(season: number, points: number, group: object = {}) {
  const columns = [{ id: 8, code: 'pts', value: points }];
  const groups = [{ id: '', participants: [{ id: 1, name: 'One', rank: 1, columns }], ...group }];
  return { object_type: 'season', object_id: season, groups };
}

/** Returns a derived league table, by default that of a season. `groups`: one, with one row, by default. */
export function tableRecord(
  id: number,
  changes: Partial<Standings> = {},
  groups: ShownGroups = [{ participants: [{ id: 1, name: 'One', rank: 1 }] }],
): ViewRecord<'standings'> {
  const value = { ...TABLE, standings_id: id, ...changes };
  const kind = [...TABLE_TYPES.values()].find(({ type_id }) => type_id === value.type_id);
  const table = { ...value, ranks: kind?.ranks ?? 'team', groups: changes.groups ?? groupsOf(groups, kind) };
  return { topic: 'standings', ...AT, key: String(id), value: table };
}

/** Returns the groups of a table from what the contract shows of them. */
export function groupsOf(
  groups: ShownGroups,
  { kind }: Pick<TableType, 'kind'> = { kind: 'league' },
): StandingsGroup[] {
  return groups.map(({ id, zones = [], corrections = [], participants }) => ({
    id: id ? Number(id) : null,
    zones: zones.map((zone) => ({ ...zone, from: 1, to: 1 })),
    corrections: corrections.map(({ participant_name, value, reason }) => ({
      participant_id: 1,
      participant_name,
      points: Number(value),
      reason,
    })),
    rows: participants.map((row) => rowOf(row, kind)),
  }));
}

const UNKNOWN = { acronym: null, area_id: null, area_name: null };

function rowOf(row: ShownRow, kind: TableKind): StandingsRow {
  const [group] = sampleOf('standings').groups;
  const made: StandingsRow = {
    ...(group?.rows[0] as StandingsRow),
    rank: row.rank ?? 1,
    last_rank: row.last_rank ?? null,
    participant: { ...UNKNOWN, id: row.id ?? null, name: row.name ?? null },
    club: row.subparticipant_name
      ? { id: Number(row.subparticipant_id ?? 0), name: row.subparticipant_name }
      : null,
    zone: row.zone_name || null,
    columns: {},
  };
  for (const count of Object.values(COUNTS)) made[count] = null;
  for (const { code, value } of row.columns ?? []) {
    const count = countOf(kind, code);
    if (count === null) made.columns[code] = value === '' ? null : value;
    else made[count] = Number(value);
  }
  return made;
}

/** Returns a table of any type as the provider writes one. `shown`: `data.standings`. */
export function shownTable(
  id: number,
  shown: object,
  changes: Partial<ProviderStandings> = {},
): ViewRecord<'provider-standings'> {
  const { value, ...at } = rankingRecord({ ...shown, id: 1, type_id: 9, object_id: 5, ut: 1 });
  const { name, object_type, object_id, competition_id, season_id, version } = TABLE;
  const levels = { object_type, object_id, competition_id, season_id };
  const of = { name, ...levels, standings_id: id, type_id: 2, version };
  const table = { ...(value as ProviderStandings), ...of, ...changes };
  return { ...at, key: String(id), value: table };
}

/** Returns a ranking of the provider. `body`: `data.standings`. */
export function rankingRecord(body: object): ViewRecord<'provider-standings'> {
  const value = providerStandings(body, WRITTEN, {}, new Set());
  if (value === null) throw new Error('no ranking');
  return { topic: 'provider-standings', ...AT, key: String(value.standings_id), value };
}
