import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BatchGatherer, FULL_BATCH_RECORDS } from './batch-gatherer.ts';

function recordingGatherer() {
  const applied: number[][] = [];
  const gatherer = new BatchGatherer<number>({
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
  for (const item of [1, 2, 3]) void gatherer.add(item);
  expect(applied).toEqual([]);
  await turn();
  void gatherer.add(4);
  await turn();
  expect(applied).toEqual([[1, 2, 3], [4]]);
});

test('applies a full batch at once, and lets requests be answered before the next one', async () => {
  const { gatherer, applied } = recordingGatherer();
  const answered: number[] = [];
  setImmediate(() => answered.push(applied.length));
  for (const item of [FULL_BATCH_RECORDS - 1, 1, 2, FULL_BATCH_RECORDS]) await gatherer.add(item);
  expect(applied).toEqual([
    [FULL_BATCH_RECORDS - 1, 1],
    [2, FULL_BATCH_RECORDS],
  ]);
  expect(answered).toEqual([1]);
});

test('applies at once what is flushed', async () => {
  const { gatherer, applied } = recordingGatherer();
  void gatherer.add(1);
  gatherer.flush();
  expect(applied).toEqual([[1]]);
  await turn();
  expect(applied).toEqual([[1]]);
});

test('applies nothing after a failure, and rejects with its error', async () => {
  const { gatherer, applied } = recordingGatherer();
  void gatherer.add(13);
  await turn();
  expect(gatherer.failed.reason).toEqual(new Error('unlucky'));
  await expect(gatherer.add(1)).rejects.toThrow('unlucky');
  await turn();
  expect(applied).toEqual([]);
});

test('drops items that were not applied when it is closed', async () => {
  const { gatherer, applied } = recordingGatherer();
  void gatherer.add(1);
  gatherer.close();
  await turn();
  expect(applied).toEqual([]);
});
