/** The official figures of the played tournament from data/world-cup-2018.jsonl, never from derived data. */
import { finalScore, type MatchFacts, readDataset } from '../../../data/dataset.ts';

const { competition, matches } = readDataset('world-cup-2018');

export const SEASON = competition.season.id;
export const MATCHES = matches.length;
export const GOALS = matches.reduce((sum, match) => sum + sumOf(finalScore(match)), 0);
export const KICKS_SCORED = eventsOf(matches, ['kick_scored']).length;

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
