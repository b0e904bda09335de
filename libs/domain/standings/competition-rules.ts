/** The file format of competition rules (`data/rules/*.json`): the ranking of tables is data. See docs/reference/standings.md. */

import { z } from 'zod';
import { defineError } from '#errors/touchline-error.ts';
import { readJson } from '#json/values.ts';
import { amount, count, day, id, orders, tieBreak } from './ranking-criteria.ts';

/** The provider's reasons of a correction. */
const REASONS = ['Association decision', 'Disqualified', 'Financial issues', 'Quit', 'Regulations'] as const;
const reason = z.enum(REASONS, `expected one of ${REASONS.join(', ')}`);

const points = z.strictObject({
  won: amount,
  draw: amount,
  lost: amount,
  /** Points of a drawn match that a shoot-out decided; null: those of a draw. */
  shoot_out: z.strictObject({ won: amount, lost: amount }).nullable().default(null),
});

const tieBreaks = z.array(tieBreak).min(1, 'expected at least one criterion');

/** A colour that the board draws: `#` and 3, 4, 6 or 8 hexadecimal digits. */
export const ZONE_COLOUR = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** Zones of the table: the ranks from `from` to `to`, inclusive. */
const zones = z.array(
  z
    .strictObject({
      id,
      name: z.string('expected text').min(1),
      colour: z
        .string('expected a colour')
        .regex(ZONE_COLOUR, 'expected # and 3, 4, 6 or 8 hexadecimal digits, such as #0a7d3f'),
      from: count,
      to: count,
    })
    .refine(({ from, to }) => from >= 1 && from <= to, 'expected ranks from 1, `from` not above `to`'),
);

const ids = z.array(id).min(1, 'expected at least one id');

const STAGE_EXPECTED = 'expected an id or a name such as championship';

/** A stage: its id, or a name to which each scope of the file gives its ids. */
const stageRef = z.union([id, z.string().regex(/^[a-z][a-z0-9_]*$/, STAGE_EXPECTED)], STAGE_EXPECTED);
const stageRefs = z.array(stageRef).min(1, 'expected at least one stage');

/** What a stage starts with. */
const carried = z.strictObject({
  /** The stages whose results a team brings along. */
  from: stageRefs,
  points: z.enum(['all', 'half', 'none'], 'expected all, half or none').default('all'),
  /** What becomes of the half point of an odd number: `up` gives it, `down` takes it. */
  rounded: z.enum(['up', 'down'], 'expected up or down').default('up'),
  /** Whether the table shows the carried matches and goals too, and not only their points. */
  matches: z.boolean().default(true),
  /** Which of the carried matches count: all, or those between two teams of the table. */
  against: z.enum(['all', 'same_table'], 'expected all or same_table').default('all'),
});

/** The parts of a table that stay apart once every team has played so many matches: sizes from the top. */
const split = z.strictObject({ after_matches: count.min(1, 'expected at least 1'), sizes: ids });

/** The groups of teams that also play teams of another group. */
const conferences = z.array(z.strictObject({ group_id: id, participant_ids: ids }));

/** Rules of some stages; what is left out is as in the rest of the file. */
const stage = z
  .strictObject({
    stage_ids: stageRefs,
    points,
    tie_break: tieBreaks,
    zones,
    curtailed: z.boolean(),
    carried,
    split,
    conferences,
  })
  .partial()
  .required({ stage_ids: true });

/** The name of the type of own tables, by which readers tell the usual ones. */
const LEAGUE = 'League standings';

/** Number of own tables that a file may have: as many ids are kept for them in each season. */
export const MAX_OWN_TABLES = 9;

/** A league table of its own, of the season: over the matches of several stages, or of the team at one place of each group. */
const ownTable = z.strictObject({
  /** Its table keeps its id as long as this number stays. */
  id: count.min(1, 'expected 1 or more').max(MAX_OWN_TABLES, `expected at most ${MAX_OWN_TABLES}`),
  name: z
    .string('expected text')
    .min(1)
    .refine((name) => !name.startsWith(LEAGUE), `expected a name that does not begin with "${LEAGUE}"`),
  /** The stages whose matches count; null: all. */
  stage_ids: stageRefs.nullable().default(null),
  /** The place in its group of the teams that it ranks, such as 3; null: all teams in one table. */
  place: count.min(1, 'expected 1 or more').nullable().default(null),
  /** As in the rest of the file, if left out. */
  tie_break: tieBreaks.optional(),
  zones: zones.default([]),
});

/** What decides a tie of one or more matches whose goals are level; extra time is part of a score. */
const LEVEL = ['away_goals', 'shoot_out', 'replay'] as const;

