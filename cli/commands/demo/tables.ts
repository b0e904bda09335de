/** Shows the tables at the end of a demonstration, and compares them with the official scores. */
import { styleText } from 'node:util';
import type { Standings } from '#records/types.ts';
import { type Dataset, finalScore, type MatchFacts } from '../../../data/dataset.ts';
import { allOf, type DemoCheck } from './check.ts';

/** Ids of the types of tables to show (spec, "Standings type"). */
const LEAGUE = 2;
const TOP_SCORERS = 6;
const POINTS = { won: 3, drawn: 1 } as const;
/** Maximum number of scorers to show. */
const MAX_SCORERS = 5;

type TableRow = {
  readonly id: number;
  readonly name: string;
  readonly rank: number;
  readonly columns: readonly { readonly code: string; readonly value: number | string | null }[];
};
type Body = {
  readonly groups: readonly { readonly id: string; readonly participants: readonly TableRow[] }[];
};

/** The official end of a group: for each team, the values of the compared columns. */
type OfficialGroup = { readonly name: string; readonly teams: ReadonlyMap<number, Totals> };
type Totals = Record<'mp' | 'pts' | 'goals_scored' | 'goals_allowed', number>;

/** Whether the league tables have the official points and goals of every team. */
export function checkTables(
  dataset: Dataset,
  matches: readonly MatchFacts[],
  tables: readonly Standings[],
): DemoCheck {
  const official = [...officialGroups(dataset, matches)];
  const right = official.filter(([key, { teams }]) => {
    const rows = new Map(
      groupsOf(tables, LEAGUE)
        .get(key)
        ?.map((row) => [row.id, row]),
    );
    return [...teams].every(([id, totals]) =>
      Object.entries(totals).every(([code, value]) => cell(rows.get(id), code) === value),
    );
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
    const list = rows.map((row) => `${row.rank} ${row.name} ${cell(row, 'pts')}`);
    return official.length > 1
      ? [[name, list.join(', ')]]
      : list.map((line, n) => [n === 0 ? name : '', line]);
  });
  const scorers = [...groupsOf(tables, TOP_SCORERS).values()].flat().slice(0, MAX_SCORERS);
  const best = scorers.map((row) => `${row.name} ${cell(row, 'goals_scored')}`).join(', ');
  return [...lines, ['top scorers', best]].map(([name = '', text = '']) => reportLine(name, text));
}

/** Returns a line of the report. */
export function reportLine(name: string, text: string): string {
  return `  ${styleText('gray', name.padEnd(17))} ${text}`;
}

/** Returns the rows of a type of table by `stage/group`; those of a season's table by `season/`. */
function groupsOf(tables: readonly Standings[], type: number): Map<string, readonly TableRow[]> {
  const groups = new Map<string, readonly TableRow[]>();
  for (const { type_id, object_id, body } of tables) {
    if (type_id !== type) continue;
    for (const { id, participants } of (JSON.parse(body) as Body).groups)
      groups.set(`${object_id}/${id}`, participants);
  }
  return groups;
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
  const totals = teams.get(id) ?? { mp: 0, pts: 0, goals_scored: 0, goals_allowed: 0 };
  totals.mp += 1;
  totals.pts += scored > allowed ? POINTS.won : scored === allowed ? POINTS.drawn : 0;
  totals.goals_scored += scored;
  totals.goals_allowed += allowed;
  teams.set(id, totals);
}

function cell(row: TableRow | undefined, code: string): number | string | null {
  return row?.columns.find((column) => column.code === code)?.value ?? null;
}
