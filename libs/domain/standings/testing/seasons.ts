import type { CompetitionRules } from '../competition-rules.ts';
import { SeasonTables } from '../season-tables.ts';
import type { SeasonResult } from '../types.ts';
import { result } from './results.ts';

/** Returns a finished match of a stage, as `result` reads it. */
export function placed(
  event: number,
  text: string,
  stage_id: number | null,
  overrides: Partial<SeasonResult> = {},
): SeasonResult {
  return { ...result(event, text), stage_id, group_id: null, ...overrides };
}

type Row = { name: string; rank: number; columns: { code: string; value: unknown }[] };
type Body = { object_id: number; groups: { id: string; participants: Row[] }[] };

/**
 * Returns the tables of one kind that exist, as lines by object, or by object and group where it has a name: rank, name and the
 * values of some columns.
 */
export function tablesOfSeason(
  results: Iterable<SeasonResult>,
  rules: CompetitionRules,
  kind: string,
  ...codes: string[]
): Record<string, string[]> {
  const season = new SeasonTables(1, 2, rules);
  for (const one of results) season.apply(one);
  const derived = season.derive().filter(({ type, active }) => type.kind === kind && active);
  const groups = derived.flatMap(({ body }) => {
    const { object_id, groups } = JSON.parse(body) as Body;
    return groups.map(({ id, participants }) => ({
      key: id === '' ? String(object_id) : `${object_id}/${id}`,
      participants,
    }));
  });
  return Object.fromEntries(
    groups.map(({ key, participants }) => [
      key,
      participants.map(({ rank, name, columns }) =>
        [rank, name, ...codes.map((code) => columns.find((column) => column.code === code)?.value)].join(' '),
      ),
    ]),
  );
}