const tie = z.strictObject({
  /** The knock-out stages; null: all others. */
  stage_ids: stageRefs.nullable().default(null),
  level: z.array(
    z.union(
      [z.enum(LEVEL), z.strictObject({ drawing_of_lots: orders }), z.strictObject({ listed: orders })],
      `expected one of ${LEVEL.join(', ')}, or {"drawing_of_lots": [[...]]}, {"listed": [[...]]}`,
    ),
  ),
});

const award = z.union(
  [
    z.strictObject({ event_id: id, home: count, away: count }),
    z.strictObject({ event_id: id, both_lose: z.strictObject({ scored: count, allowed: count }) }),
  ],
  'expected {"event_id": 1, "home": 3, "away": 0} or {"event_id": 1, "both_lose": {"scored": 0, "allowed": 3}}',
);

const schema = z.strictObject({
  format: z.literal(1, 'expected 1'),
  name: z.string('expected text').min(1),
  /** Where the rules are published. */
  source: z.string('expected text').min(1).nullable().default(null),
  /** The scope of the rules. Rules that name a season win over those of its competition. */
  applies_to: z.array(
    z.strictObject({
      competition_id: id,
      season_id: id.nullable().default(null),
      stages: z.record(z.string(), ids).default({}),
    }),
  ),
  points,
  /** The ranking. Each criterion breaks the ties of the previous one. */
  tie_break: tieBreaks,
  form_matches: count.min(1).default(6),
  /** Points of a card; without it the cards table has no points. */
  card_points: z.strictObject({ yellow: amount, red: amount }).nullable().default(null),
  zones: zones.default([]),
  /** Teams that cannot stand in some zones, such as reserve teams in those of promotion: the zone moves on to the next team. */
  not_entitled: z.array(z.strictObject({ participant_id: id, zones: ids })).default([]),
  /** Tables beside those of each stage. */
  tables: z
    .array(ownTable)
    .refine((tables) => new Set(tables.map((one) => one.id)).size === tables.length, 'expected each id once')
    .default([]),
  /** Added or deducted points; `from`: the first day in force. Without a stage: the one that the team plays on that day. */
  corrections: z
    .array(
      z.strictObject({
        participant_id: id,
        value: amount,
        reason,
        from: day.nullable().default(null),
        stage_id: stageRef.nullable().default(null),
        season_id: id.nullable().default(null),
      }),
    )
    .default([]),
  /** Results decided by an association; they replace the played ones. */
  awarded: z.array(award).default([]),
  /** Ids of matches that do not count. */
  annulled: z.array(id).default([]),
  /** Expelled teams. They rank last; their matches count as played, or not at all. */
  expelled: z
    .array(z.strictObject({ participant_id: id, results: z.enum(['kept', 'annulled']) }))
    .default([]),
  /** Whether the season ended early: points per game then replace points as a criterion, except in head-to-head. */
  curtailed: z.boolean().default(false),
  split: split.nullable().default(null),
  conferences: conferences.default([]),
  stages: z
    .array(stage)
    .refine(areDistinct, 'expected each stage once')
    .refine(haveBeginning, 'expected no stage that carries its own results, directly or through others')
    .default([]),
  /** Of which matches the tables of persons count actions: all of the season, those of some stages, or each stage alone. */
  rankings: z
    .strictObject({
      of: z.enum(['season', 'stage'], 'expected season or stage').default('season'),
      /** Stages whose matches count for no person. */
      without_stages: z.array(stageRef).default([]),
    })
    .default({ of: 'season', without_stages: [] }),
  ties: z.array(tie).default([]),
});

/** Whether no stage has two entries. */
function areDistinct(stages: readonly z.infer<typeof stage>[]): boolean {
  const all = stages.flatMap(({ stage_ids }) => stage_ids);
  return new Set(all).size === all.length;
}

/** Whether no stage brings along results of itself. */
function haveBeginning(stages: readonly z.infer<typeof stage>[]): boolean {
  const sources = new Map(
    stages.flatMap(({ stage_ids, carried }) => stage_ids.map((one) => [one, carried?.from] as const)),
  );
  const reaches = (from: StageRef, to: StageRef, seen = new Set<StageRef>()): boolean =>
    sources.get(from)?.some((one) => one === to || (!seen.has(one) && reaches(one, to, seen.add(one)))) ??
    false;
  return [...sources.keys()].every((one) => !reaches(one, one));
}

type StageRef = z.infer<typeof stageRef>;
type RulesFile = z.infer<typeof schema>;
/** The rules of a competition, or of one of its seasons, with the ids of its stages. */
export type CompetitionRules = ReturnType<typeof withStages>;
/** What a stage starts with. */
export type Carried = NonNullable<CompetitionRules['stages'][number]['carried']>;
/** A table beside those of each stage, as a file defines it. */
export type OwnTable = CompetitionRules['tables'][number];
/** How ties with level goals are decided. */
export type TieRule = CompetitionRules['ties'][number];

