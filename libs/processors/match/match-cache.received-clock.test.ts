import { expect, test } from 'vitest';
import { ReceivedClock } from './match-cache.ts';

const YEARS = 315_360_000_000;

test.each([
  ['follows the times of receipt', [0, 1_000, 30_000], 30_000],
  ['ignores differences of some seconds between receivers', [0, 5_000, 1_000, 6_000, 2_000], 6_000],
  ['moves by a minute at most', [0, 3_600_000], 60_000],
  ['moves by a minute for one message far ahead', [0, YEARS, 1_000, 2_000], 61_000],
  ['follows a clock that has stepped ahead', [0, YEARS, YEARS + 1_000], 61_000],
  ['follows a clock that has stepped back', [YEARS, 0, 1_000], 1_000],
])('the clock of receipt %s', (_, times, elapsed) => {
  const clock = new ReceivedClock();
  for (const time of times) clock.follow(1_790_000_000_000 + time);
  expect(clock.elapsedMs).toBe(elapsed);
});
