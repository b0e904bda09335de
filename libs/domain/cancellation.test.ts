import { describe, expect, test } from 'vitest';
import type { Incident } from '#records/types.ts';
import { nameGoals } from './cancellation.ts';
import { hasBody } from './goal-facts.ts';
import { cancels, goal, sides, tally } from './testing/goals.ts';
import { AWAY, incident } from './testing/messages.ts';

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
