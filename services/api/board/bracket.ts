/** Arranges knock-out stages as rounds of ties; each tie is aligned with the tie it leads to. Pure. */

import { hasResult } from '#domain/message-key.ts';
import type { TieRule } from '#domain/standings/competition-rules.ts';
import { levelRule, tieOutcome } from '#domain/standings/ties.ts';
import type { BoardMatch } from '#story/match.ts';
import type { KnockOutStage } from '#views/store/board-view.ts';

/** A match of a knock-out stage, with the fields that decide who advances. */
type BracketMatch = Omit<KnockOutStage['matches'][number], 'state'> & {
  readonly match: BoardMatch;
  readonly home_id: number | null;
  readonly away_id: number | null;
};

/** A knock-out stage of a season. `name` null: unknown. */
export type BracketStage = {
  readonly stage_id: number;
  readonly name: string | null;
  /** By start. */
  readonly matches: readonly BracketMatch[];
};

export type Bracket = ReturnType<typeof bracketOf>;
export type BracketRound = ReturnType<typeof roundsOf>[number];
/** A pairing of two teams, in one match or two legs. */
export type Tie = ReturnType<typeof tieOf>;
export type TieSide = Tie['sides'][number];

/** Returns the bracket of a season's knock-out stages. `rules`: how ties with level goals are decided. */
export function bracketOf(stages: readonly BracketStage[], rules: readonly TieRule[] = []) {
  const all = stages.flatMap((stage) => roundsOf(stage, levelRule(rules, stage.stage_id)));
  all.sort((a, b) => Number(startOf(a) > startOf(b)) - Number(startOf(a) < startOf(b)));
  const lost = new Set<number>();
  const rounds: BracketRound[] = [];
  const placements: BracketRound[] = [];
  for (const round of all) {
    const sides = round.ties.flatMap((tie) => tie.sides);
    const isPlacement = sides.length > 0 && sides.every(({ id }) => id !== null && lost.has(id));
    (isPlacement ? placements : rounds).push(round);
    for (const { id, advances } of sides) if (id !== null && advances === false) lost.add(id);
  }
  return {
    /** From the first round to the final. */
    rounds: alignRounds(rounds),
    /** Rounds between teams that lost a tie before, such as the match for third place. */
    placements,
  };
}

/** Returns the rounds of a stage: those that its matches name, else the stage itself. */
function roundsOf({ stage_id, name, matches }: BracketStage, level: TieRule['level']) {
  const byRound = Map.groupBy(matches, ({ round }) => round);
  const title = name ?? 'Knock-out';
  if (byRound.size <= 1) return [{ key: String(stage_id), title, ties: tiesOf(matches, level) }];
  return Array.from(byRound, ([round, members]) => ({
    key: `${stage_id}-${round ?? ''}`,
    title: round ?? title,
    ties: tiesOf(members, level),
  }));
}

function tiesOf(matches: readonly BracketMatch[], level: TieRule['level']): Tie[] {
  const byPair = Map.groupBy(matches, ({ home_id, away_id, match }) =>
    home_id === null || away_id === null
      ? `match-${match.event_id}`
      : [home_id, away_id].sort((a, b) => a - b).join('-'),
  );
  const hasTwoLegs = [...byPair.values()].some(isTwoLegged);
  return Array.from(byPair, ([key, legs]) => {
    const ids = new Set(legs.map(({ match }) => match.event_id));
    const isWhole = legs.every(({ series }) => series.every((id) => ids.has(id)));
    return tieOf(key, legs, isWhole && (!hasTwoLegs || legs.length > 1), level);
  });
}

/** Whether two matches are legs of a tie. A second match after a draw may be a replay instead. */
function isTwoLegged([first, second]: readonly BracketMatch[]): boolean {
  if (first === undefined || second === undefined) return false;
  const score = isOver([first]) ? first.match.score : null;
  return score === null || score.home !== score.away;
}

/** `isWhole`: no leg is known to be missing; otherwise only the provider's mark decides who advances. */
function tieOf(key: string, legs: readonly BracketMatch[], isWhole: boolean, level: TieRule['level']) {
  const [first, last] = [legs[0], legs.at(-1)] as [BracketMatch, BracketMatch];
  const of = (leg: BracketMatch, id: number | null) => (leg.home_id === id ? 'home' : 'away');
  const side = (id: number | null, { name, short_name }: BoardMatch['home']) => ({
    id,
    name: name ?? short_name ?? 'To be decided',
    /** Goals of all legs; null when those of one leg are unknown. */
    goals: legs.reduce<number | null>((sum, leg) => {
      const goals = leg.match.score?.[of(leg, id)] ?? null;
      return sum === null || goals === null ? null : sum + goals;
    }, 0),
    /** Goals in the shoot-out of the last leg; null: no shoot-out. */
    kicks: last.match.shoot_out?.[of(last, id)] ?? null,
  });
  const [home, away] = [side(first.home_id, first.match.home), side(first.away_id, first.match.away)];
  const isPlayed = isOver(legs);
  const scores = legs.map(({ match: { score, shoot_out }, home_id }) => ({
    home: home_id,
    score,
    shoot_out,
  }));
  const outcome =
    isWhole && home.id !== null && away.id !== null ? tieOutcome([home.id, away.id], scores, level) : null;
  const ofRule = typeof outcome === 'object' ? (outcome?.winner ?? null) : null;
  // The winner of one leg does not win the tie.
  const ofMatch = legs.length === 1 ? last.winner_id : null;
  const winner = isPlayed ? (last.advancing_id ?? (isWhole ? (ofMatch ?? ofRule) : null)) : null;
  return {
    key,
    /** Home and away by the first leg. `advances`: null while undecided. */
    sides: [home, away].map((one) => ({ ...one, advances: winner === null ? null : one.id === winner })),
    /** Whether the goals are level and no known rule says who advances. */
    isUndecided: isPlayed && winner === null && outcome === 'undecided',
    /** By start. */
    legs: legs.map(({ match }) => match),
  };
}

function isOver(legs: readonly BracketMatch[]): boolean {
  return legs.every(({ match }) => hasResult(match.status_id, match.status_type));
}

/** Orders the ties of each round like the ties that they lead to. */
function alignRounds(rounds: readonly BracketRound[]): BracketRound[] {
  const ordered: BracketRound[] = [];
  for (const round of rounds.toReversed()) {
    const next = ordered.at(-1)?.ties.flatMap(({ sides }) => sides.map(({ id }) => id)) ?? [];
    const order = ({ sides }: Tie): number => {
      const found = next.findIndex((id) => id !== null && sides.some((side) => side.id === id));
      return found === -1 ? next.length : found;
    };
    ordered.push({ ...round, ties: round.ties.toSorted((a, b) => order(a) - order(b)) });
  }
  return ordered.reverse();
}

/** Returns the start of a round's first match, by which rounds are ordered; one without a match comes last, in the provider's order. */
function startOf({ ties }: BracketRound): string {
  return ties.flatMap(({ legs }) => legs.map(({ start_date }) => start_date ?? '9')).sort()[0] ?? '9';
}
