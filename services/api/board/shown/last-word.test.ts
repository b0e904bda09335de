import { expect, test } from 'vitest';
import { LastWord } from './last-word.ts';

/** A page whose clock is this far ahead of the server's hears a word a second for so many seconds. */
function hearing(seconds: number, ahead = 5_000): LastWord {
  const word = new LastWord();
  word.connect();
  for (let second = 1; second <= seconds; second += 1) word.hear(second * 1_000, ahead + second * 1_000 + 20);
  return word;
}

test('is infinitely old before the first word', () => {
  expect(new LastWord().age(1)).toBe(Number.POSITIVE_INFINITY);
});

test.each([5_000, -90_000])('ages from when it was heard, whatever the clocks show: %d ms apart', (ahead) => {
  expect(hearing(10, ahead).age(ahead + 11_520)).toBe(1_500);
});

test('is as old as it was late, where it was held up on its way', () => {
  const word = hearing(10);
  for (const second of [11, 12, 13]) word.hear(second * 1_000, 5_000 + 18_000);
  expect(word.age(5_000 + 18_000)).toBeGreaterThan(4_900);
  word.hear(18_000, 5_000 + 18_020);
  expect(word.age(5_000 + 18_020)).toBeLessThan(10);
});

test('counts anew with each connection', () => {
  const word = hearing(10);
  word.connect();
  word.hear(3, 60_000);
  expect(word.age(60_100)).toBe(100);
});

test('stays right for days where one clock is slower than the other', () => {
  const word = new LastWord();
  word.connect();
  for (let second = 0; second <= 3 * 86_400; second += 1) word.hear(second * 1_000, second * 1_000.1);
  expect(word.age(3 * 86_400 * 1_000.1)).toBeLessThan(1);
});
