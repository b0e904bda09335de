import { describe, expect, test } from 'vitest';
import { RulesError, readCompetitionRules, rulesFor } from './competition-rules.ts';

const GOOD = {
  format: 1,
  name: 'League',
  applies_to: [{ competition_id: 7 }],
  points: { won: 3, draw: 1, lost: 0 },
  tie_break: ['points', { head_to_head: ['points'] }],
};

const read = (overrides: Record<string, unknown>) =>
  readCompetitionRules(JSON.stringify({ ...GOOD, ...overrides }), 'league.json');

describe('competition rules', () => {
  test('have defaults for missing fields', () => {
    expect(read({})).toEqual({
      ...GOOD,
      applies_to: [{ competition_id: 7, season_id: null }],
      tie_break: ['points', { head_to_head: ['points'], after_meetings: 0, again: false }],
      form_matches: 6,
      card_points: null,
      zones: [],
      corrections: [],
      awarded: [],
      annulled: [],
      expelled: [],
      curtailed: false,
    });
  });

  const zone = { id: 1, name: 'Up', colour: '#fff', from: 3, to: 2 };
  const correction = { participant_id: 1, value: -2, reason: 'Quit' };
  test.each([
    [
      'a criterion',
      { tie_break: ['points', 'goal_diff'] },
      'tie_break[1]: expected one of points, points_per_game',
    ],
    ['a card', { tie_break: [{ fair_play: { yellow: -1, red: -4 } }] }, 'tie_break[0]'],
    ['a lot of one', { tie_break: [{ drawing_of_lots: [[1]] }] }, 'tie_break[0]'],
    ['no criterion', { tie_break: [] }, 'tie_break: expected at least one criterion'],
    ['head-to-head', { tie_break: [{ head_to_head: ['away'] }] }, 'tie_break[0]'],
    [
      'a day',
      { corrections: [{ ...correction, from: '1 May' }] },
      'corrections[0].from: expected a day, YYYY-MM-DD',
    ],
    [
      'a reason',
      { corrections: [{ ...correction, reason: 'x' }] },
      'corrections[0].reason: expected one of Association',
    ],
    [
      'a value',
      { corrections: [{ ...correction, value: '-2' }] },
      'corrections[0].value: expected a whole number',
    ],
    ['a zone', { zones: [zone] }, 'zones[0]: expected ranks from 1, `from` not above `to`'],
    ['a zone from 0', { zones: [{ ...zone, from: 0 }] }, 'zones[0]: expected ranks from 1'],
    ['a field', { tiebreak: [] }, 'the file: Unrecognized key: "tiebreak"'],
    ['the format', { format: 2 }, 'format: expected 1'],
  ])('name every problem: %s', (_, overrides, problem) => {
    expect(() => read(overrides)).toThrow(RulesError);
    expect(() => read(overrides)).toThrow(
      expect.objectContaining({ name: 'RulesError', code: 'RULES_INVALID' }),
    );
    expect(() => read(overrides)).toThrow(`league.json is no file of competition rules:\n  ${problem}`);
  });

  test('have zones of one rank and of several, from the first on', () => {
    const zones = [
      { ...zone, from: 1, to: 1 },
      { ...zone, from: 2, to: 5 },
    ];
    expect(read({ zones }).zones).toEqual(zones);
  });

  test('report a file that is not JSON', () => {
    expect(() => readCompetitionRules('{', 'league.json')).toThrow(
      'league.json is no file of competition rules:\n  it is not JSON',
    );
  });
});

test('rules of a season win over those of its competition', () => {
  const all = [read({}), read({ name: 'That season', applies_to: [{ competition_id: 7, season_id: 2 }] })];
  expect([1, 2].map((season) => rulesFor(all, 7, season)?.name)).toEqual(['League', 'That season']);
  expect(rulesFor(all, 8, 2)).toBeUndefined();
  const several = [read({ applies_to: [{ competition_id: 7 }, { competition_id: 8, season_id: 2 }] })];
  const named = [
    [7, 1],
    [8, 2],
    [8, 1],
  ].map(([competition = 0, season = 0]) => rulesFor(several, competition, season)?.name);
  expect(named).toEqual(['League', 'League', undefined]);
});
