import { LRUCache } from 'lru-cache';
import type { TreeLevel } from '#contract/rest/tree.ts';
import { NO_ENTRY } from '#ingestion/catalogue.ts';
import { toWholeNumber } from '#json/values.ts';
import type { CatalogueRecord } from '#records/types.ts';
import { Conditions, SqlView } from './sql.ts';

/** A record of the catalogue; of one that is only a name in an event, `ut` is 0. */
export type CatalogueEntry = Readonly<CatalogueRecord> & {
  /** Time at which it became visible in these views, Unix seconds. */
  readonly changed: number;
};

type CatalogueRow = Pick<CatalogueEntry, 'changed'> & { readonly json: string };

/** The time of a row that is only a name in an event: every record of the catalogue, some of negative times, is newer. */
const REPORTED_UT = Number.MIN_SAFE_INTEGER;

const ENTRY = 'changed, json FROM catalogue';

/** Maximum number of ids whose record, or none, is remembered: every event reads those of its nodes, and clients may query any id. */
const MAX_KNOWN = 50_000;

export class CatalogueView extends SqlView {
  /** Parsed records by `kind/id`. */
  readonly #known = new LRUCache<string, { readonly entry: CatalogueEntry | null }>({ max: MAX_KNOWN });

  /** Stores a record unless the same or a newer one is stored; returns whether it did. `changed`: when it became visible here, Unix seconds. */
  apply(record: CatalogueRecord, changed: number, ut = record.ut): boolean {
    const { kind, id, parent_id } = record;
    const json = JSON.stringify(record);
    const known = this.sql.of('SELECT ut, json FROM catalogue WHERE kind = ? AND id = ?').get(kind, id);
    if (known !== undefined && ((known.ut as number) > ut || known.json === json)) return false;
    const row = { kind, id, number: toWholeNumber(id), parent_id, ut, changed, json };
    this.sql.insert('INSERT OR REPLACE INTO catalogue', row);
    this.#known.delete(`${kind}/${id}`);
    return true;
  }

  /** Stores a node's name as an event reports it, unless the catalogue has a record of it; returns whether it is new. `changed`: as of `apply`. */
  applyReported(kind: TreeLevel, id: number, parent: number | null, name: string, changed: number): boolean {
    if (this.find(kind, id)?.name === name) return false;
    const parent_id = parent === null ? null : String(parent);
    const record = { ...NO_ENTRY, kind, id: String(id), parent_id, ut: 0, name };
    return this.apply(record, changed, REPORTED_UT);
  }

  /** Deletes the record of a `kind/id`. */
  remove(key: string): void {
    const slash = key.indexOf('/');
    this.sql
      .of('DELETE FROM catalogue WHERE kind = ? AND id = ?')
      .run(key.slice(0, slash), key.slice(slash + 1));
    this.#known.delete(key);
  }

  find(kind: CatalogueRecord['kind'], id: number | null): CatalogueEntry | null {
    if (id === null) return null;
    const key = `${kind}/${id}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known.entry;
    const [row] = this.sql.rows<CatalogueRow>(`SELECT ${ENTRY} WHERE kind = ? AND id = ?`, kind, String(id));
    const entry = row === undefined ? null : entryOf(row);
    this.#known.set(key, { entry });
    return entry;
  }

  /** Returns all records of a kind, ordered by id; with `parentId` only those of that parent. */
  list(kind: CatalogueRecord['kind'], parentId?: number): CatalogueEntry[] {
    const conditions = new Conditions().where('kind = ?', kind).where('parent_id = ?', parentId?.toString());
    const text = `SELECT ${ENTRY}${conditions.text} ORDER BY number, id`;
    return this.sql.rows<CatalogueRow>(text, ...conditions.values).map(entryOf);
  }

  name(kind: CatalogueRecord['kind'], id: number | null): string | null {
    return this.find(kind, id)?.name ?? null;
  }
}

function entryOf({ json, changed }: CatalogueRow): CatalogueEntry {
  return { ...JSON.parse(json), changed };
}
