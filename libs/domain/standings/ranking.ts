import type { ResultCard } from '#records/types.ts';
import { compareFigures } from '../sorted.ts';
import type { CompetitionRules } from './competition-rules.ts';
import type { GameSet } from './game-set.ts';
import type { Game } from './games.ts';
import {
  type Criterion,
  type FairPlay,
  OWN,
  type OwnFigure,
  type TeamTally,
  type TieBreak,
  type Venue,
} from './ranking-criteria.ts';
import { emptyTally, tallyGames } from './tally.ts';

/** Returns the counts of teams in the same games, at home, away or both. */
type TalliesAt = (venue: Venue) => ReadonlyMap<number, TeamTally>;

/** What ranks teams. */
type RankingFigures = Required<Omit<RankingInputs, 'tallies'>> & { readonly talliesAt: TalliesAt };

const NONE = emptyTally();

/** Returns the figure of a team. */
type FigureOf = (id: number) => number;

/** Returns a figure of teams' own games. */
function ownFigure(figure: OwnFigure, talliesAt: TalliesAt): FigureOf {
  const [venue, figureOf] = OWN[figure];
  const tallies = talliesAt(venue);
  return (id) => figureOf(tallies.get(id) ?? NONE);
}

/** Whether a criterion is a figure of a team's own games. */
function isOwnFigure(criterion: Criterion): criterion is OwnFigure {
  return criterion in OWN;
}

/** Returns the figure of a criterion; null when it is unknown for one of the teams. */
function figuresOf(
  criterion: Criterion,
  ids: readonly number[],
  { talliesAt, games, rules, previousRanks }: RankingFigures,
): FigureOf | null {
  if (isOwnFigure(criterion)) return ownFigure(criterion, talliesAt);
  if (criterion === 'half_point') return (id) => (talliesAt('all').get(id) ?? NONE).halfPoint;
  if (criterion === 'previous_rank') {
    const ranks = previousRanks;
    return ranks === null || ids.some((id) => !ranks.has(id)) ? null : (id) => -(ranks.get(id) ?? 0);
  }
  const [, figureOf] = OWN[OF_OPPONENTS[criterion]];
  // Corrections of a team of the table are part of what its opponents' sums count.
  const ofAll = new Map([...tallyGames(games, games.teamIds(), rules.points), ...talliesAt('all')]);
  return (id) =>
    games.ofTeam(id).reduce((sum, { home, away }) => {
      const opponent = home.id === id ? away.id : home.id;
      return sum + figureOf(ofAll.get(opponent) ?? NONE);
    }, 0);
}

/** The figures that the criteria of opponents sum up. */
const OF_OPPONENTS = {
  opponents_points: 'points',
  opponents_goals_diff: 'goals_diff',
  opponents_goals_scored: 'goals_scored',
} as const;

/** Positions by id. Equal ids share one, and the next counts all before it. In the order of positions, then of ids. */
export type Ranks = ReadonlyMap<number, number>;

/** Ranks ids by figures: the larger figure ranks higher, the next figure breaks ties. */
export function rankByFigures(figures: Iterable<readonly [id: number, figures: readonly number[]]>): Ranks {
  const ordered = [...figures].sort(([a, ofA], [b, ofB]) => compareFigures(ofA, ofB) || a - b);
  const ranks = new Map<number, number>();
  let [rank, above]: [number, readonly number[]] = [0, []];
  for (const [id, own] of ordered) {
    if (rank === 0 || compareFigures(above, own) !== 0) rank = ranks.size + 1;
    ranks.set(id, rank);
    above = own;
  }
  return ranks;
}

/** The inputs of a ranking of teams. */
export type RankingInputs = {
  /** The totals of the teams to rank, corrections included. */
  readonly tallies: ReadonlyMap<number, TeamTally>;
  /** What head-to-head, fair play and the figures of venues and opponents count. */
  readonly games: GameSet;
  readonly rules: CompetitionRules;
  /** Ranks before the stage, see `StageStart`; null without an earlier one. */
  readonly previousRanks?: ReadonlyMap<number, number> | null;
};

/** Ranks teams by the tie-break of the rules, expelled teams last. */
export function rankTeams({ tallies, games, rules, previousRanks = null }: RankingInputs): Ranks {
  const expelled = new Set(rules.expelled.map(({ participant_id }) => participant_id));
  const order = rules.tie_break.map((step) =>
    step === 'points' && rules.curtailed ? 'points_per_game' : step,
  );
  const ids = [...tallies.keys()].sort((a, b) => a - b);
  const talliesAt: TalliesAt = (venue) =>
    venue === 'all' ? tallies : tallyGames(games, tallies.keys(), rules.points, venue);
  const figures = { talliesAt, games, rules, previousRanks };
  const parts = partition(ids, (id) => Number(!expelled.has(id)));
  return ranksOf(parts.flatMap((part) => splitBy(part, order, figures)));
}

/** Ranks teams by their own totals alone, without head-to-head: for tables of home games, away games, halves and form. */
export function rankSplit(
  tallies: ReadonlyMap<number, TeamTally>,
  games: GameSet,
  rules: CompetitionRules,
): Ranks {
  const order = rules.tie_break.filter(
    (step) => typeof step === 'string' && isOwnFigure(step) && OWN[step][0] === 'all',
  );
  return rankTeams({ tallies, games, rules: { ...rules, tie_break: order } });
}

