/** Which games and teams a group's table has: those of its group, of conferences, and of earlier stages. */

import type { ResultTeam } from '#records/types.ts';
import type { Carried, CompetitionRules } from './competition-rules.ts';
import { GameSet, PLAYED } from './game-set.ts';
import { compareOrder, type Game } from './games.ts';
import { type RankedSeason, rankTable, type StageStart, seasonOf, totalsAt } from './standing.ts';

/** The games and teams of a table. */
export type TableScope = {
  readonly games: GameSet;
  /** The teams with a row; null: all teams of the games. */
  readonly teams: ReadonlySet<number> | null;
  readonly start: StageStart | null;
};

/** The inputs of the tables of a season's stages. */
export type ScopeInputs = {
  readonly rules: CompetitionRules;
  readonly games: SeasonGames;
  /** The corrections in force, with their stages. */
  readonly corrections: CompetitionRules['corrections'];
};

/** Returns the entries in the order of ids, null first: not in the order in which results named them. */
export function byId<V>(map: ReadonlyMap<number | null, V>): [number | null, V][] {
  return [...map].sort(([a], [b]) => compareStages(a, b));
}

/** Returns the corrections of a stage that are in force. */
export function correctionsOf({ corrections }: Pick<ScopeInputs, 'corrections'>, stageId: number | null) {
  return corrections.filter(({ stage_id }) => stage_id === stageId);
}

/** Returns the rules of a stage, with its corrections that are in force. */
export function correctedRules(
  inputs: Pick<ScopeInputs, 'rules' | 'corrections'>,
  stageId: number | null,
): CompetitionRules {
  return { ...rulesOfStage(inputs.rules, stageId), corrections: correctionsOf(inputs, stageId) };
}

/** Returns the season of the games of a scope that were played. */
export function playedSeason({ games, teams, start }: TableScope, rules: CompetitionRules): RankedSeason {
  return seasonOf(games.view(PLAYED), teamsOf({ games, teams }), rules, start);
}

/** Returns the teams with a row. */
export function teamsOf({ games, teams }: Pick<TableScope, 'games' | 'teams'>): Map<number, ResultTeam> {
  const all = games.teams();
  return teams === null ? all : new Map([...all].filter(([id]) => teams.has(id)));
}

/** Returns the scope of each group's table of a stage, by group, in the order of groups. */
export function scopesOf(inputs: ScopeInputs, stageId: number | null): Map<number | null, TableScope> {
  const { carried, conferences } = rulesOfStage(inputs.rules, stageId);
  const groups = new Map(byId(inputs.games.get(stageId) ?? new Map()).filter(([, { size }]) => size > 0));
  const scopes = conferenceScopes(groups, conferences);
  if (carried === null) return scopes;
  return new Map(Array.from(scopes, ([group, scope]) => [group, startedScope(inputs, carried, scope)]));
}

/** Returns the scopes of groups whose teams may also play teams of another group: each has all games of its own teams. */
function conferenceScopes(
  groups: ReadonlyMap<number | null, GameSet>,
  conferences: CompetitionRules['conferences'],
): Map<number | null, TableScope> {
  const plain = new Map(
    Array.from(groups, ([id, games]) => [id, { games, teams: null, start: null } as TableScope] as const),
  );
  if (groups.size < 2) return plain;
  const isListed = conferences.length > 0;
  const own = isListed
    ? new Map(conferences.flatMap((one) => one.participant_ids.map((team) => [team, one.group_id] as const)))
    : firstGroups(groups);
  const across = new Map<Game, number | null>();
  for (const [group, games] of groups) {
    for (const game of games) {
      const [home, away] = [own.get(game.home.id), own.get(game.away.id)];
      if (home === undefined || away === undefined || home === away) continue;
      if (isListed || group === home || group === away) across.set(game, group);
    }
  }
  if (across.size === 0) return plain;
  return new Map(
    Array.from(plain, ([group, { games }]) => {
      const teams = new Set<number>();
      for (const game of games) {
        for (const { id } of [game.home, game.away])
          if (!across.has(game) || own.get(id) === group) teams.add(id);
      }
      const ofTeams = [...across].flatMap(([game, filed]) =>
        filed !== group && (own.get(game.home.id) === group || own.get(game.away.id) === group) ? [game] : [],
      );
      for (const { home, away } of ofTeams)
        for (const { id } of [home, away]) if (own.get(id) === group) teams.add(id);
      const withTeams = [...games].filter(({ home, away }) => teams.has(home.id) || teams.has(away.id));
      return [group, { games: new GameSet([...withTeams, ...ofTeams]), teams, start: null }] as const;
    }),
  );
}

/** Returns the group of each team's first game. Games without a group belong to no conference. */
function firstGroups(groups: ReadonlyMap<number | null, GameSet>): Map<number, number> {
  const first = new Map<number, { readonly game: Game; readonly group: number }>();
  for (const [group, games] of groups) {
    if (group === null) return new Map();
    for (const id of games.teamIds()) {
      const game = games.ofTeam(id)[0] as Game;
      const known = first.get(id);
      if (known === undefined || compareOrder(game, known.game) < 0) first.set(id, { game, group });
    }
  }
  return new Map(Array.from(first, ([id, { group }]) => [id, group]));
}

