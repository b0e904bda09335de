import { describe, expect, test } from 'vitest';
import type { Incident } from '#records/types.ts';
import { scoresAfter } from './goals.ts';
import { cancels, goal, sides, sidesOf, tally } from './testing/goals.ts';
import { AWAY, HOME, type IncidentOptions, incident, participants } from './testing/messages.ts';

describe('the side that a goal counts for (law 5)', () => {
  test.each([
    { type: 413, of: HOME, counts_for: null, score: { home: 1, away: 0 } },
    { type: 413, of: AWAY, counts_for: null, score: { home: 0, away: 1 } },
    { type: 421, of: HOME, counts_for: null, score: { home: 1, away: 0 } },
    { type: 423, of: HOME, counts_for: null, score: { home: 0, away: 1 } },
    { type: 423, of: AWAY, counts_for: null, score: { home: 1, away: 0 } },
    { type: 423, of: HOME, counts_for: 'own', score: { home: 1, away: 0 } },
    { type: 413, of: HOME, counts_for: 'rival', score: { home: 0, away: 1 } },
    { type: 413, of: HOME, counts_for: 'all', anomaly: 'for_all' },
    { type: 413, of: HOME, counts_for: 'none', anomaly: 'for_none' },
    { type: 413, of: HOME, counts_for: 'someone', anomaly: 'unknown_for' },
    { type: 413, of: 999, counts_for: null, anomaly: 'unknown_participant' },
    { type: 423, of: null, counts_for: null, anomaly: 'unknown_participant' },
  ])('type $type of $of, for $counts_for', ({ type, of, counts_for, score, anomaly }) => {
    const result = tally([incident('5-1', type, { participant_id: of, counts_for })]);
    expect(result.score).toEqual(score ?? { home: 0, away: 0 });
    expect(result.anomalies).toEqual(anomaly === undefined ? [] : [`5-1:${anomaly}`]);
    expect(result.counting).toEqual(anomaly === undefined ? ['5-1'] : []);
  });

  test('is unknown, and so is the score, while a side is unknown', () => {
    for (const known of [[], participants().slice(0, 1), participants().slice(1)]) {
      expect(tally([], [], sidesOf(known))).toMatchObject({ score: null, firm: null });
    }
    expect(tally([goal('5-1')], [], sidesOf([]))).toMatchObject({
      score: null,
      anomalies: ['5-1:unknown_participant'],
    });
  });

  test('gets a goal of the shoot-out apart from the score', () => {
    const result = tally([
      goal('5-1', { event_status_id: 36 }),
      goal('5-2', { event_status_id: 141 }),
      goal('5-3', { event_status_id: 16, participant_id: AWAY, confirmation: 'tbd' }),
      goal('5-4', { event_status_id: 141, confirmation: 'cancelled' }),
    ]);
    expect(result).toMatchObject({
      score: { home: 1, away: 0 },
      shootOut: { home: 1, away: 1 },
      counting: ['5-1'],
      voided: { '5-4': 'cancelled' },
      underReview: false,
    });
  });

  test.each([
    [16, true],
    [141, true],
    [142, true],
    [13, true],
    [36, false],
    [33, false],
    [11, false],
    [14, false],
    [null, false],
  ])('in phase %s is of the shoot-out: %s', (event_status_id, apart) => {
    expect(tally([goal('5-1', { event_status_id })])).toMatchObject({
      score: { home: apart ? 0 : 1, away: 0 },
      shootOut: apart ? { home: 1, away: 0 } : null,
    });
  });

  test('has no shoot-out score without a goal of the shoot-out that counts', () => {
    expect(tally([goal('5-1', { event_status_id: 141, confirmation: 'cancelled' })]).shootOut).toBeNull();
  });
});

