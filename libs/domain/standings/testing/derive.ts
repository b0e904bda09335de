import type { CompetitionRules } from '#contract/competition-rules.ts';
import { TABLE_TYPES, type TableKind } from '../columns.ts';
import { subset, viewOf } from '../game-set.ts';
import { type Flag, readGames } from '../games.ts';
import { type Table, tablesOf } from '../tables.ts';
import type { StandingsMatch } from '../types.ts';

/** All tables of a group, and the parts that could not be counted. */
type GroupTables = {
  readonly tables: ReadonlyMap<TableKind, Table>;
  /** In order of event id. */
  readonly flags: readonly Flag[];
};

/**
 * All tables of one competition, season, stage and group, derived from the last-known results of its matches alone:
 * neither their order nor their repetition matters, and nothing is remembered. `day` (YYYY-MM-DD) gives the tables of
 * the end of that day: without later matches, and without corrections that were not in force. `kinds`: only these.
 */
export function deriveTables(
  results: Iterable<StandingsMatch>,
  rules: CompetitionRules,
  day: string | null = null,
  kinds: Iterable<TableKind> = TABLE_TYPES.keys(),
): GroupTables {
  const { games, flags } = readGames(results, rules, day);
  return {
    tables: tablesOf(
      viewOf(
        subset(() => true),
        games,
      ),
      rules,
      day,
      kinds,
    ),
    flags,
  };
}