/** Returns a scope with what its teams bring along from earlier stages. */
function startedScope(inputs: ScopeInputs, carried: Carried, scope: TableScope): TableScope {
  const teams = scope.teams ?? new Set(scope.games.teamIds());
  const points = new Map<number, number>();
  const ranks = new Map<number, number>();
  const brought: Game[] = [];
  for (const from of carried.from) {
    for (const source of scopesOf(inputs, from).values()) {
      const counts = ({ home, away }: Game) =>
        carried.against === 'all'
          ? teams.has(home.id) || teams.has(away.id)
          : teams.has(home.id) && teams.has(away.id);
      const games = carried.against === 'all' ? source.games : new GameSet([...source.games].filter(counts));
      const season = playedSeason({ ...source, games }, correctedRules(inputs, from));
      for (const [id, tally] of totalsAt(season, season.now))
        points.set(id, (points.get(id) ?? 0) + tally.points);
      for (const [id, rank] of rankTable(season, season.now)) if (!ranks.has(id)) ranks.set(id, rank);
      brought.push(...[...games].filter(counts));
    }
  }
  const shown = carried.matches ? [...new Set(brought)] : [];
  return {
    games: shown.length === 0 ? scope.games : new GameSet([...scope.games, ...shown]),
    teams,
    start: {
      points: new Map(Array.from(points, ([id, all]) => [id, broughtPoints(all, carried)])),
      games: new Set(shown.filter(({ state }) => state === 'played')),
      ranks,
    },
  };
}

/** Returns the points that a team starts with. `halfPoint`: see `TeamTally`. */
function broughtPoints(all: number, { points, rounded }: Carried): { points: number; halfPoint: number } {
  if (points !== 'half') return { points: points === 'all' ? all : 0, halfPoint: 0 };
  const whole = rounded === 'up' ? Math.ceil(all / 2) : Math.floor(all / 2);
  return { points: whole, halfPoint: all / 2 - whole };
}

type Correction = CompetitionRules['corrections'][number];

/** The games of a season by stage, then by group; null is no stage, or no group. */
export type SeasonGames = ReadonlyMap<number | null, ReadonlyMap<number | null, GameSet>>;

/** Returns the rules of a stage: those of the file, with what its own entry replaces, and what it starts with; null: nothing. */
export function rulesOfStage(rules: CompetitionRules, stageId: number | null) {
  const own = rules.stages.find(({ stage_ids }) => stage_ids.some((one) => one === stageId));
  const { stage_ids: _, carried = null, ...replaced } = own ?? { stage_ids: [] };
  // A file leaves a field out: none is undefined.
  return { ...rules, ...(replaced as Partial<CompetitionRules>), carried };
}

/** Returns the stages whose tables start with the games of a stage, directly or through another stage. */
export function stagesAfter(rules: CompetitionRules, stageId: number | null): number[] {
  const found = new Set<number>();
  const visit = (from: number | null) => {
    for (const { stage_ids, carried } of rules.stages) {
      if (!carried?.from.some((one) => one === from)) continue;
      for (const id of stage_ids) {
        if (found.has(id)) continue;
        found.add(id);
        visit(id);
      }
    }
  };
  visit(stageId);
  return [...found];
}

/** Returns the corrections of a season with their stages; one that names none belongs to the stage that the team began last by its first day. */
export function correctionsOfStages(
  corrections: readonly Correction[],
  seasonId: number,
  games: SeasonGames,
): Correction[] {
  return corrections.flatMap((correction) => {
    const stage_id = correction.stage_id ?? stageOf(correction, games);
    const isOfSeason = correction.season_id === null || correction.season_id === seasonId;
    return isOfSeason && stage_id !== undefined ? [{ ...correction, stage_id }] : [];
  });
}

/** Returns the stage of a correction that names none; undefined while its team has no games. */
function stageOf({ participant_id, from }: Correction, games: SeasonGames): number | null | undefined {
  const begun = Array.from(games, ([stage, groups]) => ({ stage, start: firstStart(groups, participant_id) }))
    .filter((entry): entry is { stage: number | null; start: string } => entry.start !== null)
    .sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : compareStages(a.stage, b.stage)));
  const onDay = begun.findLast(({ start }) => start.slice(0, 10) <= (from ?? ''));
  return (onDay ?? begun[0])?.stage;
}

/** Compares ids of stages or groups, null first. */
function compareStages(a: number | null, b: number | null): number {
  return (a ?? Number.NEGATIVE_INFINITY) - (b ?? Number.NEGATIVE_INFINITY);
}

/** Returns when a team's first game of a stage begins; null if it has none. */
function firstStart(groups: ReadonlyMap<number | null, GameSet>, team: number): string | null {
  const starts = Array.from(groups.values(), (games) => games.ofTeam(team)[0]?.start);
  return starts.filter((start) => start !== undefined).sort()[0] ?? null;
}