describe('a goal is void (law 6)', () => {
  const naming = (id: string, options?: IncidentOptions) => cancels(id, { parent_id: '5-1', ...options });
  const cancelled = goal('5-1', { confirmation: 'cancelled' });
  test.each<[string, timeline: Incident[], voided: string | undefined, removed?: string[]]>([
    ['removed, before any other reason', [cancelled, naming('5-2')], 'removed', ['5-1']],
    ['cancelled, before being named', [cancelled, naming('5-2')], 'cancelled'],
    ['named by a confirmed 424', [goal('5-1'), naming('5-2')], 'goal_cancelled'],
    [
      'named by a 424 without confirmation',
      [goal('5-1'), naming('5-2', { confirmation: null })],
      'goal_cancelled',
    ],
    [
      'not by a 424 that awaits confirmation',
      [goal('5-1'), naming('5-2', { confirmation: 'tbd' })],
      undefined,
    ],
    ['not by a cancelled 424', [goal('5-1'), naming('5-2', { confirmation: 'cancelled' })], undefined],
    ['not by a removed 424', [goal('5-1'), naming('5-2')], undefined, ['5-2']],
    ['by a 424 whose parent has a later id', [naming('5-0'), goal('5-1')], 'goal_cancelled'],
    [
      'by a 424 with a parent of any side, phase or time',
      [
        goal('5-1', { event_time: 0 }),
        naming('5-2', { participant_id: AWAY, event_status_id: 141, event_time: 5400 }),
      ],
      'goal_cancelled',
    ],
    [
      'named by two, one of them awaiting confirmation',
      [goal('5-1'), naming('5-2', { confirmation: 'tbd' }), naming('5-3')],
      'goal_cancelled',
    ],
  ])('%s', (_, timeline, voided, removed) => {
    expect(tally(timeline, removed).voided['5-1']).toBe(voided);
  });

  test('and is subtracted once, and no earlier goal with it, when reported in all three ways', () => {
    const timeline = [
      goal('5-1', { event_time: 300 }),
      goal('5-2', { event_time: 600, confirmation: 'cancelled' }),
      cancels('5-3', { event_time: 640 }),
    ];
    expect(tally(timeline, ['5-2'])).toMatchObject({
      score: { home: 1, away: 0 },
      counting: ['5-1'],
      voided: { '5-2': 'removed' },
      orphans: [],
    });
  });
});

describe('the firm score and review (law 7)', () => {
  const waiting = { confirmation: 'tbd' };
  test.each<[string, timeline: Incident[], firm: number, underReview: boolean]>([
    ['a confirmed goal', [goal('5-1')], 1, false],
    ['a goal without confirmation', [goal('5-1', { confirmation: null })], 1, false],
    ['a goal that awaits confirmation', [goal('5-1', waiting)], 0, true],
    ['a goal named by a 424 that awaits confirmation', [goal('5-1'), cancels('5-2', waiting)], 1, true],
    [
      'a void goal named by one',
      [goal('5-1', { confirmation: 'cancelled' }), cancels('5-2', waiting)],
      0,
      false,
    ],
    ['an orphan that awaits confirmation', [cancels('5-2', waiting)], 0, false],
  ])('%s', (_, timeline, firm, underReview) => {
    expect(tally(timeline)).toMatchObject({ firm: { home: firm, away: 0 }, underReview });
  });
});

