import { sameValue } from '#domain/event.ts';
import type { CatalogueItem } from '#ingestion/catalogue.ts';
import type { CatalogueRecord } from '#records/types.ts';
import { limiter } from '../provider/limiter.ts';
import { keyOf, type TopicWriter } from '../publish/topic-writer.ts';

export type Catalogue = ReturnType<typeof createCatalogue>;

/**
 * Creates the state of the catalogue topic, and publishes its changes. Lists hold a record with different fields, which are merged by time.
 * `records`: the last of each key.
 */
export function createCatalogue(
  records: Iterable<CatalogueRecord>,
  topicWriter: Pick<TopicWriter, 'catalogue'>,
) {
  const known = new Map(Iterator.from(records).map((record) => [keyOf(record), record]));
  /** Publishes one batch at a time: a change is relative to the earlier batches. */
  const oneByOne = limiter(1);
  return {
    has: (kind: string): boolean => known.values().some((one) => one.kind === kind),
    /** Publishes the entries that change a record. `time`: `api.timestamp` of the answer, Unix seconds. Throws `PublishError`. */
    publish: (entries: readonly CatalogueItem[], time: number): Promise<void> =>
      oneByOne(async () => {
        const changed = new Map<string, CatalogueRecord>();
        const unread = new Set<string>();
        for (const entry of entries) {
          const key = keyOf(entry);
          const next = merged(changed.get(key) ?? known.get(key), entry, time);
          if (next === null) continue;
          changed.set(key, next);
          for (const path of entry.unread) unread.add(path);
        }
        if (changed.size === 0) return;
        await topicWriter.catalogue([...changed.values()], unread);
        for (const [key, record] of changed) known.set(key, record);
      }),
    /** Returns the ids of the current seasons of these sports and competitions; an empty set of competitions means all. */
    actualSeasons: (sports: ReadonlySet<number>, competitions: ReadonlySet<number>): number[] =>
      [...known.values()].flatMap(({ id, parent_id, season }) => {
        if (season?.actual !== true || parent_id === null) return [];
        const sport = known.get(`competition/${parent_id}`)?.competition?.sport_id ?? null;
        const isFollowed = competitions.size === 0 || competitions.has(Number(parent_id));
        return sport !== null && sports.has(sport) && isFollowed ? Number(id) : [];
      }),
  };
}

/** Returns the record after applying an entry; null when nothing changes. */
function merged(
  known: CatalogueRecord | undefined,
  { nulls, unread: _, ...entry }: CatalogueItem,
  time: number,
): CatalogueRecord | null {
  const ut = entry.ut ?? time;
  if (known === undefined) return { ...entry, ut };
  if (ut < known.ut) return null;
  const isLater = ut > known.ut;
  const next = mergedFields(known, entry, isLater ? nulls : null);
  return sameValue(next, known) ? null : { ...next, ut };
}

/** Returns a record with the fields of an entry. `nulls`: those that it sets to null; null for an entry of the same time. */
function mergedFields(
  known: CatalogueRecord,
  entry: Omit<CatalogueRecord, 'ut'>,
  nulls: readonly string[] | null,
): CatalogueRecord {
  const over = (own: object | null, given: object | null): Record<string, unknown> => {
    const fields: Record<string, unknown> = { ...own };
    for (const [name, value] of Object.entries(given ?? {}))
      if (nulls === null) fields[name] ??= value;
      else if (value !== null || nulls.includes(name)) fields[name] = value;
    return fields;
  };
  const { kind, parent_id, name, other } = entry;
  const own = kind === 'group' ? {} : { [kind]: over(known[kind], entry[kind]) };
  return { ...over(known, { parent_id, name }), ...own, other: over(known.other, other) } as CatalogueRecord;
}
