import { describe, expect, test } from 'vitest';
import { GOAL, LIVE, results, rulesOf } from './testing/results.ts';
import { placed, tablesOfSeason } from './testing/seasons.ts';

const REGULAR = 10;
const FINALS = 20;
const CODES = ['mp', 'goals_scored', 'pts'];

/** A has 7 points after the first stage, B 6, C 1, D 3. */
const FIRST = results('A 1-0 C, A 2-2 C, A 1-0 D, B 1-0 D, B 4-0 C, B 0-1 D', { stage_id: REGULAR });
const SECOND = results('A 0-1 B, B 0-0 A', { first: 11, stage_id: FINALS });

function finals(carried: Record<string, unknown> | null, more: Record<string, unknown> = {}) {
  const stages = carried === null ? [] : [{ stage_ids: [FINALS], carried: { from: [REGULAR], ...carried } }];
  return tablesOfSeason([...SECOND, ...FIRST], rulesOf({ stages, ...more }), 'league', ...CODES);
}

describe('what a stage starts with', () => {
  test('is nothing, unless rules say so', () => {
    expect(finals(null)[FINALS]).toEqual(['1 B 2 1 4', '2 A 2 0 1']);
  });

  test('is all matches, goals and points, or only the points', () => {
    const own = ['1 A 3 4 7', '2 B 3 5 6', '3 D 3 1 3', '4 C 3 2 1'];
    expect(finals({})).toEqual({ [REGULAR]: own, [FINALS]: ['1 B 5 6 10', '2 A 5 4 8'] });
    expect(finals({ matches: false })[FINALS]).toEqual(['1 B 2 1 10', '2 A 2 0 8']);
  });

  test('is half of the points, rounded up or down', () => {
    expect(finals({ points: 'half', rounded: 'up' })[FINALS]).toEqual(['1 B 5 6 7', '2 A 5 4 5']);
    expect(finals({ points: 'half', rounded: 'down' })[FINALS]).toEqual(['1 B 5 6 7', '2 A 5 4 4']);
  });

  test('is no points, or those against teams of the table alone', () => {
    expect(finals({ points: 'none' })[FINALS]).toEqual(['1 B 5 6 4', '2 A 5 4 1']);
    const met = [...FIRST, placed(7, 'A 5-0 B', REGULAR), ...SECOND];
    const stages = [{ stage_ids: [FINALS], carried: { from: [REGULAR], against: 'same_table' } }];
    const shown = tablesOfSeason(met, rulesOf({ stages }), 'league', ...CODES);
    expect(shown[FINALS]).toEqual(['1 A 3 5 4', '2 B 3 1 4']);
  });

  test('has the corrections of the first stage, and not those of another', () => {
    const corrected = (correction: object) =>
      finals(
        { points: 'half', rounded: 'down' },
        { corrections: [{ participant_id: 2, value: -4, reason: 'Quit', ...correction }] },
      );
    expect(corrected({ stage_id: REGULAR })[FINALS]).toEqual(['1 B 5 6 5', '2 A 5 4 4']);
    expect(corrected({ stage_id: FINALS })[FINALS]).toEqual(['1 A 5 4 4', '2 B 5 6 3']);
    expect(corrected({ stage_id: FINALS })[REGULAR]?.[1]).toBe('2 B 3 5 6');
  });

  test('counts matches of the first stage in play in the live table, as if they had ended', () => {
    const late = placed(8, 'A 0-0 B', REGULAR, LIVE);
    const rules = rulesOf({ stages: [{ stage_ids: [FINALS], carried: { from: [REGULAR] } }] });
    const live = tablesOfSeason([...SECOND, ...FIRST, late], rules, 'live', ...CODES);
    expect(live[FINALS]).toEqual(['1 B 6 6 11', '2 A 6 4 9']);
  });

  test('decides equal points by the half point that rounding took or gave', () => {
    // A has 7, halved 3 and a half; E has 6, halved 3.
    const ofE = results('E 9-0 C, E 9-0 C', { first: 8, stage_id: REGULAR });
    const games = [...FIRST, ...ofE, placed(12, 'A 0-0 E', FINALS)];
    const order = (rounded: string, more = games) => {
      const stages = [{ stage_ids: [FINALS], carried: { from: [REGULAR], points: 'half', rounded } }];
      const rules = rulesOf({ tie_break: ['points', 'half_point', 'goals_diff'], stages });
      return tablesOfSeason(more, rules, 'league', 'pts')[FINALS];
    };
    expect(order('down')).toEqual(['1 A 4', '2 E 4']);
    expect(order('up')).toEqual(['1 A 5', '2 E 4']);
    const oneMoreEach = results('E 1-0 A, A 1-0 E', { first: 13, stage_id: FINALS });
    expect(order('down', [...games, ...oneMoreEach])).toEqual(['1 A 7', '2 E 7']);
    // 7, 3 and 6 are halved to 3, 1 and 3: B lost no half point.
    const three = results('D 1-0 A, A 0-0 B', { first: 12, stage_id: FINALS });
    expect(order('down', [...FIRST, ...three])).toEqual(['1 A 4', '2 D 4', '3 B 4']);
    // 8 and 7: both are 4 when halved and rounded up; the half point was given to E.
    expect(order('up', [...games, placed(15, 'E 0-0 A', REGULAR)])).toEqual(['1 A 5', '2 E 5']);
  });

  test('decides equal points by the rank in the first stage', () => {
    const level = results('B 1-0 A, A 1-0 B', { first: 11, stage_id: FINALS });
    const games = [...FIRST, ...level, placed(21, 'B 9-0 A', 30)];
    const rules = rulesOf({
      tie_break: ['points', 'previous_rank'],
      stages: [
        { stage_ids: [FINALS], carried: { from: [REGULAR, 30], points: 'none', matches: false } },
        { stage_ids: [REGULAR], tie_break: ['points', 'goals_diff'] },
      ],
    });
    expect(tablesOfSeason(games, rules, 'league', 'pts')[FINALS]).toEqual(['1 A 3', '2 B 3']);
    // E was in no earlier stage.
    const newcomer = [...FIRST, ...results('E 1-0 A, A 1-0 E', { first: 11, stage_id: FINALS })];
    expect(tablesOfSeason(newcomer, rules, 'league', 'pts')[FINALS]).toEqual(['1 A 3', '1 E 3']);
    const stages = [
      { stage_ids: [FINALS], carried: { from: [REGULAR], points: 'none' } },
      { stage_ids: [REGULAR], tie_break: ['goals_scored'] },
    ];
    const swapped = rulesOf({ ...rules, stages });
    expect(tablesOfSeason(games, swapped, 'league', 'pts')[FINALS]).toEqual(['1 B 3', '2 A 3']);
  });

  test('has no match without a team of the table, also in the points of opponents', () => {
    const others = results('C 1-0 D, C 1-0 D, C 1-0 D, C 1-0 D, C 1-0 D', { first: 21, stage_id: REGULAR });
    const stages = [{ stage_ids: [FINALS], carried: { from: [REGULAR] } }];
    const rules = rulesOf({ tie_break: ['opponents_points'], stages });
    const games = [...FIRST, ...others, placed(11, 'A 0-0 B', FINALS)];
    expect(tablesOfSeason(games, rules, 'league')[FINALS]).toEqual(['1 B', '2 A']);
  });

  test('may come from a stage that starts with another one', () => {
    const last = [placed(21, 'A 1-0 B', 30)];
    const stages = [
      { stage_ids: [FINALS], carried: { from: [REGULAR], points: 'half' } },
      { stage_ids: [30], carried: { from: [FINALS] } },
    ];
    const rules = rulesOf({ stages });
    const shown = tablesOfSeason([...FIRST, ...SECOND, ...last], rules, 'league', ...CODES);
    expect(shown[30]).toEqual(['1 A 6 5 8', '2 B 6 6 7']);
  });
});

