import { canonicalJson } from '#json/canonical-json.ts';
import { toWholeNumber } from '#json/values.ts';
import type { CatalogueRecord } from '#records/types.ts';
import { Limiter } from '../provider/limiter.ts';
import type { CatalogueItem } from '../provider/tree.ts';
import type { TopicWriter } from '../publish/topic-writer.ts';

type Known = CatalogueItem & { readonly ut: number };

/**
 * The state of the catalogue topic. Publishes changes to it.
 *
 * Several lists hold the same record, with different fields and with ids as text or as numbers. So records are merged: a
 * later one overrides, one of the same time adds missing fields, and a value that differs only in type is no change.
 * Without this, every read of the live board would rewrite the names.
 */
export class Catalogue {
  readonly #known = new Map<string, Known>();
  readonly #topicWriter: Pick<TopicWriter, 'catalogue'>;
  readonly #onNewCompetition: () => void;
  /** Publishes one batch at a time: a change is relative to the earlier batches. */
  readonly #one = new Limiter(1);

  /**
   * `records`: the last record of each key of the topic. `onNewCompetition` is called when an entry names an unknown
   * competition, unless no competition was known before.
   */
  constructor(
    records: Iterable<CatalogueRecord>,
    topicWriter: Pick<TopicWriter, 'catalogue'>,
    onNewCompetition: () => void = () => {},
  ) {
    this.#topicWriter = topicWriter;
    this.#onNewCompetition = onNewCompetition;
    for (const { kind, id, ut, parent_id, body } of records) {
      this.#known.set(`${kind}/${id}`, { kind, id, ut, parentId: parent_id, body: JSON.parse(body) });
    }
  }

  /** Whether any record of that kind is known. */
  has(kind: string): boolean {
    return this.#known.values().some((one) => one.kind === kind);
  }

  /** Publishes the entries that change a record. `time`: `api.timestamp` of the answer, Unix seconds. Throws `PublishError`. */
  publish(entries: readonly CatalogueItem[], time: number): Promise<void> {
    return this.#one.run(() => this.#publish(entries, time));
  }

  /** Returns the ids of the current seasons of these sports and competitions; an empty set of competitions means all. */
  actualSeasons(sports: ReadonlySet<number>, competitions: ReadonlySet<number>): number[] {
    const seasons: number[] = [];
    for (const { kind, id, parentId, body } of this.#known.values()) {
      if (kind !== 'season' || body.actual !== 'yes' || parentId === null) continue;
      const sport = toWholeNumber(this.#known.get(`competition/${parentId}`)?.body.sport_id);
      if (sport === null || !sports.has(sport)) continue;
      if (competitions.size > 0 && !competitions.has(Number(parentId))) continue;
      seasons.push(Number(id));
    }
    return seasons;
  }

  async #publish(entries: readonly CatalogueItem[], time: number): Promise<void> {
    const changed = new Map<string, Known>();
    for (const entry of entries) {
      const key = `${entry.kind}/${entry.id}`;
      const next = merged(changed.get(key) ?? this.#known.get(key), entry, time);
      if (next !== null) changed.set(key, next);
    }
    if (changed.size === 0) return;
    const records = [...changed.values()].map(
      ({ kind, id, parentId, ut, body }): CatalogueRecord => ({
        kind,
        id,
        parent_id: parentId,
        ut,
        body: canonicalJson(body),
      }),
    );
    await this.#topicWriter.catalogue(records);
    const isNew = ([key, { kind }]: [string, Known]) => kind === 'competition' && !this.#known.has(key);
    const addsCompetition = this.has('competition') && [...changed].some(isNew);
    for (const [key, known] of changed) this.#known.set(key, known);
    if (addsCompetition) this.#onNewCompetition();
  }
}

/** Returns the record after applying an entry; null when nothing changes. */
function merged(known: Known | undefined, entry: CatalogueItem, time: number): Known | null {
  const ut = toWholeNumber(entry.body.ut) ?? time;
  if (known === undefined) return { ...entry, ut };
  if (ut < known.ut) return null;
  const later = ut > known.ut;
  const changes = Object.entries(entry.body).filter(
    ([name, value]) =>
      name !== 'ut' && (later ? !same(value, known.body[name]) : known.body[name] === undefined),
  );
  const parentId = later ? (entry.parentId ?? known.parentId) : (known.parentId ?? entry.parentId);
  if (changes.length === 0 && parentId === known.parentId) return null;
  const own = entry.body.ut === undefined ? {} : { ut: entry.body.ut };
  return { ...known, ut, parentId, body: { ...known.body, ...Object.fromEntries(changes), ...own } };
}

function same(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (other === undefined) return false;
  if (isScalar(one) && isScalar(other)) return String(one) === String(other);
  return canonicalJson(one) === canonicalJson(other);
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}
