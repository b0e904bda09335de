/** The file format of competition rules (`data/rules/*.json`): the ranking of tables is data. See docs/reference/standings.md. */

import { z } from 'zod';
import { TouchlineError } from '#errors/touchline-error.ts';
import { INT_MAX, LONG_MAX } from './values.ts';

const id = z.int('expected a whole number').min(1).max(LONG_MAX);
const amount = z.int('expected a whole number').min(-INT_MAX).max(INT_MAX);
const count = z.int('expected a whole number').min(0).max(INT_MAX);
const day = z.iso.date('expected a day, YYYY-MM-DD');

const CRITERIA = ['points', 'points_per_game', 'goals_diff', 'goals_scored', 'won'] as const;
const criterion = z.enum(CRITERIA, `expected one of ${CRITERIA.join(', ')}`);

/** Compares teams that are still equal by the matches among them. */
const headToHead = z.strictObject({
  head_to_head: z.array(criterion).min(1, 'expected at least one criterion'),
  /** Number of meetings of each two of the teams from which it applies; 0: always. */
  after_meetings: count.default(0),
  /** Whether to apply it again to the matches of those teams that it left equal, before any later criterion. */
  again: z.boolean().default(false),
});

/** Points of the team for the card that a player was shown in a match, counted once for each player and match. */
const fairPlay = z.strictObject({
  yellow: amount,
  /** Two yellow cards: the player is sent off. */
  second_yellow: amount,
  red: amount,
  /** A yellow card, then a red one for another offence. */
  yellow_and_red: amount,
});

const tieBreak = z.union(
  [
    criterion,
    headToHead,
    z.strictObject({ fair_play: fairPlay }),
    /** Lists of participants in the order in which they were drawn. A list applies if it names all equal teams. */
    z.strictObject({ drawing_of_lots: z.array(z.array(id).min(2)) }),
  ],
  `expected one of ${CRITERIA.join(', ')}, or {"head_to_head": [...], "after_meetings": 2, "again": true}, {"fair_play": {...}}, {"drawing_of_lots": [[...]]}`,
);

/** The provider's reasons of a correction. */
const REASONS = ['Association decision', 'Disqualified', 'Financial issues', 'Quit', 'Regulations'] as const;
const reason = z.enum(REASONS, `expected one of ${REASONS.join(', ')}`);

const schema = z.strictObject({
  format: z.literal(1, 'expected 1'),
  name: z.string('expected text').min(1),
  /** The scope of the rules. Rules that name a season win over those of its competition. */
  applies_to: z.array(z.strictObject({ competition_id: id, season_id: id.nullable().default(null) })),
  points: z.strictObject({ won: amount, draw: amount, lost: amount }),
  /** The ranking. Each criterion breaks the ties of the previous one. */
  tie_break: z.array(tieBreak).min(1, 'expected at least one criterion'),
  /** Number of matches in `form`. */
  form_matches: count.min(1).default(6),
  /** Points of a card; without it the cards table has no points. */
  card_points: z.strictObject({ yellow: amount, red: amount }).nullable().default(null),
  /** Zones of the table: the ranks from `from` to `to`, inclusive. */
  zones: z
    .array(
      z
        .strictObject({
          id,
          name: z.string('expected text').min(1),
          colour: z.string(),
          from: count,
          to: count,
        })
        .refine(({ from, to }) => from >= 1 && from <= to, 'expected ranks from 1, `from` not above `to`'),
    )
    .default([]),
  /** Added or deducted points; `from`: the first day in force, null: always. */
  corrections: z
    .array(z.strictObject({ participant_id: id, value: amount, reason, from: day.nullable().default(null) }))
    .default([]),
  /** Results decided by an association; they replace the played ones. */
  awarded: z.array(z.strictObject({ event_id: id, home: count, away: count })).default([]),
  /** Ids of matches that do not count. */
  annulled: z.array(id).default([]),
  /** Expelled teams. They rank last; their matches count as played, or not at all. */
  expelled: z
    .array(z.strictObject({ participant_id: id, results: z.enum(['kept', 'annulled']) }))
    .default([]),
  /** Whether the season ended early: points per game then replace points as a criterion, except in head-to-head. */
  curtailed: z.boolean().default(false),
});

/** The rules of a competition, or of one of its seasons. */
export type CompetitionRules = z.infer<typeof schema>;

/** Fair-play points by card. */
export type FairPlay = z.infer<typeof fairPlay>;

/** The criteria of a ranking. */
export type Criterion = (typeof CRITERIA)[number];

export type TieBreak = CompetitionRules['tie_break'][number];

/** An invalid rules file. The message names the file, and each problem on a line. */
export class RulesError extends TouchlineError<'RulesError'> {
  override readonly name = 'RulesError';

  constructor(source: string, problems: readonly string[], cause?: unknown) {
    super(
      'RULES_INVALID',
      [`${source} is no file of competition rules:`, ...problems.map((line) => `  ${line}`)].join('\n'),
      cause,
    );
  }
}

/** Reads rules from the text of a file. `source`: its name in errors. Throws `RulesError`. */
export function readCompetitionRules(text: string, source: string): CompetitionRules {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new RulesError(source, ['it is not JSON'], error);
  }
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  const problems = read.error.issues.map(
    ({ path, message }) => `${z.core.toDotPath(path) || 'the file'}: ${message}`,
  );
  throw new RulesError(source, problems, read.error);
}

/** Returns the rules that name the season, else those of its whole competition; undefined if there are none. */
export function rulesFor(
  all: readonly CompetitionRules[],
  competitionId: number,
  seasonId: number,
): CompetitionRules | undefined {
  const named = (season: number | null) =>
    all.find(({ applies_to }) =>
      applies_to.some(
        ({ competition_id, season_id }) => competition_id === competitionId && season_id === season,
      ),
    );
  return named(seasonId) ?? named(null);
}
