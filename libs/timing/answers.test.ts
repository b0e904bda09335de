import { expect, test } from 'vitest';
import { Answers } from './answers.ts';

test('asks once for all who ask at once, and again after a failure, when forgotten, or when it is old', async () => {
  const kept = new Answers<number>();
  let asked = 0;
  const ask = async () => ++asked;
  expect(await Promise.all([kept.of('a', ask), kept.of('a', ask), kept.of('b', ask)])).toEqual([1, 1, 2]);
  kept.forget('a');
  expect([await kept.of('a', ask), await kept.of('b', ask)]).toEqual([3, 2]);
  kept.forget();
  await expect(kept.of('b', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(await kept.of('b', ask)).toBe(4);
  const old = new Answers<number>(0);
  expect([await old.of('a', ask), await old.of('a', ask)]).toEqual([5, 6]);
});
