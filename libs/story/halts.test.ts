import { expect, test } from 'vitest';
import { type Course, type CourseStretch, haltsOf, reasonTotals } from './course.ts';

/** Returns a stretch; with reasons it is halted. */
const stretch = (from: number, to: number, ...reasons: string[]): CourseStretch => ({
  from,
  to,
  permission: reasons.length === 0 ? 'safe' : 'halted',
  reasons,
  believed: true,
});

const COURSE: Course = {
  from: 0,
  to: 900,
  stretches: [
    stretch(0, 100),
    stretch(100, 150, 'possible_goal'),
    stretch(150, 200, 'possible_goal', 'under_review'),
    stretch(200, 800),
    stretch(800, 900, 'feed_stale'),
  ],
  scores: [
    { at: 0, score: '0–0' },
    { at: 150, score: '1–0' },
  ],
};

test('stretches that follow each other are one halt, with the score at its begin', () => {
  expect(haltsOf(COURSE, false)).toEqual([
    { from: 100, to: 200, reasons: ['possible_goal', 'under_review'], score: '0–0' },
    { from: 800, to: null, reasons: ['feed_stale'], score: '1–0' },
  ]);
});

test('the last halt of a match that is over does not go on', () => {
  expect(haltsOf(COURSE, true).at(-1)).toMatchObject({ from: 800, to: 900 });
});

test('a halt counts for each of its reasons, one that goes on until now', () => {
  const another = { from: 0, to: 10, reasons: ['under_review'], score: null };
  expect(reasonTotals([...haltsOf(COURSE, false), another], 1_000)).toEqual([
    { reason: 'under_review', halts: 2, duration: 110 },
    { reason: 'feed_stale', halts: 1, duration: 200 },
    { reason: 'possible_goal', halts: 1, duration: 100 },
  ]);
});
