import { LEVELS, type TreeLevel } from '#contract/rest/tree.ts';
import { toWholeNumber } from '#contract/values.ts';
import type { MatchState } from '#topics/generated/types.ts';
import type { CatalogueView } from './catalogue.ts';
import type { Statements } from './sql.ts';

/** Each level of places with the one above it. */
const ABOVE = {
  competition: null,
  season: 'competition',
  stage: 'season',
  group: 'stage',
} as const satisfies Readonly<Record<TreeLevel, TreeLevel | null>>;

/**
 * What is known of competitions, seasons, stages and groups, from the catalogue and from where events say they are, and when something of
 * one became visible, be it of a place inside of it: lists show both in one record.
 */
export class PlaceView {
  readonly #sql: Statements;
  readonly #catalogue: CatalogueView;
  /** Places that are known, as `level/id`: every new event asks for its own. */
  readonly #known = new Set<string>();

  constructor(sql: Statements, catalogue: CatalogueView) {
    this.#sql = sql;
    this.#catalogue = catalogue;
  }

  /** The ids of all places of a level, or of those in one place above. */
  ids(level: TreeLevel, parent?: { level: TreeLevel; id: number }): number[] {
    const reported = this.#catalogue.list(level, parent?.id).flatMap(({ id }) => toWholeNumber(id) ?? []);
    const where = parent === undefined ? '' : ` AND ${parent.level}_id = ?`;
    const text = `SELECT DISTINCT ${level}_id FROM events WHERE ${level}_id IS NOT NULL${where}`;
    const seen = this.#sql.column<number>(text, ...(parent === undefined ? [] : [parent.id]));
    return [...new Set([...reported, ...seen])].sort((a, b) => a - b);
  }

  /** The place one level above, by the catalogue, else by the events of the place; null where neither has it. */
  parent(level: TreeLevel, id: number): number | null {
    const above = ABOVE[level];
    if (above === null) return null;
    const reported = toWholeNumber(this.#catalogue.find(level, id)?.parent_id);
    if (reported !== null) return reported;
    const text = `SELECT ${above}_id FROM events WHERE ${level}_id = ? AND ${above}_id IS NOT NULL LIMIT 1`;
    return this.#sql.value<number>(text, id) ?? null;
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

  /** Applies a new catalogue record; ignores kinds that are no places. `changed`: Unix seconds. */
  recorded(kind: string, id: string, changed: number): void {
    if (!Object.hasOwn(ABOVE, kind)) return;
    let level: TreeLevel | null = kind as TreeLevel;
    let place: number | null = Number(id);
    while (level !== null && place !== null) {
      this.#touch(level, place, changed);
      place = this.parent(level, place);
      level = ABOVE[level];
    }
  }

  /** Applies an event in a new place: places known only from it are new, and those above have changed. */
  seen(state: MatchState, changed: number): void {
    const places = LEVELS.flatMap((level) => {
      const id = state[`${level}_id`];
      return id === null ? [] : [{ level, id }];
    });
    if (places.every(({ level, id }) => this.#isKnown(level, id))) return;
    for (const { level, id } of places) this.#touch(level, id, changed);
  }

  /** When something of a place last became visible, Unix seconds; null for an unknown place. */
  changedAt(level: TreeLevel, id: number): number | null {
    const text = 'SELECT changed FROM places WHERE level = ? AND id = ?';
    return this.#sql.value<number>(text, level, id) ?? null;
  }

  #isKnown(level: TreeLevel, id: number): boolean {
    const place = `${level}/${id}`;
    if (this.#known.has(place)) return true;
    if (this.changedAt(level, id) === null) return false;
    this.#known.add(place);
    return true;
  }

  #touch(level: TreeLevel, id: number, changed: number): void {
    this.#sql
      .of(
        `INSERT INTO places VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET changed = max(changed, excluded.changed)`,
      )
      .run(level, id, changed);
  }
}
