/** Compares the tables at the end of a demonstration with the official scores. */
import type { Standings } from '#records/types.ts';
import { type Dataset, finalScore, type MatchFacts } from '../../../data/dataset.ts';

/** Id of the type of league tables (spec, "Standings type"). */
const LEAGUE = 2;
const POINTS = { won: 3, drawn: 1 } as const;

/** The compared columns of a team. */
type Totals = Record<'played' | 'points' | 'goals_for' | 'goals_against', number>;

/** Counts the league tables, and those that have the official points and goals of every team. */
export function checkTables(
  dataset: Dataset,
  matches: readonly MatchFacts[],
  tables: readonly Standings[],
): { readonly right: number; readonly all: number } {
  const official = officialGroups(dataset, matches);
  const leagues = tables.filter(({ type_id }) => type_id === LEAGUE);
  const right = [...official].filter(([key, teams]) => {
    const rows = leagues.flatMap(({ object_id, groups }) =>
      groups.flatMap((group) => (keyOf(object_id, group.id) === key ? group.rows : [])),
    );
    return [...teams].every(([id, totals]) => {
      const row = rows.find(({ participant }) => participant.id === id);
      const names = Object.keys(totals) as (keyof Totals)[];
      return row !== undefined && names.every((name) => row[name] === totals[name]);
    });
  });
  return { right: right.length, all: official.size };
}

function keyOf(stage: number, group: number | null | undefined): string {
  return `${stage}/${group ?? ''}`;
}

/** Returns the official end of each group: the totals of its teams. */
function officialGroups(
  { competition }: Dataset,
  matches: readonly MatchFacts[],
): Map<string, Map<number, Totals>> {
  const groups = new Map<string, Map<number, Totals>>();
  for (const match of matches) {
    const stage = competition.stages.find(({ id }) => id === match.stage);
    if (stage === undefined || stage.knockout) continue;
    const key = keyOf(stage.id, match.group);
    const teams = groups.get(key) ?? new Map<number, Totals>();
    groups.set(key, teams);
    const [home, away] = finalScore(match);
    add(teams, match.home, home, away);
    add(teams, match.away, away, home);
  }
  return groups;
}

function add(teams: Map<number, Totals>, id: number, scored: number, allowed: number): void {
  const totals = teams.get(id) ?? { played: 0, points: 0, goals_for: 0, goals_against: 0 };
  totals.played += 1;
  totals.points += scored > allowed ? POINTS.won : scored === allowed ? POINTS.drawn : 0;
  totals.goals_for += scored;
  totals.goals_against += allowed;
  teams.set(id, totals);
}
