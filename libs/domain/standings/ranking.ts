import type { CompetitionRules, Criterion, TieBreak } from '#contract/competition-rules.ts';
import { fairPlayPoints } from './fair-play.ts';
import type { GameView, SeasonCutoff } from './game-set.ts';
import type { Game } from './games.ts';
import { difference, emptyTally, type TeamTally, tallyGames } from './tally.ts';

/** Compares two ids: negative where the first ranks higher. */
type Compare<T> = (a: T, b: T) => number;

/**
 * Positions by id. Equal ids share a position; the next position counts all ids before it. The map is in the order of
 * positions, then of ids.
 */
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

function compareFigures(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < a.length; at += 1) {
    const order = (b[at] ?? 0) - (a[at] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

/**
 * Ranks teams by the tie-break of the rules, expelled teams last. `tallies`: their totals, corrections included. Head-to-head
 * and fair play count the games up to `cutoff`.
 */
export function rankTeams(
  tallies: ReadonlyMap<number, TeamTally>,
  cutoff: SeasonCutoff,
  rules: CompetitionRules,
): Ranks {
  const expelled = new Set(rules.expelled.map(({ participant_id }) => participant_id));
  const order = rules.curtailed ? rules.tie_break.map(perGame) : rules.tie_break;
  const stay = [...tallies.keys()].filter((id) => !expelled.has(id));
  const out = [...tallies.keys()].filter((id) => expelled.has(id));
  const split = (ids: number[]) => splitBy(ids, order, { tallies, cutoff, rules });
  return ranksOf([...split(stay), ...split(out)]);
}

/** Ranks teams by their own totals alone, without head-to-head: for tables of home games, away games, halves and form. */
export function rankSplit(
  tallies: ReadonlyMap<number, TeamTally>,
  cutoff: SeasonCutoff,
  rules: CompetitionRules,
): Ranks {
  const order = rules.tie_break.filter((step): step is Criterion => typeof step === 'string');
  return rankTeams(tallies, cutoff, { ...rules, tie_break: order });
}

function perGame(step: TieBreak): TieBreak {
  return step === 'points' ? 'points_per_game' : step;
}

type RankingInputs = {
  readonly tallies: ReadonlyMap<number, TeamTally>;
  readonly cutoff: SeasonCutoff;
  readonly rules: CompetitionRules;
};

/** Splits teams by one step after the other. Each part holds teams that are equal on all steps; the best part is first. */
function splitBy(ids: number[], steps: readonly TieBreak[], inputs: RankingInputs): number[][] {
  const [step, ...rest] = steps;
  if (ids.length === 0) return [];
  if (step === undefined || ids.length === 1) return [ids];
  if (typeof step === 'string') {
    const compare = byTallies(inputs.tallies, [step]);
    return partition(ids, compare).flatMap((part) => splitBy(part, rest, inputs));
  }
  if (!('head_to_head' in step)) {
    const places = placesOf(ids, step, inputs.cutoff);
    if (places === null) return splitBy(ids, rest, inputs);
    const parts = partition(ids, (a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
    return parts.flatMap((part) => splitBy(part, rest, inputs));
  }
  const among = gamesAmong(ids, inputs.cutoff);
  if (!haveMet(ids, among, step.after_meetings)) return splitBy(ids, rest, inputs);
  const compare = byTallies(tallyGames(among, ids, inputs.rules.points), step.head_to_head);
  const parts = partition(ids, compare);
  const next = step.again && parts.length > 1 ? steps : rest;
  return parts.flatMap((part) => splitBy(part, next, inputs));
}

type PlacingStep = Exclude<TieBreak, Criterion | { readonly head_to_head: unknown }>;

/** Returns places by fair play or by lot, the lowest first; null if the place of any team is unknown. */
function placesOf(
  ids: readonly number[],
  step: PlacingStep,
  cutoff: SeasonCutoff,
): ReadonlyMap<number, number> | null {
  if ('fair_play' in step) {
    const points = fairPlayPoints(ids, cutoff, step.fair_play);
    return points === null ? null : new Map(Array.from(points, ([id, own]) => [id, -own]));
  }
  const lot = step.drawing_of_lots.find((drawn) => ids.every((id) => drawn.includes(id)));
  return lot === undefined ? null : new Map(lot.map((id, place) => [id, place]));
}

/** The games with a known score, by home team, then by away team. */
const MEETINGS: GameView<Map<number, Map<number, Set<Game>>>> = {
  empty: () => new Map(),
  change: (value, game, times) => {
    if (game.score === null) return;
    const atHome = value.get(game.home.id) ?? new Map<number, Set<Game>>();
    const meetings = atHome.get(game.away.id) ?? new Set();
    value.set(game.home.id, atHome.set(game.away.id, meetings));
    if (times === 1) meetings.add(game);
    else meetings.delete(game);
  },
};

function gamesAmong(ids: readonly number[], { games, without }: SeasonCutoff): Game[] {
  const among = new Set(ids);
  const meetings = games.view(MEETINGS);
  return ids.flatMap((home) =>
    [...(meetings.get(home) ?? [])].flatMap(([away, met]) =>
      among.has(away) ? [...met].filter((game) => !without.has(game)) : [],
    ),
  );
}

/** Whether every two of the teams have met at least `meetings` times. */
function haveMet(ids: readonly number[], among: readonly Game[], meetings: number): boolean {
  if (meetings === 0) return true;
  const met = new Map<string, number>();
  for (const { home, away } of among) {
    const pair = home.id < away.id ? `${home.id} ${away.id}` : `${away.id} ${home.id}`;
    met.set(pair, (met.get(pair) ?? 0) + 1);
  }
  const pairs = (ids.length * (ids.length - 1)) / 2;
  return met.size === pairs && [...met.values()].every((times) => times >= meetings);
}

function byTallies(tallies: ReadonlyMap<number, TeamTally>, criteria: readonly Criterion[]): Compare<number> {
  const none = emptyTally();
  return (a, b) => {
    for (const criterion of criteria) {
      const order = COMPARE[criterion](tallies.get(a) ?? none, tallies.get(b) ?? none);
      if (order !== 0) return order;
    }
    return 0;
  };
}

const COMPARE: Readonly<Record<Criterion, Compare<TeamTally>>> = {
  points: (a, b) => b.points - a.points,
  // Compared as fractions, since 68 of 28 and 17 of 7 are equal; no games are no points.
  points_per_game: (a, b) => b.points * Math.max(1, a.mp) - a.points * Math.max(1, b.mp),
  goals_diff: (a, b) => difference(b) - difference(a),
  goals_scored: (a, b) => b.scored - a.scored,
  won: (a, b) => b.won - a.won,
};

/** Sorts ids and groups those that compare as equal; each group is in the order of ids. */
function partition(ids: readonly number[], compare: Compare<number>): number[][] {
  const parts: number[][] = [];
  for (const id of [...ids].sort((a, b) => compare(a, b) || a - b)) {
    const part = parts.at(-1);
    const first = part?.[0];
    if (part !== undefined && first !== undefined && compare(first, id) === 0) part.push(id);
    else parts.push([id]);
  }
  return parts;
}

function ranksOf(parts: readonly (readonly number[])[]): Ranks {
  const ranks = new Map<number, number>();
  for (const part of parts) {
    const rank = ranks.size + 1;
    for (const id of part) ranks.set(id, rank);
  }
  return ranks;
}
