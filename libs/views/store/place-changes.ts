import { LEVELS, type TreeLevel } from '#contract/rest/tree.ts';
import type { MatchState } from '#topics/generated/types.ts';
import type { CatalogueView } from './catalogue.ts';
import { ABOVE, placeAbove } from './place-above.ts';
import type { Statements } from './sql.ts';

/** When something of a place became visible, be it of a place inside of it: lists show both in one record. */
export class PlaceChanges {
  readonly #sql: Statements;
  readonly #catalogue: CatalogueView;
  /** Places that are known, as `level/id`: every new event asks for its own. */
  readonly #known = new Set<string>();

  constructor(sql: Statements, catalogue: CatalogueView) {
    this.#sql = sql;
    this.#catalogue = catalogue;
  }

  /** Applies a new catalogue record; ignores kinds that are no places. `changed`: Unix seconds. */
  recorded(kind: string, id: string, changed: number): void {
    if (!Object.hasOwn(ABOVE, kind)) return;
    let level: TreeLevel | null = kind as TreeLevel;
    let place: number | null = Number(id);
    while (level !== null && place !== null) {
      this.#touch(level, place, changed);
      place = placeAbove({ catalogue: this.#catalogue, sql: this.#sql }, level, place);
      level = ABOVE[level];
    }
  }

  /** Applies an event in a new place: places known only from it are new, and those above have changed. */
  seen(state: MatchState, changed: number): void {
    const isNew = LEVELS.some((level) => {
      const id = state[`${level}_id`];
      return id !== null && !this.#isKnown(level, id);
    });
    if (!isNew) return;
    for (const level of Object.keys(ABOVE) as TreeLevel[]) {
      const id = state[`${level}_id`];
      if (id !== null) this.#touch(level, id, changed);
    }
  }

  /** Unix seconds; null for an unknown place. */
  of(level: TreeLevel, id: number): number | null {
    const text = 'SELECT changed FROM places WHERE level = ? AND id = ?';
    return this.#sql.value<number>(text, level, id) ?? null;
  }

  #isKnown(level: TreeLevel, id: number): boolean {
    const place = `${level}/${id}`;
    if (this.#known.has(place)) return true;
    if (this.of(level, id) === null) return false;
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
