/** The criteria of a ranking, as rules name them: the part of the file format that decides equal teams. */

import { z } from 'zod';
import { INT_MAX, LONG_MAX } from '#json/values.ts';

export const id = z.int('expected a whole number').min(1).max(LONG_MAX);
export const amount = z.int('expected a whole number').min(-INT_MAX).max(INT_MAX);
export const count = z.int('expected a whole number').min(0).max(INT_MAX);
export const day = z.iso.date('expected a day, YYYY-MM-DD');

/** A team's counts over some games. */
export type TeamTally = {
  mp: number;
  won: number;
  draw: number;
  lost: number;
  scored: number;
  allowed: number;
  points: number;
  /** The part of a point that rounding took from the team (0.5) or gave it (-0.5) when its points were halved. */
  halfPoint: number;
};

export type Venue = 'all' | 'home' | 'away';

/** Returns the goals scored minus the goals allowed. */
export function difference({ scored, allowed }: TeamTally): number {
  return scored - allowed;
}

type FigureOfGames = readonly [Venue, (tally: TeamTally) => number];

/** Each figure of a team's own matches, the larger the better, and where these are played. */
export const OWN = {
  points: ['all', ({ points }) => points],
  // Equal fractions of small whole numbers have equal quotients; no games are no points.
  points_per_game: ['all', ({ points, mp }) => points / Math.max(1, mp)],
  goals_diff: ['all', difference],
  goals_scored: ['all', ({ scored }) => scored],
  goals_allowed: ['all', ({ allowed }) => -allowed],
  goal_average: ['all', ({ scored, allowed }) => (scored === 0 ? 0 : scored / allowed)],
  won: ['all', ({ won }) => won],
  lost: ['all', ({ lost }) => -lost],
  away_goals: ['away', ({ scored }) => scored],
  away_goals_diff: ['away', difference],
  away_won: ['away', ({ won }) => won],
  away_points: ['away', ({ points }) => points],
  home_goals: ['home', ({ scored }) => scored],
  home_goals_diff: ['home', difference],
  home_won: ['home', ({ won }) => won],
} satisfies Readonly<Record<string, FigureOfGames>>;

/** The figures of a team's own matches. */
export type OwnFigure = keyof typeof OWN;
const OWN_FIGURES = Object.keys(OWN) as OwnFigure[];

/** Figures that need more than a team's own matches: sums over opponents, halved points, the rank before points were carried. */
const TABLE_FIGURES = [
  'opponents_points',
  'opponents_goals_diff',
  'opponents_goals_scored',
  'half_point',
  'previous_rank',
] as const;

const CRITERIA = [...OWN_FIGURES, ...TABLE_FIGURES];
const criterion = z.enum(CRITERIA, `expected one of ${CRITERIA.join(', ')}`);
const ownFigure = z.enum(OWN_FIGURES, `expected one of ${OWN_FIGURES.join(', ')}`);

/** Compares teams that are still equal by the matches among them. */
const headToHead = z.strictObject({
  head_to_head: z.array(ownFigure).min(1, 'expected at least one criterion'),
  /** Number of meetings of each two of the teams from which it applies; 0: always. */
  after_meetings: count.default(0),
  /** Whether it starts again with the matches of teams left equal: after all its criteria, or as soon as one separates some. */
  again: z.union([z.boolean(), z.literal('each')], 'expected true, false or "each"').default(false),
  /** The most teams that it compares; null: any number. */
  most_teams: count.min(2, 'expected at least 2').nullable().default(null),
});

/** Points of the team for the card that a player was shown in a match, counted once for each player and match. */
const fairPlay = z.strictObject({
  yellow: amount,
  /** Two yellow cards: the player is sent off. */
  second_yellow: amount,
  red: amount,
  /** A yellow card, then a red one for another offence. */
  yellow_and_red: amount,
  /** Ids of attributes by which the provider marks a red card as a second yellow one. */
  second_yellow_attributes: z.array(id).default([]),
});

/** Lists of participants, the best first. A list applies if it names all equal teams. */
export const orders = z.array(z.array(id).min(2, 'expected at least two ids'));

export const tieBreak = z.union(
  [
    criterion,
    headToHead,
    z.strictObject({ fair_play: fairPlay }),
    z.strictObject({ drawing_of_lots: orders }),
    /** A ranking from elsewhere, such as a coefficient. */
    z.strictObject({ listed: orders }),
  ],
  `expected one of ${CRITERIA.join(', ')}, or {"head_to_head": [...], "after_meetings": 2, "again": true}, {"fair_play": {...}}, {"drawing_of_lots": [[...]]}, {"listed": [[...]]}`,
);

/** Fair-play points by card. */
export type FairPlay = z.infer<typeof fairPlay>;

/** The criteria of a ranking that are a figure. */
export type Criterion = (typeof CRITERIA)[number];

/** A step of a ranking: it separates teams that all steps before it left equal. */
export type TieBreak = z.infer<typeof tieBreak>;