/** Splits teams, given in order, by one step after the other: each part is equal on all steps; the best part is first. */
function splitBy(ids: number[], steps: readonly TieBreak[], figures: RankingFigures): number[][] {
  if (ids.length < 2) return [ids];
  const [step, ...rest] = steps;
  if (step === undefined) return [ids];
  if (typeof step === 'object' && 'head_to_head' in step) {
    const parts = splitByMeetings(ids, step, figures);
    const next = step.again !== false && parts.length > 1 ? steps : rest;
    return parts.flatMap((part) => splitBy(part, next, figures));
  }
  const figureOf =
    typeof step === 'string' ? figuresOf(step, ids, figures) : figureOfStep(ids, step, figures.games);
  const parts = figureOf === null ? [ids] : partition(ids, figureOf);
  return parts.flatMap((part) => splitBy(part, rest, figures));
}

/** Splits teams by the games among them, once all have met often enough. */
function splitByMeetings(
  ids: number[],
  { head_to_head, after_meetings, again, most_teams }: HeadToHead,
  { games, rules }: RankingFigures,
): number[][] {
  if (most_teams !== null && ids.length > most_teams) return [ids];
  const among = [...games].filter(({ home, away }) => ids.includes(home.id) && ids.includes(away.id));
  if (!haveMet(ids, among, after_meetings)) return [ids];
  let parts = [ids];
  for (const figure of head_to_head) {
    const figureOf = ownFigure(figure, (venue) => tallyGames(among, ids, rules.points, venue));
    parts = parts.flatMap((part) => partition(part, figureOf));
    // The caller starts again with the teams of each part.
    if (again === 'each' && parts.length > 1) return parts;
  }
  return parts;
}

type HeadToHead = Extract<TieBreak, { readonly head_to_head: unknown }>;
type PlacingStep = Exclude<TieBreak, Criterion | HeadToHead>;

/** Returns the figure by fair play, by lot or by a list, the largest first; null if it is unknown of any team. */
function figureOfStep(ids: readonly number[], step: PlacingStep, games: GameSet): FigureOf | null {
  if ('fair_play' in step) {
    const points = fairPlayPoints(ids, games, step.fair_play);
    return points === null ? null : (id) => points.get(id) ?? 0;
  }
  const lists = 'listed' in step ? step.listed : step.drawing_of_lots;
  const list = lists.find((ordered) => ids.every((id) => ordered.includes(id)));
  return list === undefined ? null : (id) => -list.indexOf(id);
}

/** Whether every two of the teams have met at least `meetings` times. */
function haveMet(ids: readonly number[], among: readonly Game[], meetings: number): boolean {
  if (meetings === 0) return true;
  const met = new Map<string, number>();
  for (const { home, away } of among) {
    const pair = String([home.id, away.id].sort());
    met.set(pair, (met.get(pair) ?? 0) + 1);
  }
  const pairs = (ids.length * (ids.length - 1)) / 2;
  return met.size === pairs && [...met.values()].every((times) => times >= meetings);
}

function partition(ids: number[], figureOf: FigureOf): number[][] {
  const byFigure = Map.groupBy(ids, figureOf);
  return [...byFigure].sort(([a], [b]) => b - a).map(([, part]) => part);
}

function ranksOf(parts: readonly (readonly number[])[]): Ranks {
  const ranks = new Map<number, number>();
  for (const part of parts) {
    const rank = ranks.size + 1;
    for (const id of part) ranks.set(id, rank);
  }
  return ranks;
}

/** Returns the fair-play points by team; null when the cards of one of its games are unknown. */
export function fairPlayPoints(ids: readonly number[], games: GameSet, worth: FairPlay) {
  const points = new Map<number, number>();
  for (const id of ids) {
    let sum = 0;
    for (const { cards } of games.ofTeam(id)) {
      if (cards === null) return null;
      for (const kind of shownTo(id, cards, worth)) sum += worth[kind];
    }
    points.set(id, sum);
  }
  return points;
}

/** Returns the card that each player of a team was shown in a game. Each card of an unknown player counts by itself. */
function shownTo(
  team: number,
  cards: NonNullable<Game['cards']>,
  { second_yellow_attributes }: FairPlay,
): Exclude<keyof FairPlay, 'second_yellow_attributes'>[] {
  const isSecondYellow = ({ kind, attribute_ids }: ResultCard) =>
    kind === 'red' && second_yellow_attributes.some((id) => attribute_ids.includes(id));
  const byPlayer = new Map<number | ResultCard, { yellow: number; red: number; second: boolean }>();
  for (const card of cards) {
    if (card.team_id !== team) continue;
    const player = card.player?.id ?? card;
    const counts = byPlayer.get(player) ?? { yellow: 0, red: 0, second: false };
    counts[card.kind] += 1;
    counts.second ||= isSecondYellow(card);
    byPlayer.set(player, counts);
  }
  return [...byPlayer.values()].map(({ yellow, red, second }) => {
    if (second) return 'second_yellow';
    if (red === 0) return yellow > 1 ? 'second_yellow' : 'yellow';
    if (yellow === 0) return 'red';
    return yellow > 1 ? 'second_yellow' : 'yellow_and_red';
  });
}
