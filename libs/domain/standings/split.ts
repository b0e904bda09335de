/** Tables that split: the parts stay apart whatever their teams win afterwards. */
import type { SeasonCutoff } from './game-set.ts';
import type { Game } from './games.ts';
import { type Ranks, rankTeams } from './ranking.ts';
import { type RankedSeason, totalsAt } from './standing.ts';
import type { TeamTally } from './tally.ts';

/** Ranks the teams of a table at a cutoff, part by part once it has split. */
export function rankTable(season: RankedSeason, cutoff: SeasonCutoff): Ranks {
  const totals = totalsAt(season, cutoff);
  const parts = partsOf(season, cutoff);
  if (parts === null) return rank(season, cutoff, totals);
  const ranks = new Map<number, number>();
  for (const part of parts) {
    const above = ranks.size;
    const ofPart = new Map(part.map((id) => [id, totals.get(id) as TeamTally]));
    for (const [id, own] of rank(season, cutoff, ofPart)) ranks.set(id, above + own);
  }
  return ranks;
}

function rank(
  { rules, start }: RankedSeason,
  cutoff: SeasonCutoff,
  tallies: ReadonlyMap<number, TeamTally>,
): Ranks {
  return rankTeams({ tallies, cutoff, rules, previousRanks: start?.ranks ?? null });
}

/** Returns the parts of a table, the best first; null before every team has played as many, and while equal teams share a border. */
function partsOf(season: RankedSeason, cutoff: SeasonCutoff): number[][] | null {
  const { split } = season.rules;
  if (split === null) return null;
  const without = new Set<Game>(cutoff.without);
  for (const id of season.teams.keys()) {
    const own = cutoff.games.ofTeam(id).filter((game) => !cutoff.without.has(game));
    if (own.length < split.after_matches) return null;
    for (const game of own.slice(split.after_matches)) without.add(game);
  }
  const before = { ...cutoff, without };
  const ranked = [...rank(season, before, totalsAt(season, before))];
  const parts: number[][] = [];
  let from = 0;
  for (const size of [...split.sizes, ranked.length]) {
    const part = ranked.slice(from, from + size);
    from += size;
    parts.push(part.map(([id]) => id));
    const below = ranked[from];
    if (below !== undefined && below[1] === ranked[from - 1]?.[1]) return null;
  }
  return parts;
}
