/** Reads the provider's tables (spec, "Standing"): its rankings, and of its league tables what is compared with ours. */
import { FIRST_STANDINGS_ID } from '#domain/standings/table-id.ts';
import { int as wholeOf } from '#domain/values.ts';
import { int, type Kind, long, onlyText, text } from '#json/kinds.ts';
import { each, isRecord, listOf, type RawRecord, record, recordReader, withOther } from '#json/records.ts';
import { toWholeNumber } from '#json/values.ts';
import type { ProviderCorrection, ProviderLeague, ProviderStandings } from '#records/types.ts';
import { SOCCER } from '#soccer/soccer.ts';

/** The table types that do not follow from match results: the rankings of national teams and of clubs. */
export const PROVIDER_TYPES: ReadonlySet<number> = new Set([9, 11]);

const numberOrText: Kind<number | string> = (value, path, unread) =>
  typeof value === 'number' && Number.isFinite(value) ? value : onlyText(value, path, unread);

/** A correction: a record, or its value alone. One without a value says nothing. */
const correction: Kind<ProviderCorrection> = (given, path, unread) =>
  correctionRecord(isRecord(given) ? given : { value: given }, path, unread);
const correctionRecord = record(
  { participant_id: long, ...each(text, 'participant_name', 'value', 'reason') },
  ({ values, other }): ProviderCorrection | null => {
    const value = values.value?.trim() ?? '';
    return value === '' ? null : { ...values, value: /^\d/.test(value) ? `+${value}` : value, other };
  },
);

const column = record(
  { id: long, ...each(text, 'code', 'short_name', 'name'), value: numberOrText },
  withOther,
);
const zone = record({ id: long, ...each(text, 'name', 'colour') }, withOther);

const row = record(
  {
    ...each(long, 'id', 'area_id', 'subparticipant_id'),
    ...each(int, 'rank', 'last_rank'),
    ...each(text, 'name', 'participant_type', 'participant_acronym', 'participant_slug', 'area_name'),
    ...each(text, 'zone_name', 'subparticipant_name', 'subparticipant_slug'),
    columns: listOf(column),
  },
  (read) => ({ ...withOther(read), columns: read.values.columns ?? [] }),
);

const group = record(
  {
    ...each(long, 'id', 'ut'),
    name: text,
    zones: listOf(zone),
    corrections: listOf(correction),
    participants: listOf(row),
  },
  ({ values: { id, name, ut, ...lists }, other }) => {
    const { zones, corrections, participants } = lists;
    const all = { zones: zones ?? [], corrections: corrections ?? [], participants: participants ?? [] };
    return { id: String(id ?? ''), name: name ?? '', ut, ...all, other };
  },
);

const readTable = recordReader({
  ...each(long, 'id', 'ut', 'object_id', 'competition_id', 'season_id', 'stage_id'),
  ...each(int, 'type_id', 'sport_id'),
  ...each(text, 'name', 'type_name', 'subtype', 'object_type', 'object_name', 'item_status'),
  ...each(text, 'sport_name', 'reset_group_rank'),
  groups: listOf(group),
});

/**
 * Returns a ranking's record from its `data.standings` and catalogue entry, read at `answeredAt`, Unix seconds; null for a table
 * that is derived here. Names in `unread` what cannot be read.
 */
export function providerStandings(
  standings: unknown,
  answeredAt: number,
  entry: RawRecord,
  unread: Set<string>,
): ProviderStandings | null {
  if (!isRecord(standings)) return null;
  // Only the entry has some fields, such as a name.
  const { columns: _, ...all }: RawRecord = { ...entry, ...standings, id: standings.id, ut: standings.ut };
  const { values, other } = readTable(all, 'standings', unread);
  const { id, type_id, object_id, type_name, ut, ...table } = values;
  if (!id || id >= FIRST_STANDINGS_ID || object_id === null) return null;
  if (type_id === null || !PROVIDER_TYPES.has(type_id)) return null;
  return {
    ...table,
    standings_id: id,
    version: Math.max(ut ?? answeredAt, toWholeNumber(entry.ut) ?? 0),
    ut: ut ?? answeredAt,
    name: table.name ?? type_name ?? '',
    type_id,
    type_name: type_name ?? '',
    subtype: table.subtype ?? 'standings',
    object_type: table.object_type ?? '',
    object_id,
    object_name: table.object_name ?? '',
    item_status: table.item_status ?? 'active',
    sport_id: table.sport_id ?? SOCCER,
    groups: table.groups ?? [],
    other,
  };
}

/** Reads a league table of the provider (`data.standings`). Returns null when it is no table of a known object. */
export function providerLeague(standings: unknown, unread: Set<string>): ProviderLeague | null {
  if (!isRecord(standings)) return null;
  const { object_type, object_id, groups } = readTable(standings, 'standings', unread).values;
  if (object_id === null) return null;
  return {
    object_type: object_type ?? '',
    object_id,
    groups: (groups ?? []).map(({ id, participants, corrections }) => ({
      id,
      rows: participants.flatMap(({ id, name, rank, columns }) => {
        const figure = (code: string) => wholeOf(columns.find((column) => column.code === code)?.value);
        return id === null ? [] : [{ id, name, rank, mp: figure('mp'), pts: figure('pts') }];
      }),
      corrections,
    })),
  };
}
