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

/** Compares teams that are still equal by the matches among them alone. */
const headToHead = z.strictObject({
  head_to_head: z.array(criterion).min(1, 'expected at least one criterion'),
  /** Applies once all equal teams have met this often; 0: always. */
  after_meetings: count.default(0),
  /** Where it separates some teams, applies it to the matches of those still equal, before any later criterion. */
  again: z.boolean().default(false),
});

/** Points of the team for what a player was shown in a match, once a player and match. */
const fairPlay = z.strictObject({
  yellow: amount,
  /** Two yellow cards, the second of which sends off. */
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
    /** Each lot in the order in which its participants were drawn; applies where it names all equal teams. */
    z.strictObject({ drawing_of_lots: z.array(z.array(id).min(2)) }),
  ],
  `expected one of ${CRITERIA.join(', ')}, or {"head_to_head": [...], "after_meetings": 2, "again": true}, {"fair_play": {...}}, {"drawing_of_lots": [[...]]}`,
);

/** The provider's reasons. */
const REASONS = ['Association decision', 'Disqualified', 'Financial issues', 'Quit', 'Regulations'] as const;
const reason = z.enum(REASONS, `expected one of ${REASONS.join(', ')}`);

const schema = z.strictObject({
  format: z.literal(1, 'expected 1'),
  name: z.string('expected text').min(1),
  /** The scope of the rules; rules that name a season win over those of its competition. */
  applies_to: z.array(z.strictObject({ competition_id: id, season_id: id.nullable().default(null) })),
  points: z.strictObject({ won: amount, draw: amount, lost: amount }),
  /** The ranking: each criterion breaks the ties of the one before. */
  tie_break: z.array(tieBreak).min(1, 'expected at least one criterion'),
  /** Number of last matches in `form`. */
  form_matches: count.min(1).default(6),
  /** Points of a card; without it the cards table has none. */
  card_points: z.strictObject({ yellow: amount, red: amount }).nullable().default(null),
  /** Ranks from `from` to `to`, both included. */
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
  /** Results decided by an association: they replace the played ones. */
  awarded: z.array(z.strictObject({ event_id: id, home: count, away: count })).default([]),
  /** Matches that do not count. */
  annulled: z.array(id).default([]),
  /** Expelled teams rank last; their matches count as played, or not at all. */
  expelled: z
    .array(z.strictObject({ participant_id: id, results: z.enum(['kept', 'annulled']) }))
    .default([]),
  /** Ended early: points per game replace points as a criterion, except head-to-head. */
  curtailed: z.boolean().default(false),
});

/** The rules of a competition, or of one of its seasons. */
export type CompetitionRules = z.infer<typeof schema>;

/** Points of cards where teams are equal on everything else. */
export type FairPlay = z.infer<typeof fairPlay>;

/** The criteria of a ranking. */
export type Criterion = (typeof CRITERIA)[number];

export type TieBreak = CompetitionRules['tie_break'][number];

/** An invalid rules file; the message names the file and, a line each, every problem. */
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

/** Reads rules from the text of a file; `source` is its name in errors. Throws `RulesError`. */
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

/** The rules of a season: those that name it, else those of its whole competition; undefined without any. */
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
