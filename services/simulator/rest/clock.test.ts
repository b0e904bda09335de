import { expect, test } from 'vitest';
import { playClock } from './clock.ts';

const STRETCHES = [
  { startsAt: 1_000, endsAt: 1_100 },
  { startsAt: 5_000, endsAt: 5_050 },
];

test('runs at its speed, jumps over the gaps and continues after the last message', () => {
  let real = 7;
  const clock = playClock(STRETCHES, 10, () => real);
  const at = (seconds: number): number => {
    real = 7 + seconds;
    return clock.now();
  };
  expect(at(3)).toBe(1_000);
  real = 7;
  clock.start();
  const shown = [0, 1, 9.9, 10, 10.1, 14.9, 15, 20].map(at);
  expect(shown).toEqual([1_000, 1_010, 1_099, 1_100, 5_001, 5_049, 5_050, 5_100]);
});

test('follows `reach` at infinite speed, then runs in real time from the end', () => {
  let real = 0;
  const clock = playClock(STRETCHES, Number.POSITIVE_INFINITY, () => real);
  clock.start();
  real = 100;
  expect(clock.now()).toBe(1_000);
  clock.reach(120);
  expect(clock.now()).toBe(5_020);
  clock.reach(30);
  expect(clock.now()).toBe(5_020);
  clock.reach(Number.POSITIVE_INFINITY);
  real = 107;
  expect(clock.now()).toBe(5_057);
});
