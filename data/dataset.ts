import { readFileSync } from 'node:fs';
import { z } from 'zod';

/**
 * The format of data sets: JSON lines. The first line is the competition; each further line is a match, in order of
 * kick-off. data/README.md explains every field and names the source.
 */

const SCORE = z.tuple([z.int().nonnegative(), z.int().nonnegative()]).readonly();
const SIDE = z.enum(['home', 'away']);
const PERIOD = z.enum(['1H', '2H', 'E1', 'E2', 'P']);
const KIND = z.enum([
  'goal',
  'penalty_goal',
  'own_goal',
  'penalty_missed',
  'yellow',
  'second_yellow',
  'red',
  'kick_scored',
  'kick_missed',
]);

const named = { id: z.int().positive(), name: z.string().min(1) };

const COMPETITION = z.object({
  format: z.literal(1),
  dataset: z.string(),
  source: z.string(),
  area: z.object({ ...named, code: z.string() }),
  competition: z.object(named),
  season: z.object(named),
  stages: z.array(
    z.object({
      ...named,
      knockout: z.boolean(),
      /** `ranks`: ids of its teams in their official final order. */
      groups: z.array(z.object({ ...named, ranks: z.array(z.int().positive()) })),
      rounds: z.array(z.object(named)),
    }),
  ),
  teams: z.array(z.object({ ...named, short: z.string(), acronym: z.string() })),
  /** Name by person id. */
  players: z.record(z.string().regex(/^\d+$/), z.string()),
});

const MATCH = z.object({
  id: z.int().positive(),
  date: z.iso.datetime({ precision: -1 }),
  stage: z.int().positive(),
  group: z.int().positive().nullable(),
  round: z.int().positive().nullable(),
  neutral: z.boolean(),
  home: z.int().positive(),
  away: z.int().positive(),
  ft: SCORE,
  ht: SCORE,
  et: SCORE.optional(),
  pens: SCORE.optional(),
  facts: z.enum(['all', 'score_only']),
  /** [period, second in the period, kind, side, person id] */
  events: z.array(z.tuple([PERIOD, z.int().nonnegative(), KIND, SIDE, z.int().positive()])),
  /** [displayed minute, side, id of the person out, id of the person in] */
  subs: z.array(z.tuple([z.int().positive(), SIDE, z.int().positive(), z.int().positive()])),
});

/** Goals of home and away. */
export type GoalPair = readonly [home: number, away: number];
export type FactSide = z.infer<typeof SIDE>;
/** First and second half, first and second half of extra time, penalty shoot-out. */
export type Period = z.infer<typeof PERIOD>;
/** The kind of a fact. `kick_…` are kicks of a shoot-out; an own goal has the side of its scorer. */
export type FactKind = z.infer<typeof KIND>;
export type Competition = z.infer<typeof COMPETITION>;
export type MatchFacts = z.infer<typeof MATCH>;
export type Dataset = { readonly competition: Competition; readonly matches: readonly MatchFacts[] };

/** The data sets in this folder. */
export const DATASETS = ['world-cup-2018', 'england-2017-18'] as const;
export type DatasetName = (typeof DATASETS)[number];

/** Reads a data set of this folder. Throws `ZodError` when a line does not have the form of data/README.md. */
export function readDataset(name: DatasetName): Dataset {
  const [first = '', ...rest] = readFileSync(new URL(`./${name}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return {
    competition: COMPETITION.parse(JSON.parse(first)),
    matches: rest.map((line) => MATCH.parse(JSON.parse(line))),
  };
}

const DAY_MS = 86_400_000;

/** Returns the data set with all matches `days` later; whole weeks keep the days of the week. */
export function daysLater({ competition, matches }: Dataset, days: number): Dataset {
  const moved = matches.map((match) => ({
    ...match,
    date: `${new Date(Date.parse(match.date) + days * DAY_MS).toISOString().slice(0, 16)}Z`,
  }));
  return { competition, matches: moved };
}

/** Returns the official final score (result 2): with extra time, without a shoot-out. */
export function finalScore(match: Pick<MatchFacts, 'ft' | 'et'>): GoalPair {
  return match.et ?? match.ft;
}
