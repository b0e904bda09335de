import { expect, test } from 'vitest';
import { courseOf } from './course.ts';
import { matchDetails } from './match-details.ts';
import { PlayedViews } from './testing/playing.ts';
import { SERBIA_BRAZIL as match, playSerbiaBrazil } from './testing/scenes.ts';

const NOW = 1_790_000_000;

test('covers the time of the match with guards without gaps, and has every score', () => {
  const played = new PlayedViews();
  playSerbiaBrazil(played, NOW);
  const course = matchDetails(played.views, match.id, NOW)?.course;
  const kickOff = NOW - 83 * 60;
  expect(course).toMatchObject({ from: kickOff, to: kickOff + 82 * 60 });
  const minutes = course?.scores.map(({ at, score }) => [(at - kickOff) / 60, score]);
  expect(minutes).toEqual([
    [0, '0–0'],
    [36, '0–1'],
    [71, '1–1'],
    [73, '0–1'],
    [82, '0–2'],
  ]);
  const guards = course?.guards ?? [];
  expect(guards[0]).toEqual({ from: kickOff, to: kickOff + 36 * 60, safe: true });
  for (const [n, guard] of guards.entries()) expect(guard.from).toBe(guards[n - 1]?.to ?? kickOff);
  expect(guards.at(-1)?.to).toBe(course?.to);
});

test('returns null for a match without a story', () => {
  expect(courseOf([], NOW)).toBeNull();
});
