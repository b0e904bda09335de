import { describe, expect, test } from 'vitest';
import type { Incident } from '#records/types.ts';
import { hasBody, nameGoals, sameScore, scoresAfter } from './goals.ts';
import { sides, sidesOf, tally, tallyOf } from './testing/goals.ts';
import { AWAY, HOME, incident, participants } from './testing/messages.ts';

/** The score of home goals. */
const home = (goals: number) => ({ home: goals, away: 0 });
const numbers = (ids: readonly string[]) => ids.map((id) => id.slice(2)).join(' ');

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
    expect(result.score).toEqual(score ?? home(0));
    expect(result.anomalies).toEqual(anomaly === undefined ? [] : [`5-1:${anomaly}`]);
    expect(result.counting).toEqual(anomaly === undefined ? ['5-1'] : []);
  });

  test('is unknown, and so is the score, while a side is unknown', () => {
    for (const known of [[], participants().slice(0, 1), participants().slice(1)]) {
      expect(tally([], [], sidesOf(known))).toMatchObject({ score: null, firm: null });
    }
    expect(tally([incident('5-1', 413)], [], sidesOf([]))).toMatchObject({
      score: null,
      anomalies: ['5-1:unknown_participant'],
    });
  });

  test('gets a goal of the shoot-out apart from the score', () => {
    expect(tallyOf('g1#36 g2#141 g3a~#16 g4!#141')).toMatchObject({
      score: home(1),
      shootOut: { home: 1, away: 1 },
      counting: ['5-1'],
      voided: { '5-4': 'cancelled' },
      underReview: false,
    });
    expect(tallyOf('g1!#141').shootOut).toBeNull();
  });

  test('is of the shoot-out in its phases alone', () => {
    for (const phase of ['16', '141', '142', '13'])
      expect(tallyOf(`g1#${phase}`)).toMatchObject({ score: home(0), shootOut: home(1) });
    for (const phase of ['36', '33', '11', '14', '-'])
      expect(tallyOf(`g1#${phase}`)).toMatchObject({ score: home(1), shootOut: null });
  });
});

describe('a goal is void (law 6)', () => {
  test.each<[why: string, timeline: string, voided: string | undefined]>([
    ['removed, before any other reason', 'g1!/ c2>1', 'removed'],
    ['cancelled, before being named', 'g1! c2>1', 'cancelled'],
    ['named by a confirmed 424', 'g1 c2>1', 'goal_cancelled'],
    ['named by a 424 without confirmation', 'g1 c2?>1', 'goal_cancelled'],
    ['not by a 424 that awaits confirmation', 'g1 c2~>1', undefined],
    ['not by a cancelled 424', 'g1 c2!>1', undefined],
    ['not by a removed 424', 'g1 c2/>1', undefined],
    ['by a 424 whose parent has a later id', 'c0>1 g1', 'goal_cancelled'],
    ['by a 424 with a parent of any side, phase or time', 'g1@0 c2a>1#141@5400', 'goal_cancelled'],
    ['named by two, one of them awaiting confirmation', 'g1 c2~>1 c3>1', 'goal_cancelled'],
  ])('%s', (_, timeline, voided) => {
    expect(tallyOf(timeline).voided['5-1']).toBe(voided);
  });

  test('and is subtracted once, and no earlier goal with it, when reported in all three ways', () => {
    expect(tallyOf('g1@300 g2!/@600 c3@640')).toMatchObject({
      score: home(1),
      counting: ['5-1'],
      voided: { '5-2': 'removed' },
      orphans: [],
    });
  });
});

test.each<[why: string, timeline: string, firm: number, underReview: boolean]>([
  ['a confirmed goal', 'g1', 1, false],
  ['a goal without confirmation', 'g1?', 1, false],
  ['a goal that awaits confirmation', 'g1~', 0, true],
  ['a goal named by a 424 that awaits confirmation', 'g1 c2~', 1, true],
  ['a void goal named by one', 'g1! c2~', 0, false],
  ['an orphan that awaits confirmation', 'c2~', 0, false],
])('the firm score and review (law 7): %s', (_, timeline, firm, underReview) => {
  expect(tallyOf(timeline)).toMatchObject({ firm: home(firm), underReview });
});

test.each<
  [why: string, timeline: string, score: number, firm: number, underReview: boolean, missing: boolean]
>([
  ['a goal', 'g1*', 1, 0, true, true],
  ['another goal', 'g1 g3*', 2, 1, true, true],
  ['a goal that is cancelled', 'g1!*', 0, 0, false, false],
  ['a goal that a 424 names', 'g1* c2>1', 0, 0, false, false],
  ['a 424 that names a goal', 'g1 c2*>1', 0, 0, false, true],
  ['a 424 that awaits confirmation', 'g1 c2~*>1', 1, 1, true, true],
  ['a 424 that names no goal', 'g1 c2*>9', 1, 1, false, false],
  ['a kick', 'g1*#141', 0, 0, false, true],
])('a missing incident (laws 3 and 7): %s', (_, timeline, score, firm, underReview, missing) => {
  expect(tallyOf(timeline)).toMatchObject({ score: home(score), firm: home(firm), underReview, missing });
});

