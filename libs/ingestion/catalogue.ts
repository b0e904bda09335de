/** Reads the records of the provider's catalogues (spec, "Resources and their fields"; what it does not show is as in its own clients). */
import { number, oneOf, text, yesNo } from '#json/kinds.ts';
import {
  type Kinds,
  listOf,
  type RawRecord,
  type RecordReader,
  record,
  recordReader,
} from '#json/records.ts';
import { INT_MAX, LONG_MAX } from '#json/values.ts';
import type { CatalogueRecord, ProviderLeague } from '#records/types.ts';
import { UT_MAX } from './head.ts';

const int = number(INT_MAX);
const long = number(LONG_MAX);
/** Some records of the provider are older than 1970. */
const anyTime = number(UT_MAX, -UT_MAX);

/** The fields of each kind of record, but for its id, its name and its time. */
const FIELDS = {
  sport: { url: text, active: yesNo, has_timer: yesNo },
  area: { area_code: text, parent_area_id: text },
  language: { code: text, original_name: text, active: yesNo },
  status: { short_name: text, type: text },
  incident: {
    sport_id: int,
    code: text,
    type: text,
    for: oneOf('all', 'own', 'rival', 'none'),
    group: text,
    details: yesNo,
    game_break: yesNo,
    important: yesNo,
    important_for_trader: yesNo,
  },
  standings_type: {
    type_id: long,
    type_name: text,
    sport_id: int,
    columns: listOf(
      record(
        { id: long, code: text, short_name: text, name: text },
        ({ values: { id, ...named }, other }) => ({
          id: id ?? 0,
          ...named,
          other,
        }),
      ),
    ),
  },
  competition: {
    short_name: text,
    mini_name: text,
    gender: text,
    type: text,
    area_id: long,
    area_name: text,
    area_type: text,
    area_sort: int,
    area_code: text,
    overall_sort: int,
    sport_id: int,
    sport_name: text,
    tour_id: long,
    tour_name: text,
    slug: text,
    stats_lvl: text,
    generate_season_stats: yesNo,
  },
  season: { year: text, actual: yesNo, range_level: int, stats_lvl: text },
  stage: {
    stage_name_id: long,
    start_date: text,
    end_date: text,
    show_standings: yesNo,
    has_brackets: yesNo,
    groups_nr: int,
    sort: int,
    is_current: yesNo,
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
  /** The paths of what could not be read. */
  readonly unread: Iterable<string>;
};

/** What a record says that has just an id. */
export const NO_ENTRY: Omit<CatalogueRecord, 'kind' | 'id' | 'parent_id' | 'ut'> = {
  name: null,
  sport: null,
  area: null,
  language: null,
  status: null,
  incident: null,
  standings_type: null,
  competition: null,
  season: null,
  stage: null,
  provider_league: null,
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
