import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { SeasonTables } from './season-tables.ts';
import { idOf, result, rulesOf, score, teamOf } from './testing/results.ts';
import type { SeasonResult } from './types.ts';

// Plays some five thousand steps of a season, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000 });

const STATUSES = [
  { status_id: 11, status_type: 'finished' },
  { status_id: 34, status_type: 'live' },
  { status_id: 1, status_type: 'scheduled' },
  // Abandoned.
  { status_id: 7, status_type: 'finished' },
];
const LETTERS = ['A', 'B', 'C', 'D'];

/** Every kind of rule that reads more than a total. */
const RULES = [
  { tie_break: ['points', { head_to_head: ['points', 'goals_diff'], again: true }, 'goals_diff'] },
  { tie_break: ['points', { head_to_head: ['points'], after_meetings: 2 }, 'won'], form_matches: 2 },
  { tie_break: ['points', { fair_play: { yellow: -1, second_yellow: -3, red: -4, yellow_and_red: -5 } }] },
  { tie_break: ['points', 'goals_scored'], card_points: { yellow: 1, red: 3 } },
  {
    tie_break: ['points', 'half_point', 'opponents_points', 'away_goals'],
    stages: [{ stage_ids: [8], carried: { from: [7], points: 'half' } }],
    rankings: { of: 'stage' },
  },
  {
    tie_break: ['points', 'previous_rank'],
    stages: [{ stage_ids: [8], carried: { from: [7], matches: false, against: 'same_table' } }],
    split: { after_matches: 1, sizes: [2] },
    rankings: { without_stages: [7] },
    awarded: [{ event_id: 3, both_lose: { scored: 0, allowed: 3 } }],
  },
  {
    tie_break: ['points', { head_to_head: ['points', 'away_goals'], again: 'each', most_teams: 3 }],
    points: { won: 3, draw: 1, lost: 0, shoot_out: { won: 2, lost: 1 } },
    conferences: [
      { group_id: 1, participant_ids: [1, 2] },
      { group_id: 2, participant_ids: [3, 4] },
    ],
  },
].map((rules) =>
  rulesOf({
    ...rules,
    tables: [
      { id: 1, name: 'General', stage_ids: [7, 8] },
      { id: 2, name: 'Seconds', place: 2 },
    ],
    corrections: [
      { participant_id: 1, value: -2, reason: 'Quit', from: '2024-01-03' },
      { participant_id: 2, value: 1, reason: 'Regulations', from: '2024-01-05' },
    ],
  }),
);

const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { freq: 4, nil: null });
const anyScore = fc.constantFrom('?', '0-0', '1-0', '1-2', '2-2').map(score);
const anyPerson = maybe(
  fc.record({ id: fc.integer({ min: 1, max: 4 }), name: maybe(fc.constantFrom('P', 'Q')) }),
);
const anyTeam = fc
  .tuple(fc.constantFrom(...LETTERS), fc.constantFrom('One', 'Other', null))
  .map(([letter, name]) => teamOf(idOf(letter), name));
const anyGoal = fc.record({
  kind: fc.constantFrom('goal' as const, 'penalty' as const, 'own_goal' as const),
  team_id: fc.constantFrom(...LETTERS).map(idOf),
  player: anyPerson,
  assistant: anyPerson,
});
const anyCard = fc.record({
  kind: fc.constantFrom('yellow' as const, 'red' as const),
  team_id: fc.constantFrom(...LETTERS).map(idOf),
  player: anyPerson,
  attribute_ids: fc.constantFrom<number[]>([], [461]),
});

/** Fields of a result. Each is new to a match, or replaces its previous value. */
const PARTS: { readonly [K in keyof SeasonResult]?: fc.Arbitrary<SeasonResult[K]> } = {
  stage_id: fc.constantFrom(7, 7, 8, null),
  group_id: fc.constantFrom(null, 1, 2),
  round_id: fc.constantFrom(null, 1, 2, 3),
  start_date: fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom('15:00', '18:00'))
    .map(([day, time]) => `2024-01-0${day} ${time}`),
  home: anyTeam,
  away: anyTeam,
  score: anyScore,
  first_half: anyScore,
  second_half: anyScore,
  shoot_out: anyScore,
  goals: maybe(fc.array(anyGoal, { maxLength: 3 })),
  cards: maybe(fc.array(anyCard, { maxLength: 3 })),
};
const anyStatus = fc.constantFrom(...STATUSES);
const anyWhole = fc
  .tuple(fc.record(PARTS), anyStatus)
  .map(([parts, status]) => ({ ...parts, ...status }) as Partial<SeasonResult>);
const anyPart = fc.oneof(
  anyStatus,
  ...Object.entries(PARTS).map(([name, part]) =>
    (part as fc.Arbitrary<unknown>).map((value) => ({ [name]: value }) as Partial<SeasonResult>),
  ),
);

/** The next report of a match: all of it, one change, or its removal. */
const anyStep = fc.record({
  event: fc.integer({ min: 1, max: 8 }),
  changes: fc.oneof(
    { weight: 3, arbitrary: anyWhole },
    { weight: 6, arbitrary: anyPart },
    { weight: 1, arbitrary: fc.constant({ removed: true }) },
    // It never existed, or no longer does.
    { weight: 1, arbitrary: fc.constant({ removed: true, group_id: 3 }) },
  ),
  next: fc.constantFrom('nothing', 'nothing', 'derive', 'derive', 'restart'),
});

/** The existing tables with those from later days on as text, by id. */
function tablesAt(tables: SeasonTables, known = new Map<number, string>()): Map<number, string> {
  for (const { id, groups, later } of tables.derive()) {
    if (groups.length > 0) known.set(id, JSON.stringify({ groups, later }));
    else known.delete(id);
  }
  return known;
}

test('the tables of a season equal those of the last results to the byte, whatever was applied and derived before', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...RULES),
      fc.array(anyStep, { minLength: 10, maxLength: 60, size: 'max' }),
      fc.func(fc.nat()),
      (rules, steps, orderOf) => {
        let onTheWay = new SeasonTables(1, 2, rules);
        const known = new Map<number, string>();
        const last = new Map<number, SeasonResult>();
        steps.forEach(({ event, changes, next }, at) => {
          const before = last.get(event) ?? { ...result(event, 'A 1-0 B'), stage_id: 7, group_id: null };
          const version = at + 1;
          const now: SeasonResult = { ...before, version, ...changes };
          onTheWay.apply(now);
          if (!now.removed) last.set(event, now);
          else if (now.group_id !== 3) last.delete(event);
          if (next !== 'nothing') tablesAt(onTheWay, known);
          if (next === 'restart') onTheWay = new SeasonTables(1, 2, rules, last.values());
        });
        tablesAt(onTheWay, known);
        const atOnce = new SeasonTables(1, 2, rules);
        const inAnyOrder = [...last.values()].sort((a, b) => orderOf(a.event_id) - orderOf(b.event_id));
        for (const one of inAnyOrder) atOnce.apply(one);
        expect(known).toEqual(tablesAt(atOnce));
        const flagsOf = (tables: SeasonTables) => [...tables.flags()].filter(([, count]) => count > 0).sort();
        expect(flagsOf(onTheWay)).toEqual(flagsOf(atOnce));
      },
    ),
    { numRuns: rounds(150) },
  );
});
