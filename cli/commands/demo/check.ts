/** Compares what the topics hold after the play, read committed, with the official results. */
import type { MatchState, Score, Standings } from '#records/types.ts';
import { findTopics } from '#topics/admin.ts';
import { readLatest, type TopicCluster } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import { type Dataset, finalScore, type GoalPair, type MatchFacts } from '../../../data/dataset.ts';
import type { OpenCluster } from '../../cluster.ts';
import { recordCounts } from '../../deletion.ts';

/** What the topics hold after the play: match states by event id, and tables. */
export type PlayOutcome = Awaited<ReturnType<typeof readOutcome>>;

/** A match whose final state is not the official one; `state` is undefined when it is missing. */
export type Mismatch = { readonly facts: MatchFacts; readonly state: MatchState | undefined };

/** In a system that was set up, at least one of these topics has records: deliveries expire, clients do not. */
const USED_TOPICS = ['raw-messages', 'normalized-messages', 'match-state', 'clients'] as const;

/** Whether a system uses the topics of a prefix: a play would then reach its clients. Rejects with `StreamError`, `TopicAdminError`. */
export async function isInUse(cluster: TopicCluster): Promise<boolean> {
  const found = await findTopics(cluster);
  const topics = USED_TOPICS.filter((topic) => found.has(topic));
  const names = topics.map((topic) => topicName(cluster.prefix, topic));
  return (await recordCounts(cluster, names)).size > 0;
}

/** Reads the topics that hold the outcome. Rejects as `follow`. */
export async function readOutcome(cluster: OpenCluster) {
  const [states, tables] = await Promise.all([
    readLatest('match-state', cluster),
    readLatest('standings', cluster),
  ]);
  return {
    states: new Map(Array.from(states.values(), (state) => [state.event_id, state])),
    tables: [...tables.values()],
  };
}

/** Returns the matches that are missing, not finished, or without the official result. */
export function mismatches(
  matches: readonly MatchFacts[],
  { states }: Pick<PlayOutcome, 'states'>,
): Mismatch[] {
  return matches
    .map((facts) => ({ facts, state: states.get(facts.id) }))
    .filter(({ facts, state }) => state === undefined || !isFinished(state) || !isOfficial(state, facts));
}

function isOfficial({ score, firm, shoot_out }: MatchState, facts: MatchFacts): boolean {
  const is = (own: Score | null, official: GoalPair | undefined): boolean =>
    own?.home === official?.[0] && own?.away === official?.[1];
  return is(score, finalScore(facts)) && is(firm, finalScore(facts)) && is(shoot_out, facts.pens);
}

/** Id of the type of league tables (spec, "Standings type"). */
const LEAGUE = 2;
/** The points of a team by the sign of its goal difference. */
const POINTS: Readonly<Record<number, number>> = { 1: 3, 0: 1 };
const COUNTED = ['played', 'points', 'goals_for', 'goals_against'] as const;

/** Counts the league tables, and those that have the official points and goals of every team. */
export function checkTables(
  { competition }: Dataset,
  matches: readonly MatchFacts[],
  tables: readonly Standings[],
): { readonly right: number; readonly all: number } {
  const played = matches.flatMap((match) => {
    const stage = competition.stages.find(({ id }) => id === match.stage);
    if (stage === undefined || stage.knockout) return [];
    const key = keyOf(stage.id, match.group);
    const [home, away] = finalScore(match);
    const rowOf = (team: number, goals_for: number, goals_against: number) => {
      const points = POINTS[Math.sign(goals_for - goals_against)] ?? 0;
      return { key, team, played: 1, points, goals_for, goals_against };
    };
    return [rowOf(match.home, home, away), rowOf(match.away, away, home)];
  });
  const leagues = tables.filter(({ type_id }) => type_id === LEAGUE);
  const rows = new Map(
    leagues.flatMap(({ object_id: stage, groups }) => groups.map((of) => [keyOf(stage, of.id), of.rows])),
  );
  const official = Map.groupBy(played, ({ key }) => key);
  const right = [...official].filter(([key, of]) =>
    [...Map.groupBy(of, ({ team }) => team)].every(([id, own]) => {
      const row = rows.get(key)?.find(({ participant }) => participant.id === id);
      return COUNTED.every((name) => row?.[name] === own.reduce((sum, one) => sum + one[name], 0));
    }),
  );
  return { right: right.length, all: official.size };
}

function keyOf(stage: number, group: number | null | undefined): string {
  return `${stage}/${group ?? ''}`;
}

type PlayedState = Pick<MatchState, 'status_type' | 'under_review' | 'void_goals'>;

/** Returns the progress of a play of `matches` matches as one line; `seconds` since its start. */
export function progressLine(
  season: string,
  matches: number,
  states: readonly PlayedState[],
  seconds: number,
): string {
  const count = (holds: (state: PlayedState) => boolean): number => states.filter(holds).length;
  const disallowed = states.reduce((sum, { void_goals }) => sum + Object.keys(void_goals).length, 0);
  const parts = [
    `${count(isFinished)} of ${matches} played`,
    `${count(({ status_type }) => status_type === 'live')} live`,
    `${count(({ under_review }) => under_review)} under review`,
    `${disallowed} goals disallowed`,
  ];
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(Math.floor(seconds % 60)).padStart(2, '0')}  ${season}: ${parts.join(', ')}`;
}

function isFinished({ status_type }: Pick<MatchState, 'status_type'>): boolean {
  return status_type === 'finished';
}
