/** Reads the records of the provider's catalogues (spec, "Resources and their fields"; what it does not show is as in its own clients). */
import { int, long, number, oneOf, text, yesNo } from '#json/kinds.ts';
import {
  each,
  type Kinds,
  listOf,
  type RawRecord,
  type RecordReader,
  record,
  recordReader,
} from '#json/records.ts';
import type { CatalogueRecord, ProviderLeague } from '#records/types.ts';
import { UT_MAX } from './head.ts';

/** Some records of the provider are older than 1970. */
const anyTime = number(UT_MAX, -UT_MAX);

const columns = listOf(
  record({ id: long, ...each(text, 'code', 'short_name', 'name') }, ({ values, other }) => {
    return { ...values, id: values.id ?? 0, other };
  }),
);

/** The fields of each kind of record, but for its id, its name and its time. */
const FIELDS = {
  sport: { url: text, ...each(yesNo, 'active', 'has_timer') },
  area: each(text, 'area_code', 'parent_area_id'),
  language: { ...each(text, 'code', 'original_name'), active: yesNo },
  status: each(text, 'short_name', 'type'),
  incident: {
    sport_id: int,
    ...each(text, 'code', 'type', 'group'),
    for: oneOf('all', 'own', 'rival', 'none'),
    ...each(yesNo, 'details', 'game_break', 'important', 'important_for_trader'),
  },
  standings_type: { type_id: long, type_name: text, sport_id: int, columns },
  competition: {
    ...each(text, 'short_name', 'mini_name', 'area_name', 'sport_name', 'tour_name', 'slug', 'gender'),
    ...each(text, 'type', 'area_type', 'area_code', 'stats_lvl'),
    ...each(long, 'area_id', 'tour_id'),
    ...each(int, 'area_sort', 'overall_sort', 'sport_id'),
    generate_season_stats: yesNo,
  },
  season: { ...each(text, 'year', 'stats_lvl'), actual: yesNo, range_level: int },
  stage: {
    stage_name_id: long,
    ...each(text, 'start_date', 'end_date'),
    ...each(yesNo, 'show_standings', 'has_brackets', 'is_current'),
    ...each(int, 'groups_nr', 'sort'),
  },
  group: {},
} satisfies Readonly<Record<Exclude<CatalogueRecord['kind'], 'provider_league'>, Kinds>>;

/** The kinds of records that a list or a tree of the provider has. */
export type ListedKind = keyof typeof FIELDS;

/** A record before the time of its answer is known, which stands for one that it lacks. */
export type CatalogueItem = Omit<CatalogueRecord, 'ut'> & {
  readonly ut: number | null;
  /** The fields that it set to null. */
  readonly nulls: readonly string[];
  readonly unread: Iterable<string>;
};

/** What a record says that has just an id. */
export const NO_ENTRY: Omit<CatalogueRecord, 'kind' | 'id' | 'parent_id' | 'ut'> = {
  ...each(null, 'name', 'sport', 'area', 'language', 'status', 'incident', 'standings_type'),
  ...each(null, 'competition', 'season', 'stage', 'provider_league'),
  other: {},
};

const READERS = new Map<ListedKind, RecordReader<Kinds>>(
  Object.entries(FIELDS).map(([kind, fields]) => [
    kind as ListedKind,
    recordReader<Kinds>({ id: long, ut: anyTime, name: text, ...fields }),
  ]),
);

/** Returns a catalogue's record, without those nested in it; null without an id. `parentId`: that of the record above it. */
export function readCatalogueItem(
  kind: ListedKind,
  raw: RawRecord,
  parentId: string | null,
): CatalogueItem | null {
  const unread = new Set<string>();
  const read = (READERS.get(kind) as RecordReader<Kinds>)(raw, `catalogue.${kind}`, unread);
  // The provider writes `id` and `name` of a type, the spec `type_id` and `type_name`.
  const { id, ut, name, type_id, type_name, ...fields } = read.values;
  const ownId = id ?? type_id ?? null;
  if (ownId === null) return null;
  return {
    ...NO_ENTRY,
    kind,
    id: String(ownId),
    parent_id: parentId,
    ut: ut as number | null,
    name: (name ?? type_name ?? null) as string | null,
    ...(kind === 'group' ? {} : { [kind]: fields }),
    other: read.other,
    nulls: read.nulls,
    unread,
  };
}

/** Returns the entry of a league table of the provider. Without a time of its own: rows may change without a change of that of the table. */
export function leagueItem(
  id: number,
  seasonId: number,
  provider_league: ProviderLeague,
  unread: Iterable<string>,
): CatalogueItem {
  return {
    ...NO_ENTRY,
    kind: 'provider_league',
    id: String(id),
    parent_id: String(seasonId),
    ut: null,
    provider_league,
    nulls: [],
    unread,
  };
}
