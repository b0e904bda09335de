import { describe, expect, test } from 'vitest';
import { ALERT_KINDS, AlertRulesError, parseRules, readRules, rulesFor } from './rules.ts';

const rule = (change: object) => JSON.stringify({ rules: [{ name: 'a', on: ['goal'], ...change }] });
const MATCH = { event_id: 7, competition_id: 1, home_id: 10, away_id: 11 };

describe('a file of rules', () => {
  test('is read when it is that of the guide', () => {
    const rules = readRules(new URL('../../../data/alert-rules.json', import.meta.url).pathname);
    expect(new Set(rules.flatMap(({ on }) => on))).toEqual(new Set(ALERT_KINDS));
  });

  test.each([
    ['{', 'are not JSON'],
    ['[]', 'the file: '],
    ['{"rules":[]}', 'rules: '],
    [rule({ name: 'A b' }), 'rules.0.name: must be lower-case'],
    [rule({ on: ['gaol'] }), 'rules.0.on.0: must be one of goal, goal_cancelled'],
    [rule({ on: [] }), 'rules.0.on: '],
    [rule({ team: [1] }), 'Unrecognized key: "team"'],
    [rule({ teams: ['x'] }), 'rules.0.teams.0: '],
    [rule({ maxAgeSeconds: 30 }), 'rules.0.maxAgeSeconds: must be more than 0 and at most 20 seconds'],
    [rule({ maxDelaySeconds: 0 }), 'rules.0.maxDelaySeconds: must be more than 0'],
    ['{"rules":[{"name":"a","on":["goal"]},{"name":"a","on":["final"]}]}', 'two rules have the same name'],
  ])('%s is rejected with the problem', (text, problem) => {
    expect(() => parseRules(text)).toThrow(AlertRulesError);
    expect(() => parseRules(text)).toThrow(problem);
  });

  test('is rejected when it does not exist', () => {
    expect(() => readRules('/nowhere/rules.json')).toThrow('the rules cannot be read: ENOENT');
  });
});

test.each([
  [{}, true],
  [{ on: ['final'] }, false],
  [{ competitions: [1] }, true],
  [{ competitions: [2] }, false],
  [{ teams: [11] }, true],
  [{ teams: [12] }, false],
  [{ matches: [7, 8] }, true],
  [{ matches: [8] }, false],
  [{ competitions: [1], teams: [12] }, false],
])('applies a rule with %j to the match: %s', (filter, fits) => {
  expect(rulesFor(parseRules(rule(filter)), 'goal', MATCH).length === 1).toBe(fits);
});

test('applies no rule with a competition or team to an unknown match', () => {
  const unknown = { event_id: 7, competition_id: null, home_id: null, away_id: null };
  const fits = [{ competitions: [1] }, { teams: [10] }, { matches: [7] }, {}].map(
    (filter) => rulesFor(parseRules(rule(filter)), 'goal', unknown).length,
  );
  expect(fits).toEqual([0, 0, 1, 1]);
});
