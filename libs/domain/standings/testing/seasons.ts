import type { ResultCard, ResultGoal } from '#records/types.ts';
import type { MatchFacts } from '../../../../data/dataset.ts';
import type { TableKind } from '../columns.ts';
import type { CompetitionRules } from '../competition-rules.ts';
import { SeasonTables } from '../season-tables.ts';
import type { SeasonResult } from '../types.ts';
import { lines, result, teamOf } from './results.ts';

/** Returns a finished match of a stage, as `result` reads it. */
export function placed(
  event: number,
  text: string,
  stage_id: number | null,
  overrides: Partial<SeasonResult> = {},
): SeasonResult {
  return { ...result(event, text), stage_id, ...overrides };
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
        lines({ type, rows }, ...codes),
      ]),
    ),
  );
}

const GOALS: Readonly<Record<string, ResultGoal['kind']>> = {
  goal: 'goal',
  penalty_goal: 'penalty',
  own_goal: 'own_goal',
};
const CARDS: Readonly<Record<string, readonly ResultCard['kind'][]>> = {
  yellow: ['yellow'],
  second_yellow: ['yellow', 'red'],
  red: ['red'],
};

/** Returns a match of data/ with its score, goals and cards: a second yellow card gives a yellow and a red one. */
export function resultOfFacts({ id, date, home, away, ft, round, facts, events }: MatchFacts): SeasonResult {
  const named = events.map(([, , fact, side, person]) => {
    return { fact, team_id: side === 'home' ? home : away, player: { id: person, name: null } };
  });
  const goals = named.flatMap(({ fact, ...of }): ResultGoal[] => {
    const kind = GOALS[fact];
    return kind === undefined ? [] : [{ ...of, kind, assistant: null }];
  });
  return result(id, `A ${ft.join('-')} B`, {
    round_id: round,
    start_date: date.slice(0, 16).replace('T', ' '),
    home: teamOf(home),
    away: teamOf(away),
    goals: facts === 'score_only' ? null : goals,
    cards: named.flatMap(({ fact, ...of }) =>
      (CARDS[fact] ?? []).map((kind) => ({ ...of, kind, attribute_ids: [] })),
    ),
  });
}