/** An invalid rules file. The message names the file, and each problem on a line. */
export class RulesError extends defineError(
  'RulesError',
  (source: string, problems: readonly string[], cause?: unknown) => [
    'RULES_INVALID',
    [`${source} is no file of competition rules:`, ...problems.map((line) => `  ${line}`)].join('\n'),
    cause,
  ],
) {}

/** A file of rules as read: one scope may give its stages other ids than another. */
export type CompetitionRulesFile = {
  /** The competitions and seasons of the file. */
  readonly scopes: RulesFile['applies_to'];
  /** Returns the rules with the ids of these stages by name; a stage without ids has no rules of its own. */
  readonly withStages: (names: StageNames) => CompetitionRules;
};

type StageNames = Readonly<Record<string, readonly number[]>>;

function withStages({ stages, tables, corrections, rankings, ties, ...rules }: RulesFile, names: StageNames) {
  const idsOf = (refs: readonly StageRef[]) =>
    refs.flatMap((ref) => (typeof ref === 'number' ? ref : (names[ref] ?? [])));
  return {
    ...rules,
    stages: stages.map(({ stage_ids, carried, ...own }) => ({
      ...own,
      stage_ids: idsOf(stage_ids),
      carried: carried && { ...carried, from: idsOf(carried.from) },
    })),
    tables: tables.map(({ stage_ids, ...own }) => ({ ...own, stage_ids: stage_ids && idsOf(stage_ids) })),
    corrections: corrections.flatMap(({ stage_id, ...correction }) => {
      const stages: readonly (number | null)[] = stage_id === null ? [null] : idsOf([stage_id]);
      return stages.slice(0, 1).map((one) => ({ ...correction, stage_id: one }));
    }),
    rankings: { of: rankings.of, without_stages: idsOf(rankings.without_stages) },
    ties: ties.map(({ stage_ids, level }) => ({ level, stage_ids: stage_ids && idsOf(stage_ids) })),
  };
}

/** Returns the problems of scopes that give no ids to a stage that the file names. */
function unboundStages({ applies_to, stages, tables, corrections, rankings, ties }: RulesFile): string[] {
  const refs = new Set([
    ...stages.flatMap(({ stage_ids, carried }) => [...stage_ids, ...(carried?.from ?? [])]),
    ...tables.flatMap(({ stage_ids }) => stage_ids ?? []),
    ...corrections.map(({ stage_id }) => stage_id),
    ...rankings.without_stages,
    ...ties.flatMap(({ stage_ids }) => stage_ids ?? []),
  ]);
  const names = [...refs].filter((ref) => typeof ref === 'string');
  return applies_to.flatMap(({ stages }, at) =>
    names
      .filter((name) => stages[name] === undefined)
      .map((name) => `applies_to[${at}].stages: expected the ids of "${name}"`),
  );
}

/** Returns the problems of teams that are not entitled to a zone that no table has. */
function unknownZones({ not_entitled, zones, stages, tables }: RulesFile): string[] {
  const all = [zones, ...[...stages, ...tables].map((one) => one.zones)];
  const known = new Set(all.flat().map((zone) => zone?.id));
  return not_entitled.flatMap((team, at) =>
    team.zones
      .filter((zone) => !known.has(zone))
      .map((zone) => `not_entitled[${at}].zones: there is no zone ${zone}`),
  );
}

/** Reads a file of rules. `source`: its name in errors. Throws `RulesError`, with every problem on a line. */
export function readRulesFile(text: string, source: string): CompetitionRulesFile {
  let json: unknown;
  try {
    json = readJson(text);
  } catch (error) {
    throw new RulesError(source, ['it is not JSON'], error);
  }
  const read = schema.safeParse(json);
  if (!read.success) {
    const problems = read.error.issues.map(
      ({ path, message }) => `${z.core.toDotPath(path) || 'the file'}: ${message}`,
    );
    throw new RulesError(source, problems, read.error);
  }
  const unbound = [...unboundStages(read.data), ...unknownZones(read.data)];
  if (unbound.length > 0) throw new RulesError(source, unbound);
  return { scopes: read.data.applies_to, withStages: (names) => withStages(read.data, names) };
}

/** Returns the rules that name the season, else those of its whole competition; undefined if there are none. */
export function rulesFor(
  all: readonly CompetitionRulesFile[],
  competitionId: number,
  seasonId: number,
): CompetitionRules | undefined {
  for (const wanted of [seasonId, null]) {
    for (const file of all) {
      const scope = file.scopes.find(
        ({ competition_id, season_id }) => competition_id === competitionId && season_id === wanted,
      );
      if (scope !== undefined) return file.withStages(scope.stages);
    }
  }
  return undefined;
}
