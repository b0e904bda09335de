import type { Competition } from '../../data/dataset.ts';

/** Two teams that met; round 0 is the knockout stage. */
export type Meeting = { readonly round: number; readonly home: string; readonly away: string };

/** Ids of the stage, group and round of a match. */
type MatchStage = { stage: number; group: number | null; round: number | null };

type Stage = Competition['stages'][number];
/** A stage without the final ranks of its groups. */
type PlannedStage = Omit<Stage, 'groups'> & {
  readonly groups: readonly Pick<Stage['groups'][number], 'id' | 'name'>[];
};

/** The stages of a competition, and that of each match. */
export type PlannedStages = { readonly stages: readonly PlannedStage[]; readonly of: readonly MatchStage[] };

/** Plans a league: one stage, one unnamed table, one round for each matchday. */
export function league(matches: readonly Meeting[], base: number): PlannedStages {
  const stage = base * 10 + 1;
  const rounds = [...new Set(matches.map((match) => match.round))].sort((a, b) => a - b);
  return {
    stages: [
      {
        id: stage,
        name: 'Regular season',
        knockout: false,
        groups: [],
        rounds: rounds.map((n) => ({ id: base * 1000 + n, name: `Round ${n}` })),
      },
    ],
    of: matches.map((match) => ({ stage, group: null, round: base * 1000 + match.round })),
  };
}

/**
 * Plans a cup. The teams that met in rounds 1 to 3 form a group, lettered by first kick-off. The knockout stages follow
 * by date.
 */
export function cup(matches: readonly Meeting[], base: number): PlannedStages {
  const met = new Map<string, Set<string>>();
  for (const { round, home, away } of matches) {
    if (round === 0) continue;
    const both = [home, away];
    for (const team of both) met.set(team, new Set([...(met.get(team) ?? []), ...both]));
  }
  const groupOf = new Map<string, number>();
  let groups = 0;
  for (const { home } of matches) {
    if (groupOf.has(home)) continue;
    groups++;
    for (const team of met.get(home) ?? []) groupOf.set(team, groups);
  }
  const knockout: [string, number][] = [
    ['Round of 16', 8],
    ['Quarter-finals', 4],
    ['Semi-finals', 2],
    ['Third place', 1],
    ['Final', 1],
  ];
  const stageOfKnockout = knockout.flatMap(([, size], n) => Array<number>(size).fill(base * 10 + 2 + n));
  const groupStage = base * 10 + 1;
  let played = 0;
  const of = matches.map(({ round, home }): MatchStage => {
    if (round === 0)
      return {
        stage: stageOfKnockout[played++] ?? fail('too many knockout matches'),
        group: null,
        round: null,
      };
    const group = groupOf.get(home) ?? fail(`${home} has no group`);
    return { stage: groupStage, group: base * 100 + group, round: base * 1000 + round };
  });
  const letters = Array.from({ length: groups }, (_, n) => String.fromCharCode(65 + n));
  return {
    stages: [
      {
        id: groupStage,
        name: 'Group stage',
        knockout: false,
        groups: letters.map((letter, n) => ({ id: base * 100 + n + 1, name: `Group ${letter}` })),
        rounds: [1, 2, 3].map((n) => ({ id: base * 1000 + n, name: `Round ${n}` })),
      },
      ...knockout.map(([name], n) => ({
        id: base * 10 + 2 + n,
        name,
        knockout: true,
        groups: [],
        rounds: [],
      })),
    ],
    of,
  };
}

/** Stops the build because the source differs from what was expected. */
export function fail(why: string): never {
  throw new Error(why);
}
