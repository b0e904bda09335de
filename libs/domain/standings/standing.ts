import type { ResultTeam } from '#records/types.ts';
import type { CompetitionRules } from './competition-rules.ts';
import { GameSet } from './game-set.ts';
import type { Game } from './games.ts';
import { type Ranks, rankTeams } from './ranking.ts';
import type { TeamTally } from './ranking-criteria.ts';
import { tallyGames } from './tally.ts';
import type { RankedRow, Values } from './types.ts';

/** The games up to a point. `day`: that of the corrections in force; null: all are. */
export type SeasonCutoff = { readonly games: GameSet; readonly day: string | null };

/** Ranks ids at a cutoff. */
export type RankAt = (cutoff: SeasonCutoff) => Ranks;

/** What the teams of a table bring along from earlier stages. */
export type StageStart = {
  /** Points by team, and the half point that rounding took (0.5) or gave (-0.5). */
  readonly points: ReadonlyMap<number, { readonly points: number; readonly halfPoint: number }>;
  /** Games of earlier stages among those of the table; the points of these games are those above. */
  readonly games: ReadonlySet<Game>;
  /** Ranks in the earlier stages. */
  readonly ranks: Ranks;
};

/** A season to rank now and before the last round of each team. */
export type RankedSeason = {
  readonly rules: CompetitionRules;
  readonly now: SeasonCutoff;
  /** The teams of the table: their opponents may be others. */
  readonly teams: ReadonlyMap<number, ResultTeam>;
  readonly start: StageStart | null;
  /** The cutoff before the last round of each team; none in a team's first round. Teams with the same cutoff share the object. */
  readonly before: ReadonlyMap<number, SeasonCutoff>;
  /** Positions in the league table, computed on demand: several tables use them. */
  readonly leagueRanks: Map<SeasonCutoff, Ranks>;
};

/** Returns a season of the games that count. `teams` includes teams without such a game: they have a row too. */
export function seasonOf(
  games: GameSet,
  teams: ReadonlyMap<number, ResultTeam>,
  rules: CompetitionRules,
  start: StageStart | null = null,
): RankedSeason {
  return {
    rules,
    now: { games, day: null },
    teams,
    start,
    before: cutoffsBefore(games),
    leagueRanks: new Map(),
  };
}

/** Returns the cutoff before the last round of each team. Teams share an equal cutoff, so that it is ranked once. */
function cutoffsBefore(games: GameSet): Map<number, SeasonCutoff> {
  const cutoffs = new Map<string, SeasonCutoff>();
  const before = new Map<number, SeasonCutoff>();
  for (const id of games.teamIds()) {
    const own = games.ofTeam(id);
    if (own.length < 2) continue;
    const since = gamesSince(own.at(-1) as Game, games);
    if (since.size === games.size) continue;
    const lacked = Array.from(since, ({ eventId }) => eventId)
      .sort()
      .join();
    const cutoff = cutoffs.get(lacked) ?? cutoffOf([...games].filter((game) => !since.has(game)));
    cutoffs.set(lacked, cutoff);
    before.set(id, cutoff);
  }
  return before;
}

function cutoffOf(left: readonly Game[]): SeasonCutoff {
  const games = new GameSet(left);
  return { games, day: games.last()?.start.slice(0, 10) ?? null };
}

/** Returns the games of a round and all later ones, without one that was played long before: its team has played another since. */
function gamesSince({ start, round }: Game, games: GameSet): Set<Game> {
  const since = new Set(games.from(start));
  if (round === null) return since;
  const ofRound = new Set<Game>();
  for (const id of games.teamIds()) {
    const last = games.ofTeam(id).findLast((game) => game.start < start);
    if (last?.round !== round) continue;
    // Met for the second team: it is the last game of both.
    if (ofRound.has(last)) since.add(last);
    ofRound.add(last);
  }
  return since;
}

/** Returns the corrections in force on a day; all of them for null. */
export function correctionsAt(rules: CompetitionRules, day: string | null): CompetitionRules['corrections'] {
  return rules.corrections.filter(({ from }) => day === null || from === null || from <= day);
}

/** Returns the totals of all teams at a cutoff, with what they brought along and corrections. */
export function totalsAt({ rules, teams, start }: RankedSeason, { games, day }: SeasonCutoff) {
  const tallies = tallyGames(games, teams.keys(), rules.points);
  if (start !== null) {
    const brought = [...games].filter((game) => start.games.has(game));
    for (const [id, { points }] of tallyGames(brought, teams.keys(), rules.points)) {
      const tally = tallies.get(id) as TeamTally;
      tally.points += (start.points.get(id)?.points ?? 0) - points;
      tally.halfPoint = start.points.get(id)?.halfPoint ?? 0;
    }
  }
  for (const { participant_id, value } of correctionsAt(rules, day)) {
    const tally = tallies.get(participant_id);
    if (tally !== undefined) tally.points += value;
  }
  return tallies;
}

/** Ranks the teams of a table at a cutoff; once it has split part by part, which stay apart whatever their teams win. */
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
  { games }: SeasonCutoff,
  tallies: ReadonlyMap<number, TeamTally>,
): Ranks {
  return rankTeams({ tallies, games, rules, previousRanks: start?.ranks ?? null });
}

/** Returns the parts of a table, the best first; null before every team has played as many, and while equal teams share a border. */
function partsOf(season: RankedSeason, cutoff: SeasonCutoff): number[][] | null {
  const { split } = season.rules;
  if (split === null) return null;
  const after = new Set<Game>();
  for (const id of season.teams.keys()) {
    const own = cutoff.games.ofTeam(id);
    if (own.length < split.after_matches) return null;
    for (const game of own.slice(split.after_matches)) after.add(game);
  }
  const before = { ...cutoff, games: new GameSet([...cutoff.games].filter((game) => !after.has(game))) };
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

/** Returns a function that returns the position of a team or person before the last round of `team`; null if it had none. */
export function lastRanks(season: RankedSeason, rankAt: RankAt) {
  const known = new Map<SeasonCutoff, Ranks>();
  return (id: number, team = id): number | null => {
    const cutoff = season.before.get(team);
    if (cutoff === undefined) return null;
    const ranks = known.get(cutoff) ?? rankAt(cutoff);
    known.set(cutoff, ranks);
    return ranks.get(id) ?? null;
  };
}

/** Returns the rows of a table of teams, in order. */
export function teamRows(season: RankedSeason, rankAt: RankAt, valuesOf: (id: number) => Values) {
  const last = lastRanks(season, rankAt);
  return Array.from(
    rankAt(season.now),
    ([id, rank]): RankedRow => ({
      id,
      name: season.teams.get(id)?.name ?? null,
      club: null,
      rank,
      last_rank: last(id),
      values: valuesOf(id),
    }),
  );
}
