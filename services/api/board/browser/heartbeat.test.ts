import { expect, test } from 'vitest';
import { HeartbeatAge } from './heartbeat.ts';

/** Receives a heartbeat each second on a page whose clock is `ahead` of the server's, milliseconds. */
function hearing(seconds: number, ahead = 5_000): HeartbeatAge {
  const word = new HeartbeatAge();
  word.connect();
  for (let second = 1; second <= seconds; second += 1)
    word.receive(second * 1_000, ahead + second * 1_000 + 20);
  return word;
}

test('is infinite before the first heartbeat', () => {
  expect(new HeartbeatAge().age(1)).toBe(Number.POSITIVE_INFINITY);
});

test.each([5_000, -90_000])(
  'counts from the receipt of a heartbeat when the clocks are %d ms apart',
  (ahead) => {
    expect(hearing(10, ahead).age(ahead + 11_520)).toBe(1_500);
  },
);

test('includes the delay of a heartbeat that was held up on its way', () => {
  const word = hearing(10);
  for (const second of [11, 12, 13]) word.receive(second * 1_000, 5_000 + 18_000);
  expect(word.age(5_000 + 18_000)).toBeGreaterThan(4_900);
  word.receive(18_000, 5_000 + 18_020);
  expect(word.age(5_000 + 18_020)).toBeLessThan(10);
});

test('measures delays anew with each connection', () => {
  const word = hearing(10);
  word.connect();
  word.receive(3, 60_000);
  expect(word.age(60_100)).toBe(100);
});

test('stays right for days when one clock is slower than the other', () => {
  const word = new HeartbeatAge();
  word.connect();
  for (let second = 0; second <= 3 * 86_400; second += 1) word.receive(second * 1_000, second * 1_000.1);
  expect(word.age(3 * 86_400 * 1_000.1)).toBeLessThan(1);
});
