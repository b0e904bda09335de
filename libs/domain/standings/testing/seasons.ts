import type { TableKind } from '../columns.ts';
import type { CompetitionRules } from '../competition-rules.ts';
import { SeasonTables } from '../season-tables.ts';
import type { SeasonResult } from '../types.ts';
import { lines, result } from './results.ts';

/** Returns a finished match of a stage, as `result` reads it. */
export function placed(
  event: number,
  text: string,
  stage_id: number | null,
  overrides: Partial<SeasonResult> = {},
): SeasonResult {
  return { ...result(event, text), stage_id, group_id: null, ...overrides };
}

/**
 * Returns the tables of one kind that exist, as lines by object, or by object and group where it has a name: rank, name and the
 * values of some columns.
 */
export function tablesOfSeason(
  results: Iterable<SeasonResult>,
  rules: CompetitionRules,
  kind: TableKind,
  ...codes: string[]
): Record<string, string[]> {
  const season = new SeasonTables(1, 2, rules);
  for (const one of results) season.apply(one);
  const derived = season.derive().filter(({ type }) => type.kind === kind);
  return Object.fromEntries(
    derived.flatMap(({ type, object, groups }) =>
      groups.map(({ id, rows }) => [
        id === null ? String(object.id) : `${object.id}/${id}`,
        lines({ type, rows, zones: [], corrections: [] }, ...codes),
      ]),
    ),
  );
}
