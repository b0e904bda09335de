import { type CorrectionWords, correctionText } from '#domain/standings/provider-league.ts';
import { SeasonTables } from '#domain/standings/season-tables.ts';
import { dayOf, groupsOn } from '#domain/standings/types.ts';
import type { MatchResult, StandingsCorrection, StandingsRow } from '#records/types.ts';
import { type RulesOf, readRules } from '#service/competition-rules.ts';
import { findClusterWith } from '../../cluster.ts';
import { CommandError, type GivenTo } from '../../command.ts';
import { readEachLatest } from '../../followed-topics.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { escapeLine } from '../../values.ts';
import type * as commands from './command.ts';

export const actions = { check };

async function check(...[folder, { season }]: GivenTo<typeof commands.check>): Promise<number> {
  const rulesOf = readRules(folder);
  const cluster = await findClusterWith(['match-results']);
  const results: MatchResult[] = [];
  await readEachLatest('match-results', cluster, (result) => {
    if (!result.removed && (season === undefined || result.season_id === season)) results.push(result);
  });
  const of = season === undefined ? 'matches yet' : `season ${season}`;
  if (results.length === 0)
    throw new CommandError(`the rules of ${folder} are valid; there are no results of ${of}`);
  process.stdout.write(leagueTables(results, rulesOf, dayOf(Date.now())).join('\n'));
  return 0;
}

const COLUMNS: readonly TextColumn<StandingsRow>[] = [
  { head: '#', align: 'right', of: ({ rank }) => rank },
  { head: 'team', of: ({ participant }) => participant.name ?? '' },
  { head: 'mp', align: 'right', of: ({ played }) => played },
  { head: 'won', align: 'right', of: ({ won }) => won },
  { head: 'draw', align: 'right', of: ({ drawn }) => drawn },
  { head: 'lost', align: 'right', of: ({ lost }) => lost },
  { head: 'goals_scored', align: 'right', of: ({ goals_for }) => goals_for },
  { head: 'goals_allowed', align: 'right', of: ({ goals_against }) => goals_against },
  { head: 'pts', align: 'right', of: ({ points }) => points },
  { head: 'zone', of: ({ zone }) => zone ?? '' },
];

/** Returns the league tables of all seasons by these rules on a day (YYYY-MM-DD), each with a heading and its corrections. */
function leagueTables(results: readonly MatchResult[], rulesOf: RulesOf, day: string): string[] {
  const seasons = Map.groupBy(results, ({ competition_id, season_id }) => `${competition_id}/${season_id}`);
  return [...seasons.values()].flatMap((own) => {
    const { competition_id, season_id } = own[0] as MatchResult;
    const season = new SeasonTables(competition_id, season_id, rulesOf(competition_id, season_id));
    for (const result of own) season.apply(result);
    const leagues = season.derive().filter(({ type }) => type.kind === 'league');
    return leagues.flatMap((table) => {
      const stage = table.object.type === 'stage' ? `, stage ${table.object.id}` : '';
      const where = `competition ${competition_id}, season ${season_id}${stage}`;
      return groupsOn(table, day).map(({ id, rows, corrections }) => {
        const heading = `${table.name}: ${where}${id === null ? '' : `, group ${id}`}`;
        const below = corrections.map((one) => `${escapeLine(correctionText(wordsOf(one)))}\n`).join('');
        return `${escapeLine(heading)}\n${tableText(COLUMNS, rows)}${below}`;
      });
    });
  });
}

function wordsOf({ participant_name, points, reason }: StandingsCorrection): CorrectionWords {
  return { participant_name, value: points > 0 ? `+${points}` : points, reason };
}
