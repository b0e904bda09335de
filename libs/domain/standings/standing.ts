import type { ResultTeam } from '#records/types.ts';
import type { CompetitionRules } from './competition-rules.ts';
import type { GameSet, SeasonCutoff } from './game-set.ts';
import type { Game } from './games.ts';
import type { Ranks } from './ranking.ts';
import { type TeamTally, talliesAt, tallyGames } from './tally.ts';
import type { RankedRow, Values } from './types.ts';

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
  const now = { games, without: new Set<Game>(), day: null };
  return { rules, now, teams, start, before: cutoffsBefore(games), leagueRanks: new Map() };
}

/** Returns the cutoff before the last round of each team. Teams share an equal cutoff, so that it is ranked once. */
function cutoffsBefore(games: GameSet): Map<number, SeasonCutoff> {
  const byEnd = new Map<string, SeasonCutoff>();
  const cutoffs: SeasonCutoff[] = [];
  const before = new Map<number, SeasonCutoff>();
  for (const id of games.teamIds()) {
    const own = games.ofTeam(id);
    if (own.length < 2) continue;
    const last = own.at(-1) as Game;
    const end = `${last.round} ${last.start}`;
    const cutoff = byEnd.get(end) ?? shared(cutoffs, games, gamesSince(last, games));
    byEnd.set(end, cutoff);
    if (cutoff.without.size < games.size) before.set(id, cutoff);
  }
  return before;
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

function shared(cutoffs: SeasonCutoff[], games: GameSet, without: Set<Game>): SeasonCutoff {
  const same = cutoffs.find(
    (cutoff) =>
      cutoff.without.size === without.size && [...without].every((game) => cutoff.without.has(game)),
  );
  if (same !== undefined) return same;
  const cutoff = { games, without, day: games.last(without)?.start.slice(0, 10) ?? null };
  cutoffs.push(cutoff);
  return cutoff;
}

/** Returns the corrections in force on a day; all of them for null. */
export function correctionsAt(rules: CompetitionRules, day: string | null): CompetitionRules['corrections'] {
  return rules.corrections.filter(({ from }) => day === null || from === null || from <= day);
}

/** Returns the totals of all teams at a cutoff, with what they brought along and corrections. */
export function totalsAt(
  { rules, teams, start }: RankedSeason,
  cutoff: SeasonCutoff,
): Map<number, TeamTally> {
  const tallies = talliesAt(cutoff, teams.keys(), rules.points);
  if (start !== null) {
    const brought = [...start.games].filter((game) => !cutoff.without.has(game));
    for (const [id, { points }] of tallyGames(brought, teams.keys(), rules.points)) {
      const tally = tallies.get(id) as TeamTally;
      tally.points += (start.points.get(id)?.points ?? 0) - points;
      tally.halfPoint = start.points.get(id)?.halfPoint ?? 0;
    }
  }
  for (const { participant_id, value } of correctionsAt(rules, cutoff.day)) {
    const tally = tallies.get(participant_id);
    if (tally !== undefined) tally.points += value;
  }
  return tallies;
}

/** Returns a function that returns the position of a team or person before the last round of `team`; null if it had none. */
export function lastRanks(
  season: RankedSeason,
  rankAt: RankAt,
): (id: number, team?: number) => number | null {
  const known = new Map<SeasonCutoff, Ranks>();
  return (id, team = id) => {
    const cutoff = season.before.get(team);
    if (cutoff === undefined) return null;
    const ranks = known.get(cutoff) ?? rankAt(cutoff);
    known.set(cutoff, ranks);
    return ranks.get(id) ?? null;
  };
}

/** Returns the rows of a table of teams, in order. */
export function teamRows(
  season: RankedSeason,
  rankAt: RankAt,
  valuesOf: (id: number) => Values,
): RankedRow[] {
  const last = lastRanks(season, rankAt);
  return Array.from(rankAt(season.now), ([id, rank]) => ({
    id,
    name: season.teams.get(id)?.name ?? null,
    club: null,
    rank,
    last_rank: last(id),
    values: valuesOf(id),
  }));
}
