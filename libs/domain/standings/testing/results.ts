import { readFileSync } from 'node:fs';
import { cellsOf } from '#contract/rest/standings-record.ts';
import type { ResultTeam, Score, StandingsRow } from '#records/types.ts';
import { TABLE_TYPES, type TableKind, type TableType } from '../columns.ts';
import { type CompetitionRules, readRulesFile } from '../competition-rules.ts';
import type { Table } from '../tables.ts';
import type { SeasonResult } from '../types.ts';
import { deriveTables } from './derive.ts';

type PointsCorrection = CompetitionRules['corrections'][number];

/** Returns rules for tests: they rank by points, then goal difference, then goals, unless overridden. */
export function rulesOf(overrides: Record<string, unknown> = {}): CompetitionRules {
  const rules = {
    format: 1,
    name: 'test',
    applies_to: [],
    points: { won: 3, draw: 1, lost: 0 },
    tie_break: ['points', 'goals_diff', 'goals_scored'],
    ...overrides,
  };
  return readRulesFile(JSON.stringify(rules), 'test rules').withStages({});
}

/** Reads a rules file of the repository. `stages`: the ids of the stages that it names. */
export function rulesFile(name: string, stages: Record<string, number[]> = {}): CompetitionRules {
  const file = new URL(`../../../../data/rules/${name}.json`, import.meta.url);
  return readRulesFile(readFileSync(file, 'utf8'), `${name}.json`).withStages(stages);
}

/** Reads a score from text such as "2-1"; null from "?". */
export function score(text: string): Score | null {
  const [home, away] = text.split('-').map(Number);
  return text === '?' || home === undefined || away === undefined ? null : { home, away };
}

/** Returns the id of a team that tests name by a letter: A is 1. */
export function idOf(letter: string): number {
  return letter.charCodeAt(0) - 64;
}

/** Returns a team with only these fields known. */
export function teamOf(id: number, name: string | null = null): ResultTeam {
  return { id, name, acronym: null, area_id: null, area_name: null };
}

/** Statuses of results; without one they are finished. */
export const LIVE = { status_id: 34, status_type: 'live' };
export const SCHEDULED = { status_id: 1, status_type: 'scheduled' };

export const GOAL = { kind: 'goal', team_id: 1, player: { id: 9, name: 'Nine' }, assistant: null } as const;
export const CARD = {
  kind: 'yellow',
  team_id: 1,
  player: { id: 9, name: 'Nine' },
  attribute_ids: [] as number[],
} as const;
/** What a result may leave unknown, all known. */
export const KNOWN = { first_half: score('0-0'), second_half: score('1-0'), goals: [GOAL], cards: [CARD] };

/** Returns a finished match, e.g. `result(7, 'A 2-1 B')`. The event's id is also its round and its day. */
export function result(event_id: number, text: string, overrides: Partial<SeasonResult> = {}): SeasonResult {
  const [home = '', goals = '?', away = ''] = text.split(' ');
  return {
    event_id,
    version: 1,
    cause: { offset: 0 },
    removed: false,
    stage_id: null,
    group_id: null,
    round_id: event_id,
    start_date: `2024-01-${String(event_id).padStart(2, '0')} 15:00`,
    status_id: 11,
    status_type: 'finished',
    home: teamOf(idOf(home), home),
    away: teamOf(idOf(away), away),
    score: score(goals),
    first_half: null,
    second_half: null,
    goals: null,
    cards: null,
    ...overrides,
  };
}

/** Returns finished matches as `result` reads them, e.g. `results('A 2-1 B, C 0-0 A')`. The first has the id `first`. */
export function results(
  texts: string,
  { first = 1, ...overrides }: Partial<SeasonResult> & { first?: number } = {},
): SeasonResult[] {
  return texts.split(', ').map((text, at) => result(first + at, text, overrides));
}

/** Returns a correction of the points of a team, which belongs to no day, stage and season unless overridden. */
export function correctionOf(
  participant_id: number,
  value: number,
  overrides: Partial<PointsCorrection> = {},
) {
  const unknown = { from: null, stage_id: null, season_id: null };
  return { participant_id, value, reason: 'Regulations', ...unknown, ...overrides } as const;
}

/** Derives one table of the results. */
export function table(
  kind: TableKind,
  results: Iterable<SeasonResult>,
  rules: CompetitionRules = rulesOf(),
  day: string | null = null,
): Table & { readonly type: TableType } {
  const found = deriveTables(results, rules, day).tables.get(kind);
  if (found === undefined) throw new Error(`no table ${kind}`);
  return { ...found, type: TABLE_TYPES.get(kind) as TableType };
}

/** Returns the columns of a row as the contract shows them, by code. */
export function cells(kind: TableKind, row: StandingsRow | undefined): Map<string, number | string> {
  const shown = row === undefined ? [] : cellsOf(row, TABLE_TYPES.get(kind));
  return new Map(shown.map(({ code, value }) => [code, value]));
}

/** Returns the row of a team or person. */
export function rowOf({ rows }: Pick<Table, 'rows'>, name: string | null): StandingsRow | undefined {
  return rows.find(({ participant }) => participant.name === name);
}

/** Returns a table as lines: rank, name and the values of some columns. */
export function lines(
  { type, rows }: Pick<ReturnType<typeof table>, 'type' | 'rows'>,
  ...codes: string[]
): string[] {
  return rows.map((row) => {
    const values = cells(type.kind, row);
    return [row.rank, row.participant.name, ...codes.map((code) => values.get(code))].join(' ');
  });
}

/** Returns a league table as such lines; the codes are separated by spaces. */
export function league(
  codes: string,
  results: Iterable<SeasonResult>,
  rules?: CompetitionRules,
  day?: string,
) {
  return lines(table('league', results, rules, day), ...codes.split(' '));
}
