import { describe, expect, test } from 'vitest';
import { RulesError, readRulesFile, rulesFor } from './competition-rules.ts';

const GOOD = {
  format: 1,
  name: 'League',
  applies_to: [{ competition_id: 7 }],
  points: { won: 3, draw: 1, lost: 0 },
  tie_break: ['points', { head_to_head: ['points'] }],
};

const readFile = (overrides: Record<string, unknown>) =>
  readRulesFile(JSON.stringify({ ...GOOD, ...overrides }), 'league.json');
const read = (overrides: Record<string, unknown>) => readFile(overrides).withStages({});

describe('competition rules', () => {
  test('have defaults for missing fields', () => {
    expect(read({})).toEqual({
      ...GOOD,
      applies_to: [{ competition_id: 7, season_id: null, stages: {} }],
      source: null,
      points: { ...GOOD.points, shoot_out: null },
      tie_break: ['points', { head_to_head: ['points'], after_meetings: 0, again: false, most_teams: null }],
      form_matches: 6,
      card_points: null,
      zones: [],
      not_entitled: [],
      tables: [],
      corrections: [],
      awarded: [],
      annulled: [],
      expelled: [],
      curtailed: false,
      split: null,
      conferences: [],
      stages: [],
      rankings: { of: 'season', without_stages: [] },
      ties: [],
    });
  });

  const zone = { id: 1, name: 'Up', colour: '#fff', from: 3, to: 2 };
  const correction = { participant_id: 1, value: -2, reason: 'Quit' };
  const corrected = (changes: object) => ({ corrections: [{ ...correction, ...changes }] });
  const carried = (stage: number, from: number[]) => ({ stage_ids: [stage], carried: { from } });
  const oneOf = 'tie_break[0]: expected one of points';
  test.each<[problem: string, overrides: Record<string, unknown>]>([
    ['tie_break[1]: expected one of points, points_per_game', { tie_break: ['points', 'goal_diff'] }],
    ['tie_break[0]', { tie_break: [{ fair_play: { yellow: -1, red: -4 } }] }],
    ['tie_break[0]', { tie_break: [{ drawing_of_lots: [[1]] }] }],
    ['tie_break: expected at least one criterion', { tie_break: [] }],
    [oneOf, { tie_break: [{ head_to_head: ['away'] }] }],
    [oneOf, { tie_break: [{ head_to_head: ['opponents_points'] }] }],
    ['corrections[0].from: expected a day, YYYY-MM-DD', corrected({ from: '1 May' })],
    [
      'corrections[0].reason: expected one of Association decision, Disqualified, Financial issues, Quit, Regulations',
      corrected({ reason: 'x' }),
    ],
    ['corrections[0].value: expected a whole number', corrected({ value: '-2' })],
    ['zones[0]: expected ranks from 1, `from` not above `to`', { zones: [zone] }],
    ['zones[0]: expected ranks from 1', { zones: [{ ...zone, from: 0 }] }],
    ['zones[0].colour: expected # and 3, 4, 6 or 8 hexa', { zones: [{ ...zone, colour: 'green' }] }],
    ['not_entitled[0].zones: there is no zone 9', { not_entitled: [{ participant_id: 1, zones: [9] }] }],
    ['tables: expected each id once', { tables: [1, 2].map((place) => ({ id: 1, name: 'Thirds', place })) }],
    [
      'tables[0].name: expected a name that does not begin',
      { tables: [{ id: 1, name: 'League standings A' }] },
    ],
    ['awarded[0]: expected {"event_id": 1, "home": 3', { awarded: [{ event_id: 1, both_lose: true }] }],
    ['stages: expected each stage once', { stages: [{ stage_ids: [1] }, { stage_ids: [2, 1] }] }],
    ['stages: expected no stage that carries its own', { stages: [carried(1, [2]), carried(2, [3, 1])] }],
    ['ties[0].level[0]: expected one of away_goals', { ties: [{ level: ['coin'] }] }],
    ['the file: Unrecognized key: "tiebreak"', { tiebreak: [] }],
    ['format: expected 1', { format: 2 }],
  ])('name the problem %s of %j', (problem, overrides) => {
    expect(() => read(overrides)).toThrow(RulesError);
    const named = { name: 'RulesError', code: 'RULES_INVALID' };
    expect(() => read(overrides)).toThrow(expect.objectContaining(named));
    expect(() => read(overrides)).toThrow(`league.json is no file of competition rules:\n  ${problem}`);
  });

  test('have zones of one rank and of several, from the first on', () => {
    const zones = [
      { ...zone, from: 1, to: 1 },
      { ...zone, from: 2, to: 5 },
    ];
    // A team may have no right to a zone of a stage, or of a table.
    const stages = [{ stage_ids: [5], zones: [{ ...zone, id: 7, to: 3 }] }];
    const tables = [{ id: 1, name: 'Thirds', zones: [{ ...zone, id: 8, to: 3 }] }];
    const not_entitled = [{ participant_id: 1, zones: [1, 7, 8] }];
    expect(read({ zones, stages, tables, not_entitled }).zones).toEqual(zones);
  });

  test('name the problems of every line at once', () => {
    expect(() =>
      read({
        points: { won: '3', draw: 1, lost: 0 },
        corrections: [correction, { ...correction, stage_id: 'X 1' }],
        stages: [{ stage_ids: [], split: { after_matches: 0, sizes: [6] } }],
        rankings: { of: 'year' },
      }),
    ).toThrow(
      [
        '  points.won: expected a whole number',
        '  corrections[1].stage_id: expected an id or a name such as championship',
        '  stages[0].stage_ids: expected at least one stage',
        '  stages[0].split.after_matches: expected at least 1',
        '  rankings.of: expected season or stage',
      ].join('\n'),
    );
  });

  test.each(['[]', 'null', '7'])('are no %s', (file) => {
    expect(() => readRulesFile(file, 'league.json')).toThrow('  the file: ');
  });

  test('report a file that is not JSON', () => {
    const problem = 'league.json is no file of competition rules:\n  it is not JSON';
    expect(() => readRulesFile('{', 'league.json')).toThrow(problem);
  });
});

