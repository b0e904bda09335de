import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Steps } from './steps.ts';

function recorded(ms = 0) {
  const taken: number[][] = [];
  const steps = new Steps<number>({
    ms,
    sizeOf: (size) => size,
    take: (items) => {
      if (items.includes(13)) throw new Error('unlucky');
      taken.push([...items]);
    },
  });
  return { steps, taken };
}

test('takes together what comes in one turn of the event loop', async () => {
  const { steps, taken } = recorded();
  for (const item of [1, 2, 3]) await steps.add(item);
  expect(taken).toEqual([]);
  await turn();
  await steps.add(4);
  await turn();
  expect(taken).toEqual([[1, 2, 3], [4]]);
});

test('takes at once what is much', async () => {
  const { steps, taken } = recorded();
  for (const item of [300, 200, 1]) await steps.add(item);
  expect(taken).toEqual([[300, 200]]);
});

test('holds up whoever reads too soon after a step, once everything is live', async () => {
  const { steps, taken } = recorded(30);
  await steps.add(1);
  await turn();
  await steps.add(2);
  await turn();
  expect(taken).toEqual([[1], [2]]);
  await steps.add(3);
  steps.live();
  const before = performance.now();
  await steps.add(4);
  // A timer may be a millisecond early.
  expect(performance.now() - before).toBeGreaterThan(25);
  await turn();
  expect(taken).toEqual([[1], [2], [3], [4]]);
});

test('takes nothing after a failure, and says what it was', async () => {
  const { steps, taken } = recorded();
  await steps.add(13);
  await turn();
  expect(steps.failed.reason).toEqual(new Error('unlucky'));
  await expect(steps.add(1)).rejects.toThrow('unlucky');
  await turn();
  expect(taken).toEqual([]);
});

test('drops at its close what was not taken', async () => {
  const { steps, taken } = recorded();
  await steps.add(1);
  steps.close();
  await turn();
  expect(taken).toEqual([]);
});
