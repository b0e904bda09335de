import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BatchGatherer } from './batch-gatherer.ts';

function recordingGatherer(intervalMs = 0) {
  const applied: number[][] = [];
  const gatherer = new BatchGatherer<number>({
    intervalMs,
    sizeOf: (size) => size,
    apply: (items) => {
      if (items.includes(13)) throw new Error('unlucky');
      applied.push([...items]);
    },
  });
  return { gatherer, applied };
}

test('applies the items of one turn of the event loop together', async () => {
  const { gatherer, applied } = recordingGatherer();
  for (const item of [1, 2, 3]) await gatherer.add(item);
  expect(applied).toEqual([]);
  await turn();
  await gatherer.add(4);
  await turn();
  expect(applied).toEqual([[1, 2, 3], [4]]);
});

test('applies a full batch at once', async () => {
  const { gatherer, applied } = recordingGatherer();
  for (const item of [300, 200, 1]) await gatherer.add(item);
  expect(applied).toEqual([[300, 200]]);
});

test('delays an item that arrives too soon after a batch, once it has caught up', async () => {
  const { gatherer, applied } = recordingGatherer(30);
  await gatherer.add(1);
  await turn();
  await gatherer.add(2);
  await turn();
  expect(applied).toEqual([[1], [2]]);
  await gatherer.add(3);
  gatherer.caughtUp();
  const before = performance.now();
  await gatherer.add(4);
  // A timer may fire a millisecond early.
  expect(performance.now() - before).toBeGreaterThan(25);
  await turn();
  expect(applied).toEqual([[1], [2], [3], [4]]);
});

test('applies nothing after a failure, and rejects with its error', async () => {
  const { gatherer, applied } = recordingGatherer();
  await gatherer.add(13);
  await turn();
  expect(gatherer.failed.reason).toEqual(new Error('unlucky'));
  await expect(gatherer.add(1)).rejects.toThrow('unlucky');
  await turn();
  expect(applied).toEqual([]);
});

test('drops items that were not applied when it is closed', async () => {
  const { gatherer, applied } = recordingGatherer();
  await gatherer.add(1);
  gatherer.close();
  await turn();
  expect(applied).toEqual([]);
});
