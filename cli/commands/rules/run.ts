import { dayOf } from '#domain/standings/dated-table.ts';
import { LONG_MAX } from '#json/values.ts';
import type { MatchResult } from '#records/types.ts';
import { readRules } from '#service/competition-rules.ts';
import { findClusterWith } from '../../cluster.ts';
import { type ArgumentsOf, CommandError, UsageError } from '../../command.ts';
import { readEachLatest } from '../../latest-records.ts';
import { actionOf } from '../actions.ts';
import { parseCount } from '../option-values.ts';
import { ACTIONS, type command } from './command.ts';
import { leagueTables } from './league-tables.ts';

export async function run(given: ArgumentsOf<typeof command>): Promise<number> {
  const { words } = actionOf(ACTIONS, given);
  const [folder, ...more] = words;
  if (folder === undefined || more.length > 0) throw new UsageError('name the folder of the rules');
  const season = parseCount('--season', given.values.season, LONG_MAX);
  const rulesOf = readRules(folder);
  const cluster = await findClusterWith(['match-results']);
  const results: MatchResult[] = [];
  await readEachLatest('match-results', cluster, (result) => {
    if (!result.removed && (season === undefined || result.season_id === season)) results.push(result);
  });
  if (results.length === 0)
    throw new CommandError(
      season === undefined
        ? `the rules of ${folder} are valid; there are no results of matches yet`
        : `the rules of ${folder} are valid; there are no results of season ${season}`,
    );
  process.stdout.write(leagueTables(results, rulesOf, dayOf(Date.now())).join('\n'));
  return 0;
}
