import { describe, expect, test } from 'vitest';
import { extraTimePlayed, type PeriodLengths, periodLengths, SOCCER_LENGTHS } from './clock.ts';
import { eventOf } from './testing/messages.ts';

describe('extra time', () => {
  const side = (...results: readonly unknown[]) => ({ id: 1, counter: 1, results });
  const empty = side({ id: 134, value: '' });
  test.each<[played: boolean | null, why: string, participants: unknown]>([
    [null, 'no participants are reported', undefined],
    [null, 'no result of extra time is reported', [side({ id: 3, value: 1 })]],
    [false, 'its results are empty', [side({ id: 104, value: '' }, { id: 133, value: null }), empty]],
    [true, 'it ended without a goal', [side({ id: 104, value: '0' })]],
    [true, 'its first half has a result', [empty, side({ id: '133', value: 0 })]],
    [true, 'its second half has one', [side({ id: 134, value: 2 })]],
  ])('%s: %s', (played, _, participants) => {
    expect(extraTimePlayed(eventOf({ participants }).participants)).toBe(played);
  });
});

describe('the lengths of the periods of soccer', () => {
  const detail = (id: number, value: unknown) => ({ id, value });
  test.each<[why: string, lengths: PeriodLengths, details: unknown]>([
    ['none is reported', SOCCER_LENGTHS, undefined],
    ['the usual ones are reported', SOCCER_LENGTHS, [detail(16, 45), detail(50, 15)]],
    ['a half is shorter', { half: 40, extra_half: 15 }, [detail(16, '40'), detail(17, 2)]],
    ['extra time is shorter', { half: 45, extra_half: 10 }, [detail(50, 10)]],
    ['the match has four periods', SOCCER_LENGTHS, [detail(16, 20), detail(17, 4)]],
    ['a length is none', SOCCER_LENGTHS, [detail(16, 0), detail(50, 61)]],
    ['the longest and the shortest', { half: 60, extra_half: 1 }, [detail(16, 60), detail(50, 1)]],
  ])('%s', (_, lengths, given) => {
    const details = eventOf({ details: given }).details ?? [];
    expect(periodLengths(5, details)).toEqual(lengths);
    expect(periodLengths(null, details)).toEqual(lengths);
    const others = [1, 78, 79].map((sport) => periodLengths(sport, details));
    expect(others).toEqual(['unknown', 'no_clock', 'unknown']);
  });
});