describe('rules of a stage', () => {
  test('replace zones, points and criteria of the file in its tables alone', () => {
    const zone = { id: 1, name: 'Up', colour: '#fff', from: 1, to: 1 };
    const own = { zones: [], points: { won: 2, draw: 1, lost: 0 }, tie_break: ['goals_scored'] };
    const rules = rulesOf({ zones: [zone], stages: [{ stage_ids: [FINALS], ...own }] });
    const shown = tablesOfSeason([...FIRST, ...SECOND], rules, 'league', 'pts');
    expect(shown[FINALS]).toEqual(['1 B 3', '2 A 1']);
    expect(shown[REGULAR]?.[0]).toBe('1 A 7');
  });
});

describe('a table that splits', () => {
  /** After two matches A and B lead; then D wins all. */
  const before = results('A 2-0 C, B 2-0 D, A 1-0 D, B 1-0 C', { stage_id: REGULAR });
  const after = results('A 0-1 B, D 9-0 C, A 0-1 B, C 0-9 D, C 0-9 D', { first: 5, stage_id: REGULAR });
  const split = { after_matches: 2, sizes: [2, 2] };
  const shown = (games: ReturnType<typeof placed>[], rule: object | null = split) =>
    tablesOfSeason(games, rulesOf(rule === null ? {} : { split: rule }), 'league', 'pts')[REGULAR];

  test('keeps a team of the lower part below one of the upper part that has fewer points', () => {
    expect(shown([...before, ...after], null)).toEqual(['1 B 12', '2 D 9', '3 A 6', '4 C 0']);
    expect(shown([...before, ...after])).toEqual(['1 B 12', '2 A 6', '3 D 9', '4 C 0']);
    const ofLower = after.filter(({ home }) => home?.name !== 'A');
    expect(shown([...before, ...ofLower])).toEqual(['1 A 6', '1 B 6', '3 D 9', '4 C 0']);
  });

  test('is whole until every team has played the matches before it', () => {
    const games = [...before.slice(0, 3), ...after.slice(1, 2), placed(7, 'D 5-0 C', REGULAR)];
    expect(shown(games)?.[0]).toBe('1 D 6');
  });

  test('is whole while equal teams stand on both sides of the border', () => {
    const level = results('A 0-0 C, B 0-0 D, D 1-0 C', { stage_id: REGULAR });
    expect(shown(level, { after_matches: 1, sizes: [2] })).toEqual(['1 D 4', '2 A 1', '2 B 1', '4 C 1']);
  });

  test('ranks each part alone, also in the stage that carries the matches before', () => {
    const halves = [
      ...before,
      placed(5, 'A 0-1 B', FINALS, { group_id: 1 }),
      placed(6, 'D 9-0 C', FINALS, { group_id: 2 }),
      placed(7, 'C 0-9 D', FINALS, { group_id: 2 }),
    ];
    const rules = rulesOf({ stages: [{ stage_ids: [FINALS], carried: { from: [REGULAR] } }] });
    const all = tablesOfSeason(halves, rules, 'league', 'mp', 'pts');
    expect(all[`${FINALS}/1`]).toEqual(['1 B 3 9', '2 A 3 6']);
    expect(all[`${FINALS}/2`]).toEqual(['1 D 4 6', '2 C 4 0']);
  });
});

