/**
 * Builds the data sets of data/ from the match facts of Pappalardo et al. 2019 (CC BY 4.0):
 *
 *     node scripts/datasets/build.ts [FOLDER]      FOLDER has World_Cup.key.jsonl and England.key.jsonl,
 *                                      default ../shared/data/timelines
 *
 * Only facts are taken; ids and format are the project's own. The same input gives the same bytes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  Competition,
  DatasetName,
  FactKind,
  FactSide,
  GoalPair,
  MatchFacts,
  Period,
} from '../../data/dataset.ts';
import { finalScore } from '../../data/dataset.ts';
import names from './names.json' with { type: 'json' };
import { cup, fail, league } from './stages.ts';

type SourceEvent = {
  p: Period;
  s: number;
  team: FactSide;
  player: string;
  pid: number;
  type: string;
  for?: FactSide;
};
type SourceSub = { minute: number; team: FactSide; out: string; in: string; out_id: number; in_id: number };
type SourceMatch = {
  match_id: number;
  round: number;
  dateutc: string;
  label: string;
  home: string;
  away: string;
  truth: {
    score: GoalPair;
    ht: GoalPair;
    et: GoalPair;
    pens: GoalPair;
    duration: 'Regular' | 'ExtraTime' | 'Penalties';
  };
  consistent: boolean;
  events: SourceEvent[];
  subs: SourceSub[];
};

/**
 * Contradictions of the source, by its match id; see data/README.md. Any other match that does not add up stops the
 * build.
 */
const CORRECTIONS: Record<number, 'score_only' | 'half_time_from_goals'> = {
  2499781: 'score_only',
  2500001: 'half_time_from_goals',
};

const SOURCE =
  'Pappalardo et al. 2019, A public data set of spatio-temporal match events in soccer competitions (Wyscout), CC BY 4.0';
const KINDS: Record<string, FactKind> = {
  goal: 'goal',
  penalty_goal: 'penalty_goal',
  own_goal: 'own_goal',
  penalty_missed: 'penalty_missed',
  yellow: 'yellow',
  second_yellow: 'second_yellow',
  red: 'red',
  shootout_goal: 'kick_scored',
  shootout_miss: 'kick_missed',
};
/** Common three-letter codes of teams. */
const ACRONYMS: Readonly<Record<string, string>> = names.acronyms;
const SHORT_NAMES: Readonly<Record<string, string>> = names.shortNames;
const GOALS: readonly FactKind[] = ['goal', 'penalty_goal', 'own_goal'];

type Plan = {
  name: DatasetName;
  file: string;
  /** Prefix of all ids of a data set: ids of two data sets never collide. */
  base: number;
  /** The host of a tournament; null in a league. */
  host: string | null;
  competition: Pick<Competition, 'area' | 'competition' | 'season'>;
  stagesOf: typeof league;
  /** Names of teams in the order of their ranks, by group. */
  ranks: Readonly<Record<string, readonly string[]>>;
};

const PLANS: Plan[] = [
  {
    name: 'world-cup-2018',
    file: 'World_Cup.key.jsonl',
    base: 31,
    host: 'Russia',
    competition: {
      area: { id: 301, name: 'World', code: 'WOR' },
      competition: { id: 3100, name: 'World Cup' },
      season: { id: 31018, name: 'World Cup 2018' },
    },
    stagesOf: cup,
    ranks: names.worldCup2018Groups,
  },
  {
    name: 'england-2017-18',
    file: 'England.key.jsonl',
    base: 32,
    host: null,
    competition: {
      area: { id: 302, name: 'England', code: 'ENG' },
      competition: { id: 3200, name: 'Premier League' },
      season: { id: 32017, name: 'Premier League 2017/18' },
    },
    stagesOf: league,
    ranks: {},
  },
];

function personIds(all: SourceMatch[][]): Map<number, number> {
  const names = new Map<number, string>();
  for (const match of all.flat()) {
    for (const event of match.events) names.set(event.pid, event.player);
    for (const sub of match.subs) names.set(sub.out_id, sub.out).set(sub.in_id, sub.in);
  }
  const sorted = [...names].sort(([a, nameA], [b, nameB]) =>
    nameA < nameB ? -1 : nameA > nameB ? 1 : a - b,
  );
  return new Map(sorted.map(([pid], n) => [pid, 600_001 + n]));
}

function goalsOf(events: MatchFacts['events'], periods: readonly Period[]): GoalPair {
  const score: [number, number] = [0, 0];
  for (const [period, , kind, side] of events) {
    if (!GOALS.includes(kind) || !periods.includes(period)) continue;
    const forHome = (side === 'home') !== (kind === 'own_goal');
    score[forHome ? 0 : 1]++;
  }
  return score;
}

const same = (a: GoalPair, b: GoalPair): boolean => a[0] === b[0] && a[1] === b[1];

