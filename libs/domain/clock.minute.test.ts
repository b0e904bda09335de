import { describe, expect, test } from 'vitest';
import { playedMinute, renderMinute, type TimedMatch } from './clock.ts';

const at = (minutes: number, seconds: number) => minutes * 60 + seconds;

describe('renderMinute (rule 7)', () => {
  test.each([
    { time: at(0, 0), phase: 33, shown: '0' },
    { time: at(0, 1), phase: 33, shown: '1' },
    { time: at(22, 0), phase: 33, shown: '22' },
    { time: at(22, 59), phase: 33, shown: '23' },
    { time: at(44, 1), phase: 33, shown: '45' },
    { time: at(45, 0), phase: 33, shown: '45' },
    { time: at(45, 1), phase: 33, shown: '45+1' },
    { time: at(46, 30), phase: 33, shown: '45+2' },
    { time: at(46, 30), phase: 34, shown: '47' },
    { time: at(90, 0), phase: 34, shown: '90' },
    { time: at(95, 20), phase: 34, shown: '90+6' },
    { time: at(95, 20), phase: 35, shown: '96' },
    { time: at(105, 1), phase: 35, shown: '105+1' },
    { time: at(120, 0), phase: 36, shown: '120' },
    { time: at(122, 0), phase: 36, shown: '120+2' },
    { time: at(120, 0), phase: 141, shown: '120' },
    { time: at(95, 20), phase: null, shown: '96' },
  ])('renders $time s in phase $phase as $shown', ({ time, phase, shown }) => {
    expect(renderMinute(time, phase)).toBe(shown);
  });
});

describe('the minute in play', () => {
  const READ_AT = 1_790_000_000;
  /** Ten minutes into a half, as read just now. */
  const match = (changes: Partial<TimedMatch> = {}): TimedMatch => ({
    clock: { time: 600, status: 'running', ut: READ_AT },
    status_id: 34,
    ut: READ_AT,
    received_at: READ_AT * 1000,
    ...changes,
  });

  test.each<[why: string, shown: string | null, after?: number, changes?: Partial<TimedMatch>]>([
    ['counts the first half', '55'],
    ['advances from the receipt of the last message', '56', 30],
    ['stands still once the match is quiet', '56', 3_600],
    ['never runs back', '55', -3_600],
    ['advances from a message after the reading', '57', 0, { ut: READ_AT + 90 }],
    ['advances from the reading when the message is older', '55', 0, { ut: 0 }],
    ['does not depend on the clock of the provider', '55', 9_000, { received_at: (READ_AT + 9_000) * 1000 }],
    ['is 90 in a shoot-out after two halves', '90', 0, { status_id: 141, extra_time: false }],
    ['is 90 at the end, without any reading', '90', 0, { status_id: 11, clock: null }],
    ['is unknown before the first period', null, 0, { status_id: 1 }],
    ['is unknown when the status is unknown', null, 0, { status_id: null }],
  ])('%s', (_, shown, after = 0, changes = {}) => {
    expect(playedMinute(match(changes), READ_AT + after)).toBe(shown);
  });
});
