/** The official figures of the played tournament from data/world-cup-2018.jsonl, never from derived data. */
import { readFileSync } from 'node:fs';
import { finalScore, type MatchFacts, readDataset } from '../../../data/dataset.ts';

const { competition, matches } = readDataset('world-cup-2018');

export const SEASON = competition.season.id;
export const MATCHES = matches.length;
export const GOALS = matches.reduce((sum, match) => sum + sumOf(finalScore(match)), 0);
export const KICKS_SCORED = eventsOf(matches, ['kick_scored']).length;

/** Number of goals by scorer. */
export const SCORERS = countBy(
  eventsOf(matches, ['goal', 'penalty_goal']).map(([, , , , id]) => competition.players[id] ?? ''),
);

/** Group points of each team: three for a win, one for a draw. */
export const POINTS = pointsOf(matches.filter(({ group }) => group !== null));

function pointsOf(played: readonly MatchFacts[]): Readonly<Record<string, number>> {
  const points: Record<string, number> = {};
  for (const { home, away, ft } of played) {
    const [atHome, abroad] = ft;
    const [forHome, forAway] = atHome > abroad ? [3, 0] : atHome < abroad ? [0, 3] : [1, 1];
    for (const [team, gained] of [
      [home, forHome],
      [away, forAway],
    ] as const) {
      const name = competition.teams.find(({ id }) => id === team)?.name ?? '';
      points[name] = (points[name] ?? 0) + gained;
    }
  }
  return points;
}

/** Reads goals and goals by scorer from a timeline of ../shared/data. */
export function readTimelines(file: string): { readonly goals: number; readonly scorers: readonly number[] } {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const played: Timeline[] = lines.map((line) => JSON.parse(line));
  const scored = played.flatMap(({ events }) => events.filter(({ type }) => /^(penalty_)?goal$/.test(type)));
  return {
    goals: played.reduce((sum, { events_score }) => sum + sumOf(events_score), 0),
    scorers: Object.values(countBy(scored.map(({ pid }) => String(pid)))).sort((a, b) => b - a),
  };
}

type Timeline = {
  readonly events_score: readonly [number, number];
  readonly events: readonly { readonly type: string; readonly pid: number }[];
};

function eventsOf(played: readonly MatchFacts[], kinds: readonly string[]) {
  return played.flatMap(({ events }) => events.filter(([, , kind]) => kinds.includes(kind)));
}

function sumOf([home, away]: readonly [number, number]): number {
  return home + away;
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