test('has the side of each goal of play that has one, void or not', () => {
  expect([...tallyOf('g1 g2a! g3u g4#141').sides]).toEqual([
    ['5-1', 'home'],
    ['5-2', 'away'],
  ]);
});

test.each<[why: string, timeline: string, unexplainedAt: number | null]>([
  ['none', 'g1 c2', null],
  ['one', 'c10>99+10', 10],
  ['the latest of several', 'c12>99+12 c11>99+11', 12],
  ['without a confirmation', 'c10?>99+10', 10],
  ['not one that awaits confirmation', 'c10>99+10 c11~>99+11', 10],
  ['not a cancelled one', 'c10!>99+10', null],
  ['not a removed one', 'c10/>99+10', null],
  ['a goal that is confirmed after it', 'g1+20 c10>1+10', 20],
  ['not one that is confirmed before one of several', 'g1+20 c10>1+10 c11>1+30', null],
  ['a goal that is confirmed by a later message of the second', 'g1+20=9 c10>1+20=8', 20],
  ['not by an earlier one', 'g1+20=8 c10>1+20=9', null],
  ['not by the same one', 'g1+20=8 c10>1+20=8', null],
  ['not after one of a list', 'g1+20=8 c10>1+20', null],
  ['not one of a list', 'g1+20 c10>1+20=8', null],
])('what no goal explains has the time of its record: %s', (_, timeline, unexplainedAt) => {
  expect(tallyOf(timeline).unexplainedAt).toBe(unexplainedAt);
});

test('names the cancellations that stand by the goal which they void', () => {
  expect(tallyOf('g1 c2>1 c3~>1 g4! c5>4 g6!').voidBy).toEqual({ '5-1': ['5-2'], '5-4': ['5-5'] });
});

test('lists all goals that are not void, those of the shoot-out and of unknown sides included', () => {
  expect(numbers(tallyOf('g1 g2! g3#141 g4u').valid)).toBe('1 3 4');
});

test('tells the score after each goal; an unknown goal and one of no side have none', () => {
  const goals = [HOME, AWAY, 999, HOME].map((participant_id, at) =>
    incident(`5-${at + 1}`, 413, { participant_id }),
  );
  const incidents = new Map<string, Incident | null>(goals.map((one) => [one.id, one]));
  incidents.set('5-5', null);
  const ids = ['5-1', '5-2', '5-3', '5-4', '5-5', '5-6'];
  expect([...scoresAfter(ids, incidents, sides)]).toEqual([
    ['5-1', { home: 1, away: 0 }],
    ['5-2', { home: 1, away: 1 }],
    ['5-4', { home: 2, away: 1 }],
  ]);
});