/** Stops the build when a match's facts do not add up to its official scores. */
function check(match: MatchFacts, label: string): void {
  if (match.facts === 'score_only') return;
  const kicks = match.events.filter(([, , kind]) => kind === 'kick_scored');
  const scored = (side: FactSide): number => kicks.filter((kick) => kick[3] === side).length;
  const sound =
    same(goalsOf(match.events, ['1H']), match.ht) &&
    same(goalsOf(match.events, ['1H', '2H']), match.ft) &&
    same(goalsOf(match.events, ['1H', '2H', 'E1', 'E2']), finalScore(match)) &&
    same([scored('home'), scored('away')], match.pens ?? [0, 0]);
  if (!sound) fail(`${label}: the events do not add up to the official scores`);
}

function build(plan: Plan, matches: SourceMatch[], person: Map<number, number>): string {
  const teams = [...new Set(matches.flatMap((match) => [match.home, match.away]))].sort();
  const teamId = new Map(teams.map((name, n) => [name, plan.base * 1000 + 501 + n]));
  const players = new Map<number, string>();
  const personOf = (pid: number, name: string): number => {
    const id = person.get(pid) ?? fail(`${name} has no id`);
    players.set(id, name);
    return id;
  };
  const ranksOf = (group: string): number[] =>
    (plan.ranks[group] ?? fail(`${group} has no official ranks`)).map(
      (name) => teamId.get(name) ?? fail(name),
    );
  const { stages, of } = plan.stagesOf(matches, plan.base);
  const lines = matches.map((source, n) => {
    const { truth } = source;
    const correction = CORRECTIONS[source.match_id];
    if (source.consistent !== (correction === undefined))
      fail(`${source.label}: consistency is not as noted`);
    const events = source.events.map((event): MatchFacts['events'][number] => {
      if (event.type === 'own_goal' && event.for === event.team)
        fail(`${source.label}: own goal for its own side`);
      const kind = KINDS[event.type] ?? fail(`${source.label}: unknown event ${event.type}`);
      return [event.p, Math.round(event.s), kind, event.team, personOf(event.pid, event.player)];
    });
    const match: MatchFacts = {
      id: plan.base * 10_000 + n + 1,
      date: `${source.dateutc.slice(0, 16).replace(' ', 'T')}Z`,
      ...(of[n] ?? fail('a match without a stage')),
      neutral: plan.host !== null && source.home !== plan.host && source.away !== plan.host,
      home: teamId.get(source.home) ?? fail(source.home),
      away: teamId.get(source.away) ?? fail(source.away),
      ft: truth.score,
      ht: correction === 'half_time_from_goals' ? goalsOf(events, ['1H']) : truth.ht,
      ...(truth.duration === 'Regular' ? {} : { et: truth.et }),
      ...(truth.duration === 'Penalties' ? { pens: truth.pens } : {}),
      facts: correction === 'score_only' ? 'score_only' : 'all',
      events,
      subs: source.subs.map((sub) => [
        sub.minute,
        sub.team,
        personOf(sub.out_id, sub.out),
        personOf(sub.in_id, sub.in),
      ]),
    };
    check(match, source.label);
    return match;
  });
  const competition: Competition = {
    format: 1,
    dataset: plan.name,
    source: SOURCE,
    ...plan.competition,
    stages: stages.map((stage) => ({
      ...stage,
      groups: stage.groups.map((group) => ({ ...group, ranks: ranksOf(group.name) })),
    })),
    teams: teams.map((name) => ({
      id: teamId.get(name) ?? fail(name),
      name,
      short: SHORT_NAMES[name] ?? name,
      acronym: ACRONYMS[name] ?? fail(`${name} has no acronym`),
    })),
    players: Object.fromEntries([...players].sort(([a], [b]) => a - b)),
  };
  return `${[competition, ...lines].map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/** Returns the text of every data set, by name. */
export function buildAll(folder: string): Map<DatasetName, string> {
  const sources = PLANS.map((plan) =>
    readFileSync(join(folder, plan.file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as SourceMatch)
      .sort((a, b) => (a.dateutc < b.dateutc ? -1 : a.dateutc > b.dateutc ? 1 : a.match_id - b.match_id)),
  );
  const person = personIds(sources);
  return new Map(PLANS.map((plan, n) => [plan.name, build(plan, sources[n] ?? [], person)]));
}

if (import.meta.main) {
  const folder = process.argv[2] ?? join(import.meta.dirname, '../../../shared/data/timelines');
  for (const [name, text] of buildAll(folder)) {
    writeFileSync(join(import.meta.dirname, '../../data', `${name}.jsonl`), text);
    process.stdout.write(
      `data/${name}.jsonl: ${text.trimEnd().split('\n').length - 1} matches, ${text.length} characters\n`,
    );
  }
}
