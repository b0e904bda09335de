/** The rules of alerts, read from a file. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { defineError } from '#errors/touchline-error.ts';
import { readJson } from '#json/values.ts';
import type { Alert } from '#records/types.ts';
import { limitProblem } from '#trading/feed-status.ts';

export const ALERT_KINDS = [
  'goal',
  'goal_cancelled',
  'red_card',
  'red_card_cancelled',
  'guard_closed',
  'guard_opened',
  'score_differs',
  'score_agrees',
  'final',
  'final_withdrawn',
  'match_stale',
  'match_recovered',
  'match_halted',
  'match_resumed',
] as const;

export type AlertKind = (typeof ALERT_KINDS)[number];

/** A limit of `ReaderLimits`. */
const limit = z
  .number()
  .superRefine((seconds, { addIssue }) => {
    const problem = limitProblem(seconds);
    if (problem !== null) addIssue(problem);
  })
  .optional();

const ids = z.array(z.int().positive()).min(1).optional();

const rule = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be lower-case letters, digits and hyphens, 64 at most'),
  on: z.array(z.enum(ALERT_KINDS, `must be one of ${ALERT_KINDS.join(', ')}`)).min(1),
  /** Ids. A rule without a filter applies to all matches; with several filters, all must apply. */
  competitions: ids,
  teams: ids,
  matches: ids,
  maxAgeSeconds: limit,
  maxDelaySeconds: limit,
});

const rulesFile = z.strictObject({
  rules: z
    .array(rule)
    .min(1)
    .refine(
      (rules) => new Set(rules.map(({ name }) => name)).size === rules.length,
      'two rules have the same name',
    ),
});

export type AlertRule = z.output<typeof rule>;

/** Thrown when a file of rules cannot be used. The message names every problem. */
export class AlertRulesError extends defineError('AlertRulesError', 'ALERT_RULES_INVALID') {}

/** Parses the text of a file of rules. Throws `AlertRulesError`. */
export function parseRules(text: string): readonly AlertRule[] {
  let json: unknown;
  try {
    json = readJson(text);
  } catch (error) {
    throw new AlertRulesError(`the rules are not JSON: ${(error as Error).message}`, error);
  }
  const parsed = rulesFile.safeParse(json);
  if (parsed.success) return parsed.data.rules;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'the file'}: ${message}`,
  );
  throw new AlertRulesError(`the rules are wrong:\n  ${problems.join('\n  ')}`);
}

/** Reads a file of rules. Throws `AlertRulesError` when it cannot be read or is invalid. */
export function readRules(file: string): readonly AlertRule[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new AlertRulesError(`the rules cannot be read: ${(error as Error).message}`, error);
  }
  return parseRules(text);
}

/** Returns the rules that apply to a finding of this kind in a match. */
export function rulesFor(
  rules: readonly AlertRule[],
  kind: AlertKind,
  match: Readonly<Pick<Alert, 'event_id' | 'competition_id' | 'home_id' | 'away_id'>>,
): readonly AlertRule[] {
  const { event_id, competition_id, home_id, away_id } = match;
  return rules.filter(
    ({ on, competitions, teams, matches }) =>
      on.includes(kind) &&
      (competitions === undefined || (competition_id !== null && competitions.includes(competition_id))) &&
      (teams === undefined || teams.some((team) => team === home_id || team === away_id)) &&
      (matches === undefined || matches.includes(event_id)),
  );
}
