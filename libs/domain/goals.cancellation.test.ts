import { describe, expect, test } from 'vitest';
import { cancels, goal, tally } from './testing/goals.ts';
import { AWAY, incident } from './testing/messages.ts';

describe('a cancellation without a parent (law 6)', () => {
  test.each([
    {
      why: 'names the nearest goal before it',
      timeline: [goal('5-1'), goal('5-2'), cancels('5-3')],
      voided: ['5-2'],
    },
    { why: 'names none after it', timeline: [cancels('5-1'), goal('5-2')], voided: [], orphans: ['5-1'] },
    {
      why: 'names none of the other side',
      timeline: [goal('5-1', { participant_id: AWAY }), cancels('5-2')],
      voided: [],
      orphans: ['5-2'],
    },
    {
      why: 'names an own goal of the rival',
      timeline: [incident('5-1', 423, { participant_id: AWAY }), cancels('5-2')],
      voided: ['5-1'],
    },
    {
      why: 'uses its own `for`',
      timeline: [goal('5-1'), cancels('5-2', { participant_id: AWAY, counts_for: 'rival' })],
      voided: ['5-1'],
    },
    {
      why: 'names one at most ten minutes before',
      timeline: [goal('5-1', { event_time: 0 }), cancels('5-2', { event_time: 600 })],
      voided: ['5-1'],
    },
    {
      why: 'names none more than ten minutes before',
      timeline: [goal('5-1', { event_time: 0 }), cancels('5-2', { event_time: 601 })],
      voided: [],
      orphans: ['5-2'],
    },
    {
      why: 'names none more than ten minutes after: match time is not the order',
      timeline: [goal('5-1', { event_time: 1201 }), cancels('5-2')],
      voided: [],
      orphans: ['5-2'],
    },
    {
      why: 'names one of unknown time',
      timeline: [goal('5-1', { event_time: null }), cancels('5-2')],
      voided: ['5-1'],
    },
    {
      why: 'of unknown time, names one of any time',
      timeline: [goal('5-1', { event_time: 5400 }), cancels('5-2', { event_time: null })],
      voided: ['5-1'],
    },
    {
      why: 'of unknown time, names one of unknown time',
      timeline: [goal('5-1', { event_time: null }), cancels('5-2', { event_time: null })],
      voided: ['5-1'],
    },
    {
      why: 'prefers a near goal of unknown time to a farther one of its own minute',
      timeline: [goal('5-1'), goal('5-2', { event_time: null }), cancels('5-3')],
      voided: ['5-2'],
    },
    {
      why: 'of unknown time, names the nearest in id order, whatever the times',
      timeline: [
        goal('5-1', { event_time: 600 }),
        goal('5-2', { event_time: 0 }),
        cancels('5-3', { event_time: null }),
      ],
      voided: ['5-2'],
    },
    {
      why: 'long after the first minutes, names one of unknown time',
      timeline: [goal('5-1', { event_time: null }), cancels('5-2', { event_time: 5_000 })],
      voided: ['5-1'],
    },
    {
      why: 'of unknown time, still names none after it or of the other side',
      timeline: [
        goal('5-1', { participant_id: AWAY }),
        cancels('5-2', { event_time: null }),
        goal('5-3', { event_time: null }),
      ],
      voided: [],
      orphans: ['5-2'],
    },
    {
      why: 'of play, skips a goal of the shoot-out',
      timeline: [goal('5-1'), goal('5-2', { event_status_id: 141 }), cancels('5-3')],
      voided: ['5-1'],
    },
    {
      why: 'of the shoot-out, skips a goal of play',
      timeline: [
        goal('5-1', { event_status_id: 141 }),
        goal('5-2', { event_status_id: 36 }),
        cancels('5-3', { event_status_id: 141 }),
      ],
      voided: ['5-1'],
    },
    {
      why: 'of the shoot-out, names no goal of play',
      timeline: [goal('5-1'), cancels('5-2', { event_status_id: 16 })],
      voided: [],
      orphans: ['5-2'],
    },
    {
      why: 'of the shoot-out and of unknown time, names no goal of play',
      timeline: [goal('5-1'), cancels('5-2', { event_status_id: 141, event_time: null })],
      voided: [],
      orphans: ['5-2'],
    },
    {
      why: 'names one of another phase of the shoot-out',
      timeline: [goal('5-1', { event_status_id: 16 }), cancels('5-2', { event_status_id: 141 })],
      voided: ['5-1'],
    },
    {
      why: 'names one of another phase of play',
      timeline: [goal('5-1', { event_status_id: 33 }), cancels('5-2', { event_status_id: 9 })],
      voided: ['5-1'],
    },
    {
      why: 'of unknown phase, counts as play',
      timeline: [
        goal('5-1', { event_status_id: 34 }),
        goal('5-2', { event_status_id: 141 }),
        cancels('5-3', { event_status_id: null }),
      ],
      voided: ['5-1'],
    },
    {
      why: 'names a goal of unknown phase as one of play',
      timeline: [goal('5-1', { event_status_id: null }), cancels('5-2')],
      voided: ['5-1'],
    },
    {
      why: 'skips a goal that a parent named',
      timeline: [goal('5-1'), goal('5-2'), cancels('5-3'), cancels('5-9', { parent_id: '5-2' })],
      voided: ['5-1', '5-2'],
    },
    {
      why: 'names one goal each',
      timeline: [goal('5-1'), goal('5-2'), cancels('5-3'), cancels('5-4')],
      voided: ['5-1', '5-2'],
    },
    {
      why: 'names a void one too',
      timeline: [goal('5-1'), goal('5-2', { confirmation: 'cancelled' }), cancels('5-3')],
      voided: ['5-2'],
    },
    {
      why: 'names a removed one too',
      timeline: [goal('5-1'), goal('5-2'), cancels('5-3')],
      removed: ['5-2'],
      voided: ['5-2'],
    },
    {
      why: 'cancelled, leaves its goal to the next one',
      timeline: [goal('5-1'), goal('5-2'), cancels('5-3', { confirmation: 'cancelled' }), cancels('5-4')],
      voided: ['5-2'],
    },
    {
      why: 'removed, leaves its goal to the next one',
      timeline: [goal('5-1'), goal('5-2'), cancels('5-3'), cancels('5-4')],
      removed: ['5-3'],
      voided: ['5-2'],
    },
    {
      why: 'awaiting confirmation, keeps its goal from the next one',
      timeline: [goal('5-1'), goal('5-2'), cancels('5-3', { confirmation: 'tbd' }), cancels('5-4')],
      voided: ['5-1'],
    },
    {
      why: 'with a parent that is no goal, is an orphan',
      timeline: [goal('5-1'), cancels('5-2', { parent_id: '5-7' })],
      voided: [],
      orphans: ['5-2'],
    },
    {
      why: 'of no side, is an orphan',
      timeline: [goal('5-1', { participant_id: null }), cancels('5-2', { participant_id: null })],
      voided: [],
      orphans: ['5-2'],
    },
    {
      why: 'lists orphans in order',
      timeline: [cancels('5-1'), cancels('5-2', { parent_id: '5-7' })],
      voided: [],
      orphans: ['5-1', '5-2'],
    },
  ])('$why', ({ timeline, removed, voided, orphans }) => {
    const result = tally(timeline, removed);
    expect(Object.keys(result.voided)).toEqual(voided);
    expect(result.orphans).toEqual(orphans ?? []);
  });
});