describe('a missing incident (laws 3 and 7)', () => {
  const named = cancels('5-2', { parent_id: '5-1' });
  const waiting = cancels('5-2', { parent_id: '5-1', confirmation: 'tbd' });
  const kick = goal('5-1', { event_status_id: 141 });
  test.each<[string, timeline: Incident[], missing: string[], is: object]>([
    ['a goal', [goal('5-1')], ['5-1'], { score: 1, firm: 0, underReview: true, missing: true }],
    [
      'another goal',
      [goal('5-1'), goal('5-3')],
      ['5-3'],
      { score: 2, firm: 1, underReview: true, missing: true },
    ],
    [
      'a goal that is cancelled',
      [goal('5-1', { confirmation: 'cancelled' })],
      ['5-1'],
      { score: 0, firm: 0, underReview: false, missing: false },
    ],
    [
      'a goal that a 424 names',
      [goal('5-1'), named],
      ['5-1'],
      { score: 0, firm: 0, underReview: false, missing: false },
    ],
    [
      'a 424 that names a goal',
      [goal('5-1'), named],
      ['5-2'],
      { score: 0, firm: 0, underReview: false, missing: true },
    ],
    [
      'a 424 that awaits confirmation',
      [goal('5-1'), waiting],
      ['5-2'],
      { score: 1, firm: 1, underReview: true, missing: true },
    ],
    [
      'a 424 that names no goal',
      [goal('5-1'), cancels('5-2', { parent_id: '5-9' })],
      ['5-2'],
      { score: 1, firm: 1, underReview: false, missing: false },
    ],
    ['a kick', [kick], ['5-1'], { score: 0, firm: 0, underReview: false, missing: true }],
  ])('%s', (_, timeline, missing, is) => {
    const { score, firm, underReview, missing: isMissing } = tally(timeline, [], undefined, missing);
    expect({ score: score?.home, firm: firm?.home, underReview, missing: isMissing }).toEqual(is);
  });
});

describe('a cancellation that names no goal', () => {
  const at = (seconds: number, options: IncidentOptions = {}) =>
    cancels(`5-${seconds}`, { parent_id: '5-99', ut: seconds, ...options });
  test.each<[string, Incident[], number | null, removed?: string[]]>([
    ['none', [goal('5-1'), cancels('5-2')], null],
    ['one', [at(10)], 10],
    ['the latest of several', [at(12), at(11)], 12],
    ['without a confirmation', [at(10, { confirmation: null })], 10],
    ['not one that awaits confirmation', [at(10), at(11, { confirmation: 'tbd' })], 10],
    ['not a cancelled one', [at(10, { confirmation: 'cancelled' })], null],
    ['not a removed one', [at(10)], null, ['5-10']],
  ])('has the time of its record: %s', (_, timeline, unexplainedAt, removed) => {
    expect(tally(timeline, removed).unexplainedAt).toBe(unexplainedAt);
  });
});

test('names the cancellations that stand by the goal which they void', () => {
  const { voidBy } = tally([
    goal('5-1'),
    cancels('5-2', { parent_id: '5-1' }),
    cancels('5-3', { parent_id: '5-1', confirmation: 'tbd' }),
    goal('5-4', { confirmation: 'cancelled' }),
    cancels('5-5', { parent_id: '5-4' }),
    goal('5-6', { confirmation: 'cancelled' }),
  ]);
  expect(voidBy).toEqual({ '5-1': ['5-2'], '5-4': ['5-5'] });
});

test('lists all goals that are not void, those of the shoot-out and of unknown sides included', () => {
  const { valid } = tally([
    goal('5-1'),
    goal('5-2', { confirmation: 'cancelled' }),
    goal('5-3', { event_status_id: 141 }),
    goal('5-4', { participant_id: 999 }),
  ]);
  expect(valid).toEqual(['5-1', '5-3', '5-4']);
});

test('tells the score after each goal; an unknown goal and one of no side have none', () => {
  const goals = [
    goal('5-1'),
    goal('5-2', { participant_id: AWAY }),
    goal('5-3', { participant_id: 999 }),
    goal('5-4'),
  ];
  const incidents = new Map<string, Incident | null>(goals.map((one) => [one.id, one]));
  incidents.set('5-5', null);
  const ids = ['5-1', '5-2', '5-3', '5-4', '5-5', '5-6'];
  expect([...scoresAfter(ids, incidents, sides)]).toEqual([
    ['5-1', { home: 1, away: 0 }],
    ['5-2', { home: 1, away: 1 }],
    ['5-4', { home: 2, away: 1 }],
  ]);
});
