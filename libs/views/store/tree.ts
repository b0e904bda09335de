import { LEVELS, type TreeLevel } from '#contract/rest/tree.ts';
import { toWholeNumber } from '#json/values.ts';
import type { MatchState } from '#records/types.ts';
import type { CatalogueView } from './catalogue.ts';
import { SqlView, type Statements } from './sql.ts';

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