test('are read with a half of a character as U+FFFD, which every topic can hold', () => {
  expect(read({ name: 'Cup \ud83d' }).name).toBe('Cup \ufffd');
});

test('rules of a season win over those of its competition', () => {
  const that = readFile({ name: 'That season', applies_to: [{ competition_id: 7, season_id: 2 }] });
  const all = [readFile({}), that];
  expect([1, 2].map((season) => rulesFor(all, 7, season)?.name)).toEqual(['League', 'That season']);
  expect(rulesFor(all, 8, 2)).toBeUndefined();
  const several = [readFile({ applies_to: [{ competition_id: 7 }, { competition_id: 8, season_id: 2 }] })];
  const nameOf = (competition: number, season: number) => rulesFor(several, competition, season)?.name;
  expect([nameOf(7, 1), nameOf(8, 2), nameOf(8, 1)]).toEqual(['League', 'League', undefined]);
});

describe('stages that a file names', () => {
  const named = {
    stages: [{ stage_ids: ['finals', 30], carried: { from: ['regular'] } }, { stage_ids: [31] }],
    tables: [
      { id: 1, name: 'General', stage_ids: ['table'] },
      { id: 2, name: 'Thirds', place: 3 },
    ],
    corrections: [
      { participant_id: 1, value: -2, reason: 'Quit', stage_id: 'regular' },
      { participant_id: 2, value: -2, reason: 'Quit', stage_id: 'elsewhere' },
    ],
    rankings: { without_stages: ['regular'] },
    ties: [{ stage_ids: ['cup'], level: ['shoot_out'] }, { level: ['replay'] }],
  };

  test('get the ids of the scope that applies', () => {
    const scope = (season_id: number, regular: number) => ({
      competition_id: 7,
      season_id,
      stages: { regular: [regular], finals: [20, 21], elsewhere: [9, 8], table: [6], cup: [5] },
    });
    const all = [readFile({ ...named, applies_to: [scope(1, 10), scope(2, 11)] })];
    const found = rulesFor(all, 7, 2);
    const finals = { stage_ids: [20, 21, 30], carried: { from: [11] } };
    expect(found?.stages).toMatchObject([finals, { stage_ids: [31] }]);
    expect(found?.tables.map(({ stage_ids }) => stage_ids)).toEqual([[6], null]);
    expect(found?.corrections.map(({ stage_id }) => stage_id)).toEqual([11, 9]);
    expect(found?.rankings.without_stages).toEqual([11]);
    expect(found?.ties.map(({ stage_ids }) => stage_ids)).toEqual([[5], null]);
    expect(rulesFor(all, 7, 1)?.rankings.without_stages).toEqual([10]);
  });

  test('have no rules without ids, and must have ids in every scope', () => {
    const none = readFile({ ...named, applies_to: [] }).withStages({});
    expect([none.stages[0]?.stage_ids, none.corrections]).toEqual([[30], []]);
    expect(() =>
      readFile({ ...named, applies_to: [{ competition_id: 7, stages: { finals: [1] } }] }),
    ).toThrow(
      [
        '  applies_to[0].stages: expected the ids of "regular"',
        '  applies_to[0].stages: expected the ids of "table"',
        '  applies_to[0].stages: expected the ids of "elsewhere"',
        '  applies_to[0].stages: expected the ids of "cup"',
      ].join('\n'),
    );
  });
});
