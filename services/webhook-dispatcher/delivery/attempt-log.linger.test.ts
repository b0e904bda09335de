import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Linger } from './attempt-log.ts';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

test('ends for all who joined, once the first one has waited for the whole time', async () => {
  const linger = new Linger(10);
  const ended: string[] = [];
  void linger.join().then(() => ended.push('first'));
  await vi.advanceTimersByTimeAsync(9);
  void linger.join().then(() => ended.push('second'));
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toEqual(['first', 'second']);
});

test('ends at once on end, and the next one waits for the whole time', async () => {
  const linger = new Linger(10);
  const ended: string[] = [];
  linger.end();
  void linger.join().then(() => ended.push('first'));
  await vi.advanceTimersByTimeAsync(5);
  linger.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toEqual(['first']);
  void linger.join().then(() => ended.push('second'));
  await vi.advanceTimersByTimeAsync(9);
  expect(ended).toEqual(['first']);
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toEqual(['first', 'second']);
});
