import type { ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ViewsWorld } from '#views/testing/world.ts';
import { Hub } from './hub.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  // The spy stands on the clock of the fake timers.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('a process that stood still reads on before its word counts, for readers and for those that come', async () => {
  const { views: view } = new ViewsWorld();
  const hub = new Hub({ view, now: () => 1, metrics: new Registry(), maxReaders: 2 });
  onTestFinished(() => hub.close());
  const written: string[] = [];
  const response = { write: (text: string) => written.push(text) > 0, on() {}, once() {}, end() {} };
  const sight = { match: () => true, season: () => true, lasts: () => true };
  hub.join(response as unknown as ServerResponse, { kind: 'board' }, sight, []);
  const beats = () => written.filter((text) => text.startsWith('event: beat')).length;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(beats()).toBe(2);
  await hub.counts();
  const still = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(beats()).toBe(2);
  let counts = false;
  void hub.counts().then(() => {
    counts = true;
  });
  await vi.advanceTimersByTimeAsync(800);
  expect(counts).toBe(false);
  still.mockReturnValue(performance.now() + 1_000);
  await vi.advanceTimersByTimeAsync(200);
  expect([counts, beats()]).toEqual([true, 3]);
});
