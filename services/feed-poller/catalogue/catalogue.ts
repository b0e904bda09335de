import { canonicalJson } from '#contract/canonical-json.ts';
import { toWholeNumber } from '#contract/values.ts';
import type { CatalogueRecord } from '#topics/generated/types.ts';
import { Limiter } from '../provider/limiter.ts';
import type { CatalogueEntry, Raw } from '../provider/tree.ts';
import type { Outlet } from '../publish/outlet.ts';

const COMPETITION = 'competition';

type Known = { readonly ut: number; readonly parentId: string | null; readonly body: Raw };

/**
 * What the catalogue topic says, and the writing of what changed.
 *
 * The same record comes from several places, with more fields here and fewer there, ids as text here and as numbers
 * there. So records are merged: a later one goes over what is known, one of the same time adds what is missing, and
 * a value that differs in its type only is no change. Otherwise every reading of the live board would rewrite the names.
 */
export class Catalogue {
  readonly #known = new Map<string, Known>();
  readonly #outlet: Pick<Outlet, 'catalogue'>;
  readonly #onNewCompetition: () => void;
  /** What is new is only known once the readings before are written. */
  readonly #one = new Limiter(1);

  /**
   * `kept`: the last record of each key of the topic. `onNewCompetition` is called where records name a competition that
   * is not among those known; the first ones of all are none.
   */
  constructor(
    kept: Iterable<CatalogueRecord>,
    outlet: Pick<Outlet, 'catalogue'>,
    onNewCompetition: () => void = () => {},
  ) {
    this.#outlet = outlet;
    this.#onNewCompetition = onNewCompetition;
    for (const { kind, id, ut, parent_id, body } of kept) {
      this.#known.set(`${kind}/${id}`, { ut, parentId: parent_id, body: JSON.parse(body) as Raw });
    }
  }

  /** Whether any record of that kind is known. */
  has(kind: string): boolean {
    for (const key of this.#known.keys()) if (key.startsWith(`${kind}/`)) return true;
    return false;
  }

  /** Writes those of the records that say something new. `time`: that of the answer, Unix seconds. */
  tell(entries: readonly CatalogueEntry[], time: number): Promise<void> {
    return this.#one.run(() => this.#tell(entries, time));
  }

  /** The seasons that are on now, of these sports and competitions; an empty set of competitions is all of them. */
  actualSeasons(sports: ReadonlySet<number>, competitions: ReadonlySet<number>): number[] {
    const seasons: number[] = [];
    for (const [key, { parentId, body }] of this.#known) {
      if (!key.startsWith('season/') || body.actual !== 'yes' || parentId === null) continue;
      const sport = toWholeNumber(this.#known.get(`competition/${parentId}`)?.body.sport_id);
      if (sport === null || !sports.has(sport)) continue;
      if (competitions.size > 0 && !competitions.has(Number(parentId))) continue;
      seasons.push(Number(key.slice('season/'.length)));
    }
    return seasons;
  }

  #isNewCompetition(key: string): boolean {
    return key.startsWith(`${COMPETITION}/`) && !this.#known.has(key);
  }

  async #tell(entries: readonly CatalogueEntry[], time: number): Promise<void> {
    const changed = new Map<string, Known>();
    for (const entry of entries) {
      const key = `${entry.kind}/${entry.id}`;
      const next = merged(changed.get(key) ?? this.#known.get(key), entry, time);
      if (next !== null) changed.set(key, next);
    }
    if (changed.size === 0) return;
    const records = [...changed].map(([key, { ut, parentId, body }]): CatalogueRecord => {
      const slash = key.indexOf('/');
      return {
        kind: key.slice(0, slash),
        id: key.slice(slash + 1),
        parent_id: parentId,
        ut,
        body: canonicalJson(body),
      };
    });
    await this.#outlet.catalogue(records);
    const named = this.has(COMPETITION) && [...changed.keys()].some((key) => this.#isNewCompetition(key));
    for (const [key, known] of changed) this.#known.set(key, known);
    if (named) this.#onNewCompetition();
  }
}

/** What is known after a record; null where it says nothing new. */
function merged(known: Known | undefined, entry: CatalogueEntry, time: number): Known | null {
  const ut = toWholeNumber(entry.body.ut) ?? time;
  if (known === undefined) return { ut, parentId: entry.parentId, body: entry.body };
  if (ut < known.ut) return null;
  const later = ut > known.ut;
  const news = Object.entries(entry.body).filter(
    ([name, value]) =>
      name !== 'ut' && (later ? !same(value, known.body[name]) : known.body[name] === undefined),
  );
  const parentId = later ? (entry.parentId ?? known.parentId) : (known.parentId ?? entry.parentId);
  if (news.length === 0 && parentId === known.parentId) return null;
  const own = entry.body.ut === undefined ? {} : { ut: entry.body.ut };
  return { ut, parentId, body: { ...known.body, ...Object.fromEntries(news), ...own } };
}

function same(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (other === undefined) return one === undefined;
  if (isScalar(one) && isScalar(other)) return String(one) === String(other);
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}
