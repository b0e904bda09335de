/** The criteria of a ranking, as rules name them: the part of the file format that decides equal teams. */

import { z } from 'zod';
import { INT_MAX, LONG_MAX } from '#json/values.ts';

export const id = z.int('expected a whole number').min(1).max(LONG_MAX);
export const amount = z.int('expected a whole number').min(-INT_MAX).max(INT_MAX);
export const count = z.int('expected a whole number').min(0).max(INT_MAX);
export const day = z.iso.date('expected a day, YYYY-MM-DD');

/** Figures of a team's own matches; for `goals_allowed` and `lost` fewer are better. `goal_average`: scored by allowed. */
const OWN_FIGURES = [
  'points',
  'points_per_game',
  'goals_diff',
  'goals_scored',
  'goals_allowed',
  'goal_average',
  'won',
  'lost',
  'away_goals',
  'away_goals_diff',
  'away_won',
  'away_points',
  'home_goals',
  'home_goals_diff',
  'home_won',
] as const;

/** Figures that need more than a team's own matches: sums over opponents, halved points, the rank before points were carried. */
const TABLE_FIGURES = [
  'opponents_points',
  'opponents_goals_diff',
  'opponents_goals_scored',
  'half_point',
  'previous_rank',
] as const;

const CRITERIA = [...OWN_FIGURES, ...TABLE_FIGURES] as const;
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

/** The figures of a team's own matches. */
export type OwnFigure = (typeof OWN_FIGURES)[number];

/** A step of a ranking: it separates teams that all steps before it left equal. */
export type TieBreak = z.infer<typeof tieBreak>;
