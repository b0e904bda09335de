import { TABLE_TYPES, type TableKind } from '../columns.ts';
import type { CompetitionRules } from '../competition-rules.ts';
import { GameSet } from '../game-set.ts';
import { compareOrder, type Flag, flagsOf, type Game, readGame } from '../games.ts';
import { correctionsAt } from '../standing.ts';
import { type Table, tablesOf } from '../tables.ts';
import type { SeasonResult } from '../types.ts';

/** The tables of a group, and the parts of results that could not be counted. */
type GroupTables = { readonly tables: ReadonlyMap<TableKind, Table>; readonly flags: readonly Flag[] };

/**
 * Derives the tables of one competition, season, stage and group from the last results of its matches in any order. `day` (YYYY-MM-DD): derives the tables at the end of that day, without later matches and corrections.
 * `kinds`: only these.
 */
export function deriveTables(
  results: Iterable<SeasonResult>,
  rules: CompetitionRules,
  day: string | null = null,
  kinds: Iterable<TableKind> = TABLE_TYPES.keys(),
): GroupTables {
  const { games, flags } = readGames(results, rules, day);
  return {
    tables: tablesOf(
      { games: new GameSet(games), teams: null, start: null },
      { ...rules, corrections: correctionsAt(rules, day) },
      kinds,
    ),
    flags,
  };
}

/** Reads the results of a group, oldest first. `day`: see `deriveTables`. */
export function readGames(
  results: Iterable<SeasonResult>,
  rules: CompetitionRules,
  day: string | null = null,
): { readonly games: readonly Game[]; readonly flags: readonly Flag[] } {
  const games: Game[] = [];
  const flags: Flag[] = [];
  for (const result of results) {
    const read = readGame(result, rules);
    const isLater = read !== null && day !== null && read.start.slice(0, day.length) > day;
    const game = isLater ? { ...read, ...TO_COME } : read;
    if (game !== null) games.push(game);
    flags.push(...flagsOf(result, game));
  }
  return { games: games.sort(compareOrder), flags };
}

const TO_COME = {
  state: 'to_come',
  score: null,
  bothLose: false,
  shootOut: null,
  firstHalf: null,
  secondHalf: null,
  goals: null,
  cards: null,
} as const;
