import { sameValue } from '#domain/event.ts';
import type { CatalogueItem } from '#ingestion/catalogue.ts';
import type { CatalogueRecord } from '#records/types.ts';
import { Limiter } from '../provider/limiter.ts';
import { keyOf, type TopicWriter } from '../publish/topic-writer.ts';

/** The state of the catalogue topic, and its changes. Lists hold a record with different fields, which are merged by time. */
export class Catalogue {
  readonly #known = new Map<string, CatalogueRecord>();
  readonly #topicWriter: Pick<TopicWriter, 'catalogue'>;
  /** Publishes one batch at a time: a change is relative to the earlier batches. */
  readonly #one = new Limiter(1);

  /** `records`: the last of each key. */
  constructor(records: Iterable<CatalogueRecord>, topicWriter: Pick<TopicWriter, 'catalogue'>) {
    this.#topicWriter = topicWriter;
    for (const record of records) this.#known.set(keyOf(record), record);
  }

  has(kind: string): boolean {
    return this.#known.values().some((one) => one.kind === kind);
  }

  /** Publishes the entries that change a record. `time`: `api.timestamp` of the answer, Unix seconds. Throws `PublishError`. */
  publish(entries: readonly CatalogueItem[], time: number): Promise<void> {
    return this.#one.run(async () => {
      const changed = new Map<string, CatalogueRecord>();
      const unread = new Set<string>();
      for (const entry of entries) {
        const key = keyOf(entry);
        const next = merged(changed.get(key) ?? this.#known.get(key), entry, time);
        if (next === null) continue;
        changed.set(key, next);
        for (const path of entry.unread) unread.add(path);
      }
      if (changed.size === 0) return;
      await this.#topicWriter.catalogue([...changed.values()], unread);
      for (const [key, known] of changed) this.#known.set(key, known);
    });
  }

  /** Returns the ids of the current seasons of these sports and competitions; an empty set of competitions means all. */
  actualSeasons(sports: ReadonlySet<number>, competitions: ReadonlySet<number>): number[] {
    const seasons: number[] = [];
    for (const { id, parent_id, season } of this.#known.values()) {
      if (season?.actual !== true || parent_id === null) continue;
      const sport = this.#known.get(`competition/${parent_id}`)?.competition?.sport_id ?? null;
      if (sport === null || !sports.has(sport)) continue;
      if (competitions.size > 0 && !competitions.has(Number(parent_id))) continue;
      seasons.push(Number(id));
    }
    return seasons;
  }
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