test.each<[why: string, timeline: string, voided: string, orphans?: string]>([
  ['names the nearest goal before it', 'g1 g2 c3', '2'],
  ['names none after it', 'c1 g2', '', '1'],
  ['names none of the other side', 'g1a c2', '', '2'],
  ['names an own goal of the rival', 'o1a c2', '1'],
  ['uses its own `for`', 'g1 c2a^rival', '1'],
  ['names one at most ten minutes before', 'g1@0 c2@600', '1'],
  ['names none more than ten minutes before', 'g1@0 c2@601', '', '2'],
  ['names none more than ten minutes after: match time is not the order', 'g1@1201 c2', '', '2'],
  ['names one of unknown time', 'g1@- c2', '1'],
  ['of unknown time, names one of any time', 'g1@5400 c2@-', '1'],
  ['of unknown time, names one of unknown time', 'g1@- c2@-', '1'],
  ['prefers a near goal of unknown time to a farther one of its own minute', 'g1 g2@- c3', '2'],
  ['of unknown time, names the nearest in id order, whatever the times', 'g1@600 g2@0 c3@-', '2'],
  ['long after the first minutes, names one of unknown time', 'g1@- c2@5000', '1'],
  ['of unknown time, still names none after it or of the other side', 'g1a c2@- g3@-', '', '2'],
  ['of play, skips a goal of the shoot-out', 'g1 g2#141 c3', '1'],
  ['of the shoot-out, skips a goal of play', 'g1#141 g2#36 c3#141', '1'],
  ['of the shoot-out, names no goal of play', 'g1 c2#16', '', '2'],
  ['of the shoot-out and of unknown time, names no goal of play', 'g1 c2#141@-', '', '2'],
  ['names one of another phase of the shoot-out', 'g1#16 c2#141', '1'],
  ['names one of another phase of play', 'g1#33 c2#9', '1'],
  ['of unknown phase, counts as play', 'g1#34 g2#141 c3#-', '1'],
  ['names a goal of unknown phase as one of play', 'g1#- c2', '1'],
  ['skips a goal that a parent named', 'g1 g2 c3 c9>2', '1 2'],
  ['names one goal each', 'g1 g2 c3@500 c4@561', '1 2'],
  ['names a void one too', 'g1 g2! c3', '2'],
  ['names a removed one too', 'g1 g2/ c3', '2'],
  ['cancelled, leaves its goal to the next one', 'g1 g2 c3!@500 c4@561', '2'],
  ['removed, leaves its goal to the next one', 'g1 g2 c3/@500 c4@561', '2'],
  ['awaiting confirmation, keeps its goal from the next one', 'g1 g2 c3~@500 c4@561', '1'],
  ['with a parent that is no goal, is an orphan', 'g1 c2>7', '', '2'],
  ['of no side, is an orphan', 'g1x c2x', '', '2'],
  ['of an own goal comes under the scorer’s team', 'o1 c2', '1'],
  ['of an own goal comes under the team that it counts for', 'o1 c2a', '1'],
  ['names the nearest of a goal and an own goal of its participant', 'o1 g2 c3', '2'],
  ['of no participant names no own goal of none', 'o1x c2x', '', '2'],
  ['of an unknown team names no own goal', 'o1 c2u', '', '2'],
  ['of the scorer’s team names no goal for the rival that is no own goal', 'g1^rival c2', '', '2'],
  ['repeats one of at most 60 s before', 'g1 g2 c3@600 c4@660', '2'],
  ['repeats one of at most 60 s after, as match time is not the order', 'g1 g2 c3@660 c4@600', '2'],
  ['repeats none of 61 s before', 'g1 g2 c3@600 c4@661', '1 2'],
  ['of unknown time repeats none', 'g1 g2 c3 c4@-', '1 2'],
  ['of unknown time repeats none of unknown time', 'g1 g2 c3@- c4@-', '1 2'],
  ['of unknown time repeats none of the first minute', 'g1 g2 c3@30 c4@-', '1 2'],
  ['repeats none of unknown time', 'g1 g2 c3@- c4', '1 2'],
  ['of the first minute repeats none of unknown time', 'g1 g2 c3@- c4@30', '1 2'],
  ['repeats none before a goal that fits', 'g1 c2 g3 c4', '1 3'],
  ['repeats none before the last of several goals that fit', 'g1 g2 c3 g4 c5', '2 4'],
  ['repeats one before a goal of the other side', 'g1 g2 c3 g4a c5', '2'],
  ['repeats one with a parent', 'g1 g2 c3>2 c4', '2'],
  ['repeats none with a parent that does not fit it', 'g1 g2a c3>2 c4', '1 2'],
  ['repeats none whose parent is no goal', 'g1 c3>9 c4', '1', '3'],
  ['repeats the latest of several', 'g1 g2 c3@600 c4@661 c5@650', '1 2'],
  ['three in a row, each close to the one before, are one decision', 'g1 g2 c3@600 c4@660 c5@720', '2'],
  ['repeats none after it in the order of ids', 'g1 g2 c3 c4>1', '1 2'],
  ['repeats one that awaits confirmation, and confirms it', 'g1 g2 c3~ c4', '2'],
  ['that awaits confirmation repeats one that stands', 'g1 g2 c3 c4~', '2'],
  ['repeats none that is an orphan', 'g1@0 c2@640 c3@600', '1', '2'],
  ['lists orphans in order', 'c1 c2>7 c3', '', '1 2 3'],
])('a cancellation without a parent (law 6): %s', (_, timeline, voided, orphans = '') => {
  const result = tallyOf(timeline);
  expect([numbers(Object.keys(result.voided)), numbers(result.orphans)]).toEqual([voided, orphans]);
});

test('lists the incidents that name each goal (law 6)', () => {
  const known = (one: Incident, removed = false) => ({ id: one.id, incident: one, removed, missing: false });
  const cancels = (id: string, options = {}) => incident(id, 424, options);
  const goals = ['5-1', '5-2', '5-3'].map((id) => known(incident(id, 413)));
  const cancellations = [
    known(cancels('5-4', { parent_id: '5-1', event_time: 0 })),
    known(cancels('5-5', { parent_id: '5-1', confirmation: 'tbd' })),
    known(cancels('5-6', { event_time: 1_000 })),
    known(cancels('5-7'), true),
    known(cancels('5-8', { parent_id: '5-9' })),
  ];
  const unseen = { id: '5-0', incident: null, removed: false, missing: false };
  const [of, by] = [goals, cancellations].map((some) => [unseen, ...some].filter(hasBody));
  const { naming } = nameGoals(of ?? [], by ?? [], sides);
  const named = Array.from(naming, ([id, some]) => [id, numbers(some.map((one) => one.id))]);
  expect(Object.fromEntries(named)).toEqual({ '5-1': '4 5', '5-3': '6' });
});

test('two scores are equal only if both sides are; an unknown score equals only an unknown one', () => {
  const score = { home: 1, away: 2 };
  expect(sameScore(score, { home: 1, away: 2 })).toBe(true);
  expect(sameScore(score, { home: 2, away: 2 })).toBe(false);
  expect(sameScore(score, { home: 1, away: 1 })).toBe(false);
  expect(sameScore(null, { home: 0, away: 0 })).toBe(false);
  expect(sameScore(null, null)).toBe(true);
});
