import type { TreeLevel } from '#contract/rest/tree.ts';
import { toWholeNumber } from '#contract/values.ts';
import type { CatalogueView } from '../store/catalogue.ts';
import { placeAbove } from '../store/place-above.ts';
import type { Statements } from '../store/sql.ts';

/** What is known of competitions, seasons, stages and groups: from the catalogue, and from where events say they are. */
export class CompetitionStructure {
  readonly #catalogue: CatalogueView;
  readonly #sql: Statements;

  constructor(catalogue: CatalogueView, sql: Statements) {
    this.#catalogue = catalogue;
    this.#sql = sql;
  }

  /** The ids of all places of a level, or of those in one place above. */
  ids(level: TreeLevel, parent?: { level: TreeLevel; id: number }): number[] {
    const reported = this.#catalogue.list(level, parent?.id).flatMap(({ id }) => toWholeNumber(id) ?? []);
    const where = parent === undefined ? '' : ` AND ${parent.level}_id = ?`;
    const text = `SELECT DISTINCT ${level}_id FROM events WHERE ${level}_id IS NOT NULL${where}`;
    const seen = this.#sql.column<number>(text, ...(parent === undefined ? [] : [parent.id]));
    return [...new Set([...reported, ...seen])].sort((a, b) => a - b);
  }

  /** The place one level above; null where it is not known. */
  parent(level: 'season' | 'stage', id: number): number | null {
    return placeAbove({ catalogue: this.#catalogue, sql: this.#sql }, level, id);
  }

  /** The competition that a season or stage belongs to; null where it is not known. */
  competitionOf(level: 'season' | 'stage', id: number): number | null {
    const season = level === 'season' ? id : this.parent('stage', id);
    return season === null ? null : this.parent('season', season);
  }

  /** The sport of a competition; null where it is not known. */
  sportOf(competitionId: number): number | null {
    const reported = toWholeNumber(this.#catalogue.find('competition', competitionId)?.record.sport_id);
    if (reported !== null) return reported;
    const text = 'SELECT sport_id FROM events WHERE competition_id = ? AND sport_id IS NOT NULL LIMIT 1';
    return this.#sql.value<number>(text, competitionId) ?? null;
  }
}
