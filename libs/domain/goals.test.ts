import { describe, expect, test } from 'vitest';
import type { Incident } from '#records/types.ts';
import { hasBody } from './goal-facts.ts';
import { nameGoals, scoresAfter } from './goals.ts';
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

const at = (event_time: number | null) => ({ event_time });
const phase = (event_status_id: number | null) => ({ event_status_id });
const CANCELLED = { confirmation: 'cancelled' };

describe('a cancellation without a parent (law 6)', () => {
  test.each<[string, timeline: Incident[], voided: string[], orphans?: string[], removed?: string[]]>([
    ['names the nearest goal before it', [goal('5-1'), goal('5-2'), cancels('5-3')], ['5-2']],
    ['names none after it', [cancels('5-1'), goal('5-2')], [], ['5-1']],
    ['names none of the other side', [goal('5-1', { participant_id: AWAY }), cancels('5-2')], [], ['5-2']],
    [
      'names an own goal of the rival',
      [incident('5-1', 423, { participant_id: AWAY }), cancels('5-2')],
      ['5-1'],
    ],
    [
      'uses its own `for`',
      [goal('5-1'), cancels('5-2', { participant_id: AWAY, counts_for: 'rival' })],
      ['5-1'],
    ],
    ['names one at most ten minutes before', [goal('5-1', at(0)), cancels('5-2', at(600))], ['5-1']],
    ['names none more than ten minutes before', [goal('5-1', at(0)), cancels('5-2', at(601))], [], ['5-2']],
    [
      'names none more than ten minutes after: match time is not the order',
      [goal('5-1', at(1201)), cancels('5-2')],
      [],
      ['5-2'],
    ],
    ['names one of unknown time', [goal('5-1', at(null)), cancels('5-2')], ['5-1']],
    ['of unknown time, names one of any time', [goal('5-1', at(5400)), cancels('5-2', at(null))], ['5-1']],
    [
      'of unknown time, names one of unknown time',
      [goal('5-1', at(null)), cancels('5-2', at(null))],
      ['5-1'],
    ],
    [
      'prefers a near goal of unknown time to a farther one of its own minute',
      [goal('5-1'), goal('5-2', at(null)), cancels('5-3')],
      ['5-2'],
    ],
    [
      'of unknown time, names the nearest in id order, whatever the times',
      [goal('5-1', at(600)), goal('5-2', at(0)), cancels('5-3', at(null))],
      ['5-2'],
    ],
    [
      'long after the first minutes, names one of unknown time',
      [goal('5-1', at(null)), cancels('5-2', at(5_000))],
      ['5-1'],
    ],
    [
      'of unknown time, still names none after it or of the other side',
      [goal('5-1', { participant_id: AWAY }), cancels('5-2', at(null)), goal('5-3', at(null))],
      [],
      ['5-2'],
    ],
    [
      'of play, skips a goal of the shoot-out',
      [goal('5-1'), goal('5-2', phase(141)), cancels('5-3')],
      ['5-1'],
    ],
    [
      'of the shoot-out, skips a goal of play',
      [goal('5-1', phase(141)), goal('5-2', phase(36)), cancels('5-3', phase(141))],
      ['5-1'],
    ],
    ['of the shoot-out, names no goal of play', [goal('5-1'), cancels('5-2', phase(16))], [], ['5-2']],
    [
      'of the shoot-out and of unknown time, names no goal of play',
      [goal('5-1'), cancels('5-2', { event_status_id: 141, event_time: null })],
      [],
      ['5-2'],
    ],
    [
      'names one of another phase of the shoot-out',
      [goal('5-1', phase(16)), cancels('5-2', phase(141))],
      ['5-1'],
    ],
    ['names one of another phase of play', [goal('5-1', phase(33)), cancels('5-2', phase(9))], ['5-1']],
    [
      'of unknown phase, counts as play',
      [goal('5-1', phase(34)), goal('5-2', phase(141)), cancels('5-3', phase(null))],
      ['5-1'],
    ],
    ['names a goal of unknown phase as one of play', [goal('5-1', phase(null)), cancels('5-2')], ['5-1']],
    [
      'skips a goal that a parent named',
      [goal('5-1'), goal('5-2'), cancels('5-3'), cancels('5-9', { parent_id: '5-2' })],
      ['5-1', '5-2'],
    ],
    [
      'names one goal each',
      [goal('5-1'), goal('5-2'), cancels('5-3', at(500)), cancels('5-4', at(561))],
      ['5-1', '5-2'],
    ],
    ['names a void one too', [goal('5-1'), goal('5-2', CANCELLED), cancels('5-3')], ['5-2']],
    ['names a removed one too', [goal('5-1'), goal('5-2'), cancels('5-3')], ['5-2'], [], ['5-2']],
    [
      'cancelled, leaves its goal to the next one',
      [goal('5-1'), goal('5-2'), cancels('5-3', { ...CANCELLED, ...at(500) }), cancels('5-4', at(561))],
      ['5-2'],
    ],
    [
      'removed, leaves its goal to the next one',
      [goal('5-1'), goal('5-2'), cancels('5-3', at(500)), cancels('5-4', at(561))],
      ['5-2'],
      [],
      ['5-3'],
    ],
    [
      'awaiting confirmation, keeps its goal from the next one',
      [
        goal('5-1'),
        goal('5-2'),
        cancels('5-3', { confirmation: 'tbd', ...at(500) }),
        cancels('5-4', at(561)),
      ],
      ['5-1'],
    ],
    [
      'with a parent that is no goal, is an orphan',
      [goal('5-1'), cancels('5-2', { parent_id: '5-7' })],
      [],
      ['5-2'],
    ],
    [
      'of no side, is an orphan',
      [goal('5-1', { participant_id: null }), cancels('5-2', { participant_id: null })],
      [],
      ['5-2'],
    ],
    ['of an own goal comes under the scorer’s team', [incident('5-1', 423), cancels('5-2')], ['5-1']],
    [
      'of an own goal comes under the team that it counts for',
      [incident('5-1', 423), cancels('5-2', { participant_id: AWAY })],
      ['5-1'],
    ],
    [
      'names the nearest of a goal and an own goal of its participant',
      [incident('5-1', 423), goal('5-2'), cancels('5-3')],
      ['5-2'],
    ],
    [
      'of no participant names no own goal of none',
      [incident('5-1', 423, { participant_id: null }), cancels('5-2', { participant_id: null })],
      [],
      ['5-2'],
    ],
    [
      'of the scorer’s team names no goal of the rival',
      [goal('5-1', { participant_id: AWAY }), cancels('5-2')],
      [],
      ['5-2'],
    ],
    [
      'repeats one of at most 60 s before',
      [goal('5-1'), goal('5-2'), cancels('5-3', at(600)), cancels('5-4', at(660))],
      ['5-2'],
    ],
    [
      'repeats one of at most 60 s after, as match time is not the order',
      [goal('5-1'), goal('5-2'), cancels('5-3', at(660)), cancels('5-4', at(600))],
      ['5-2'],
    ],
    [
      'repeats none of 61 s before',
      [goal('5-1'), goal('5-2'), cancels('5-3', at(600)), cancels('5-4', at(661))],
      ['5-1', '5-2'],
    ],
    [
      'of unknown time repeats none',
      [goal('5-1'), goal('5-2'), cancels('5-3'), cancels('5-4', at(null))],
      ['5-1', '5-2'],
    ],
    [
      'repeats none of unknown time',
      [goal('5-1'), goal('5-2'), cancels('5-3', at(null)), cancels('5-4')],
      ['5-1', '5-2'],
    ],
    [
      'repeats none before a goal that fits',
      [goal('5-1'), cancels('5-2'), goal('5-3'), cancels('5-4')],
      ['5-1', '5-3'],
    ],
    [
      'repeats one before a goal of the other side',
      [goal('5-1'), goal('5-2'), cancels('5-3'), goal('5-4', { participant_id: AWAY }), cancels('5-5')],
      ['5-2'],
    ],
    [
      'repeats one with a parent',
      [goal('5-1'), goal('5-2'), cancels('5-3', { parent_id: '5-2' }), cancels('5-4')],
      ['5-2'],
    ],
    [
      'repeats none with a parent that does not fit it',
      [
        goal('5-1'),
        goal('5-2', { participant_id: AWAY }),
        cancels('5-3', { parent_id: '5-2' }),
        cancels('5-4'),
      ],
      ['5-1', '5-2'],
    ],
    [
      'repeats none whose parent is no goal',
      [goal('5-1'), cancels('5-3', { parent_id: '5-9' }), cancels('5-4')],
      ['5-1'],
      ['5-3'],
    ],
    [
      'repeats the latest of several',
      [goal('5-1'), goal('5-2'), cancels('5-3', at(600)), cancels('5-4', at(661)), cancels('5-5', at(650))],
      ['5-1', '5-2'],
    ],
    [
      'three in a row, each close to the one before, are one decision',
      [goal('5-1'), goal('5-2'), cancels('5-3', at(600)), cancels('5-4', at(660)), cancels('5-5', at(720))],
      ['5-2'],
    ],
    [
      'repeats none after it in the order of ids',
      [goal('5-1'), goal('5-2'), cancels('5-3'), cancels('5-4', { parent_id: '5-1' })],
      ['5-1', '5-2'],
    ],
    [
      'repeats one that awaits confirmation, and confirms it',
      [goal('5-1'), goal('5-2'), cancels('5-3', { confirmation: 'tbd' }), cancels('5-4')],
      ['5-2'],
    ],
    [
      'that awaits confirmation repeats one that stands',
      [goal('5-1'), goal('5-2'), cancels('5-3'), cancels('5-4', { confirmation: 'tbd' })],
      ['5-2'],
    ],
    [
      'repeats none that is an orphan',
      [goal('5-1', at(0)), cancels('5-2', at(640)), cancels('5-3', at(600))],
      ['5-1'],
      ['5-2'],
    ],
    [
      'of an unknown team names no own goal',
      [incident('5-1', 423), cancels('5-2', { participant_id: 999 })],
      [],
      ['5-2'],
    ],
    [
      'of the scorer’s team names no goal that counts for the rival and is no own goal',
      [goal('5-1', { counts_for: 'rival' }), cancels('5-2')],
      [],
      ['5-2'],
    ],
    [
      'repeats none before the last of several goals that fit',
      [goal('5-1'), goal('5-2'), cancels('5-3'), goal('5-4'), cancels('5-5')],
      ['5-2', '5-4'],
    ],
    [
      'of the first minute repeats none of unknown time',
      [goal('5-1'), goal('5-2'), cancels('5-3', at(null)), cancels('5-4', at(30))],
      ['5-1', '5-2'],
    ],
    [
      'of unknown time repeats none of the first minute',
      [goal('5-1'), goal('5-2'), cancels('5-3', at(30)), cancels('5-4', at(null))],
      ['5-1', '5-2'],
    ],
    [
      'of unknown time repeats none of unknown time',
      [goal('5-1'), goal('5-2'), cancels('5-3', at(null)), cancels('5-4', at(null))],
      ['5-1', '5-2'],
    ],
    [
      'lists orphans in order',
      [cancels('5-1'), cancels('5-2', { parent_id: '5-7' }), cancels('5-3')],
      [],
      ['5-1', '5-2', '5-3'],
    ],
  ])('%s', (_, timeline, voided, orphans = [], removed = []) => {
    const result = tally(timeline, removed);
    expect(Object.keys(result.voided)).toEqual(voided);
    expect(result.orphans).toEqual(orphans ?? []);
  });
});

test('lists the incidents that name each goal (law 6)', () => {
  const known = (one: Incident, removed = false) => ({ id: one.id, incident: one, removed, missing: false });
  const goals = ['5-1', '5-2', '5-3'].map((id) => known(goal(id)));
  const cancellations = [
    known(cancels('5-4', { parent_id: '5-1', ...at(0) })),
    known(cancels('5-5', { parent_id: '5-1', confirmation: 'tbd' })),
    known(cancels('5-6', at(1_000))),
    known(cancels('5-7'), true),
    known(cancels('5-8', { parent_id: '5-9' })),
  ];
  const unseen = { id: '5-0', incident: null, removed: false, missing: false };
  const { naming } = nameGoals(
    [unseen, ...goals].filter(hasBody),
    [unseen, ...cancellations].filter(hasBody),
    sides,
  );
  expect(Array.from(naming, ([id, named]) => [id, named.map((one) => one.id)])).toEqual([
    ['5-1', ['5-4', '5-5']],
    ['5-3', ['5-6']],
  ]);
});
