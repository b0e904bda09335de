/** Shows the tables at the end of a demonstration, and compares them with the official scores. */
import { styleText } from 'node:util';
import type { Standings, StandingsRow } from '#records/types.ts';
import { type Dataset, finalScore, type MatchFacts } from '../../../data/dataset.ts';
import { allOf, type DemoCheck } from './check.ts';

/** Ids of the types of tables to show (spec, "Standings type"). */
const LEAGUE = 2;
const TOP_SCORERS = 6;
const POINTS = { won: 3, drawn: 1 } as const;
/** Maximum number of scorers to show. */
const MAX_SCORERS = 5;

/** The official end of a group: for each team, the values of the compared columns. */
type OfficialGroup = { readonly name: string; readonly teams: ReadonlyMap<number, Totals> };
type Totals = Record<'played' | 'points' | 'goals_for' | 'goals_against', number>;

/** Whether the league tables have the official points and goals of every team. */
export function checkTables(
  dataset: Dataset,
  matches: readonly MatchFacts[],
  tables: readonly Standings[],
): DemoCheck {
  const official = [...officialGroups(dataset, matches)];
  const right = official.filter(([key, { teams }]) => {
    const rows = groupsOf(tables, LEAGUE).get(key);
    return [...teams].every(([id, totals]) => {
      const row = rows?.find(({ participant }) => participant.id === id);
      return (
        row !== undefined &&
        Object.entries(totals).every(([name, value]) => row[name as keyof Totals] === value)
      );
    });
  });
  return allOf('every table has the official points and goals', right.length, official.length);
}

/** Renders the tables of the played matches in the order of their stages, and the top scorers. */
export function renderTables(
  dataset: Dataset,
  matches: readonly MatchFacts[],
  tables: readonly Standings[],
): string[] {
  const groups = groupsOf(tables, LEAGUE);
  const official = [...officialGroups(dataset, matches)];
  const lines = official.flatMap(([key, { name }]) => {
    const rows = groups.get(key) ?? [];
    const list = rows.map(({ rank, participant, points }) => `${rank} ${participant.name} ${points}`);
    return official.length > 1
      ? [[name, list.join(', ')]]
      : list.map((line, n) => [n === 0 ? name : '', line]);
  });
  const scorers = [...groupsOf(tables, TOP_SCORERS).values()].flat().slice(0, MAX_SCORERS);
  const best = scorers
    .map(({ participant, columns }) => `${participant.name} ${columns.goals_scored}`)
    .join(', ');
  return [...lines, ['top scorers', best]].map(([name = '', text = '']) => reportLine(name, text));
}

/** Returns a line of the report. */
export function reportLine(name: string, text: string): string {
  return `  ${styleText('gray', name.padEnd(17))} ${text}`;
}

/** Returns the rows of a type of table by `stage/group`; those of a season's table by `season/`. */
function groupsOf(tables: readonly Standings[], type: number): Map<string, readonly StandingsRow[]> {
  const ofType = tables.filter(({ type_id }) => type_id === type);
  return new Map(
    ofType.flatMap(({ object_id, groups }) =>
      groups.map(({ id, rows }) => [`${object_id}/${id ?? ''}`, rows] as const),
    ),
  );
}

function officialGroups(
  { competition }: Dataset,
  matches: readonly MatchFacts[],
): Map<string, OfficialGroup> {
  const groups = new Map<string, { name: string; teams: Map<number, Totals> }>();
  for (const match of matches) {
    const stage = competition.stages.find(({ id }) => id === match.stage);
    if (stage === undefined || stage.knockout) continue;
    const key = `${stage.id}/${match.group ?? ''}`;
    const name = stage.groups.find(({ id }) => id === match.group)?.name ?? competition.season.name;
    const group = groups.get(key) ?? { name, teams: new Map<number, Totals>() };
    groups.set(key, group);
    const [home, away] = finalScore(match);
    add(group.teams, match.home, home, away);
    add(group.teams, match.away, away, home);
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