describe('conferences', () => {
  const east = { group_id: 1 };
  const west = { group_id: 2 };
  const games = [
    placed(1, 'A 1-0 B', 9201, east),
    placed(2, 'C 1-0 D', 9201, west),
    placed(3, 'A 1-0 C', 9201, east),
    placed(4, 'B 0-1 D', 9201, west),
  ];
  const own = { '9201/1': ['1 A 2 6', '2 B 2 0'], '9201/2': ['1 C 2 3', '1 D 2 3'] };

  const listed = [
    { group_id: 1, participant_ids: [1, 2] },
    { group_id: 2, participant_ids: [3, 4] },
  ];
  const shown = (of: typeof games, conferences: object[] = []) =>
    tablesOfSeason(of, rulesOf({ tie_break: ['points'], conferences }), 'league', 'mp', 'pts');

  test('list their own teams, with the matches against teams of the other one', () => {
    expect(shown(games)).toEqual(own);
    // The match without a group moved to one.
    expect(shown([placed(1, 'A 1-0 B', 9201), ...games])).toEqual(own);
  });

  test('that the rules list have also matches without a group, and those filed under the other one', () => {
    expect(shown(games, listed)).toEqual(own);
    const without = games.map((one) => (one.event_id > 2 ? { ...one, group_id: null } : one));
    expect(shown(without, listed)).toEqual(own);
    const first = [placed(0, 'B 5-0 C', 9201, { ...west, start_date: '2023-12-01 12:00' }), ...games];
    expect(shown(first, listed)['9201/1']).toEqual(['1 A 2 6', '2 B 3 3']);
  });

  test('list a team whose only match is filed under the other one', () => {
    // E and F are in no conference: they have a row where their matches are filed.
    for (const filed of [east, west])
      expect(
        shown(
          [
            placed(2, 'C 1-0 D', 9201, west),
            placed(3, 'A 2-0 C', 9201, filed),
            placed(4, 'B 0-0 E', 9201, east),
            placed(5, 'F 0-0 B', 9201, east),
          ],
          listed,
        ),
      ).toEqual({ '9201/1': ['1 A 1 3', '2 B 2 2', '3 E 1 1', '3 F 1 1'], '9201/2': ['1 C 2 3', '2 D 1 0'] });
  });

  test('have a match of two of them that is filed under a third group, which has no table of its own', () => {
    const third = [...games, placed(9, 'B 2-0 D', 9201, { group_id: 3 })];
    expect(shown(third, listed)).toEqual({
      '9201/1': ['1 A 2 6', '2 B 3 3'],
      '9201/2': ['1 C 2 3', '1 D 3 3'],
    });
  });

  test('are none where matches without a group are among those of groups', () => {
    expect(shown([...games, placed(5, 'A 0-0 D', 9201)])).toEqual({
      9201: ['1 A 1 1', '1 D 1 1'],
      '9201/1': ['1 A 2 6', '2 B 1 0', '2 C 1 0'],
      '9201/2': ['1 C 1 3', '1 D 2 3', '3 B 1 0'],
    });
  });

  test('are none while only one group has matches', () => {
    const first = [placed(1, 'A 1-0 C', 9201, east)];
    expect(shown(first, listed)).toEqual({ '9201/1': ['1 A 1 3', '2 C 1 0'] });
  });

  test('are decided by the first match of each team, whatever the order of messages', () => {
    const late = [
      placed(3, 'A 1-0 C', 9201, { ...west, start_date: '2024-03-03 12:00' }),
      placed(1, 'A 1-0 B', 9201, { ...east, start_date: '2024-03-01 12:00' }),
      placed(2, 'C 1-0 D', 9201, { ...west, start_date: '2024-03-01 12:00' }),
    ];
    for (const order of [late, late.toReversed()])
      expect(shown(order)).toEqual({ '9201/1': ['1 A 2 6', '2 B 1 0'], '9201/2': ['1 C 2 3', '2 D 1 0'] });
  });

  test('are not a group that teams of several groups enter together', () => {
    const tables = shown([...games.slice(0, 2), placed(5, 'A 1-0 C', 9201, { group_id: 3 })]);
    expect(tables['9201/3']).toEqual(['1 A 1 3', '2 C 1 0']);
    expect(tables['9201/1']).toEqual(['1 A 1 3', '2 B 1 0']);
  });
});

describe('rankings of persons', () => {
  const games = [
    placed(1, 'A 3-0 B', REGULAR, { goals: [GOAL, GOAL, GOAL] }),
    placed(2, 'A 2-0 B', FINALS, { goals: [GOAL, GOAL] }),
  ];
  const scorers = (rankings: object = {}) =>
    tablesOfSeason(games, rulesOf({ rankings }), 'top_scorers', 'goals_scored');

  test('count the season, the season without some stages, or each stage', () => {
    expect(scorers()).toEqual({ 2: ['1 Nine 5'] });
    expect(scorers({ without_stages: [REGULAR] })).toEqual({ 2: ['1 Nine 2'] });
    const rules = rulesOf({ rankings: { without_stages: [REGULAR] } });
    expect(tablesOfSeason(games, rules, 'overall_stats', 'mp')).toEqual({ 2: ['1  2'] });
    expect(scorers({ of: 'stage' })).toEqual({ [REGULAR]: ['1 Nine 3'], [FINALS]: ['1 Nine 2'] });
    expect(scorers({ of: 'stage', without_stages: [REGULAR] })).toEqual({ [FINALS]: ['1 Nine 2'] });
  });
});
