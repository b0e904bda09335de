import type { TreeLevel } from '#contract/rest/tree.ts';
import { toWholeNumber } from '#contract/values.ts';
import type { CatalogueView } from './catalogue.ts';
import type { Statements } from './sql.ts';

/** Each level of places with the one above it. */
export const ABOVE = {
  competition: null,
  season: 'competition',
  stage: 'season',
  group: 'stage',
} as const satisfies Readonly<Record<TreeLevel, TreeLevel | null>>;

/** The id of the place that a place is in, by the catalogue, else by its events; null when neither has it. */
export function placeAbove(
  { catalogue, sql }: { readonly catalogue: CatalogueView; readonly sql: Statements },
  level: TreeLevel,
  id: number,
): number | null {
  const above = ABOVE[level];
  if (above === null) return null;
  const reported = toWholeNumber(catalogue.find(level, id)?.parentId);
  if (reported !== null) return reported;
  const text = `SELECT ${above}_id FROM events WHERE ${level}_id = ? AND ${above}_id IS NOT NULL LIMIT 1`;
  return sql.value<number>(text, id) ?? null;
}
