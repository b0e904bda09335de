import { dayOf } from '#domain/standings/types.ts';
import type { MatchResult } from '#records/types.ts';
import { readRules } from '#service/competition-rules.ts';
import { findClusterWith } from '../../cluster.ts';
import { CommandError, type GivenTo } from '../../command.ts';
import { readEachLatest } from '../../latest-records.ts';
import type * as commands from './command.ts';
import { leagueTables } from './league-tables.ts';

export const actions = { check };

async function check(...[folder, { season }]: GivenTo<typeof commands.check>): Promise<number> {
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
