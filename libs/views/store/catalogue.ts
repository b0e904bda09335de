import { LEVELS, type TreeLevel } from '#contract/rest/tree.ts';
import { NO_ENTRY } from '#ingestion/catalogue.ts';
import { toWholeNumber } from '#json/values.ts';
import type { CatalogueRecord, MatchState } from '#records/types.ts';
import { growingCache } from '#timing/growing-cache.ts';
import { Conditions, SqlView, type Statements } from './sql.ts';

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
  readonly #known = growingCache<string, { readonly entry: CatalogueEntry | null }>(MAX_KNOWN);

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

/**
 * The nodes of the tree: competitions, seasons, stages and groups, from the catalogue and from the ids that events name, with the
 * time of each node's last change. A change of a node also changes those above it, whose records in lists contain it.
 */
export class TreeView extends SqlView {
  readonly #catalogue: CatalogueView;

  constructor(sql: Statements, catalogue: CatalogueView) {
    super(sql);
    this.#catalogue = catalogue;
  }

  /** Returns the ids of all nodes of a level, or of those within `parent`, ascending. */
  ids(level: TreeLevel, parent?: { level: TreeLevel; id: number }): number[] {
    const reported = this.#catalogue.list(level, parent?.id).flatMap(({ id }) => toWholeNumber(id) ?? []);
    const where = parent === undefined ? '' : ` AND ${parent.level}_id = ?`;
    const text = `SELECT DISTINCT ${level}_id FROM events WHERE ${level}_id IS NOT NULL${where}`;
    const seen = this.sql.column<number>(text, ...(parent === undefined ? [] : [parent.id]));
    return [...new Set([...reported, ...seen])].sort((a, b) => a - b);
  }

  /** Returns the id of the node one level above, by the catalogue, else by the events of the node; null if unknown. */
  parent(level: TreeLevel, id: number): number | null {
    const above = LEVELS[LEVELS.indexOf(level) - 1];
    if (above === undefined) return null;
    const reported = toWholeNumber(this.#catalogue.find(level, id)?.parent_id);
    if (reported !== null) return reported;
    const text = `SELECT ${above}_id FROM events WHERE ${level}_id = ? AND ${above}_id IS NOT NULL LIMIT 1`;
    return this.sql.value<number>(text, id) ?? null;
  }

  /** Returns the competition of a season or stage; null if unknown. */
  competitionOf(level: 'season' | 'stage', id: number): number | null {
    const season = level === 'season' ? id : this.parent('stage', id);
    return season === null ? null : this.parent('season', season);
  }

  /** Returns the sport of a competition; null if unknown. */
  sportOf(competitionId: number): number | null {
    const listed = this.#catalogue.find('competition', competitionId)?.competition?.sport_id;
    if (listed != null) return listed;
    const text = 'SELECT sport_id FROM events WHERE competition_id = ? AND sport_id IS NOT NULL LIMIT 1';
    return this.sql.value<number>(text, competitionId) ?? null;
  }

  /** Marks the node of a new catalogue record, and those above it, as changed; ignores other kinds. `changed`: Unix seconds. */
  applyRecord(kind: string, id: string, changed: number): void {
    const levels = LEVELS.slice(0, LEVELS.indexOf(kind as TreeLevel) + 1);
    let node: number | null = Number(id);
    for (const level of levels.reverse()) {
      if (node === null) return;
      this.#touch(level, node, changed);
      node = this.parent(level, node);
    }
  }

  /** If an event names a new node, marks all nodes of the event as changed. `changed`: Unix seconds. */
  applyEvent(state: MatchState, changed: number): void {
    const nodes = LEVELS.flatMap((level) => {
      const id = state[`${level}_id`];
      return id === null ? [] : [{ level, id }];
    });
    if (nodes.every(({ level, id }) => this.changedAt(level, id) !== null)) return;
    for (const { level, id } of nodes) this.#touch(level, id, changed);
  }

  /** Returns the time of a node's last change, Unix seconds; null for an unknown node. */
  changedAt(level: TreeLevel, id: number): number | null {
    const text = 'SELECT changed FROM tree WHERE level = ? AND id = ?';
    return this.sql.value<number>(text, level, id) ?? null;
  }

  #touch(level: TreeLevel, id: number, changed: number): void {
    this.sql
      .of(
        `INSERT INTO tree VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET changed = max(changed, excluded.changed)`,
      )
      .run(level, id, changed);
  }
}
