import { expect, test, vi } from 'vitest';
import type { OutputRecord } from '#streams/client/port.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { ProgressLog } from './progress-log.ts';
import { started } from './testing/delivery-world.ts';

/** Creates a log whose transactions last until `end` is called with an error or none. Returns the keys of each. */
function world() {
  const transactions: string[][] = [];
  let pending = Promise.withResolvers<void>();
  const end = (error?: Error): void => {
    if (error === undefined) pending.resolve();
    else pending.reject(error);
    pending = Promise.withResolvers();
  };
  const producer = {
    transact: (records: readonly OutputRecord[]) => {
      transactions.push(records.map(({ key, value }) => `${key}${value === null ? ' removed' : ''}`));
      return pending.promise;
    },
    requireDecided: async () => {},
  };
  const log = new ProgressLog(producer, { topic: 't', partition: 1 }, codecOf('webhook-progress'));
  return { log, transactions, end };
}

test('writes the last progress of each subscription within a quarter of a second, or at once on demand', async () => {
  vi.useFakeTimers();
  const { log, transactions, end } = world();
  void log.write('a', started(1));
  void log.write('a', null);
  const last = log.write('b', started(1));
  await vi.advanceTimersByTimeAsync(249);
  expect(transactions).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(transactions).toEqual([['a removed', 'b']]);
  vi.useRealTimers();
  // One transaction at a time: what changes meanwhile is in the next one.
  const next = log.write('c', started(1));
  log.flush();
  expect(transactions).toHaveLength(1);
  end();
  await last;
  await vi.waitFor(() => expect(transactions).toEqual([['a removed', 'b'], ['c']]));
  end();
  await next;
});

test('writes nothing after a transaction has failed, and rejects what waits', async () => {
  const { log, transactions, end } = world();
  const [first, error] = [log.write('a', started(1)), new Error('fenced')];
  log.flush();
  await vi.waitFor(() => expect(transactions).toHaveLength(1));
  const second = log.write('b', started(1));
  end(error);
  await expect(first).rejects.toBe(error);
  await expect(second).rejects.toBe(error);
  await expect(log.write('c', started(1))).rejects.toBe(error);
  expect(log.failed.reason).toBe(error);
  log.flush();
  expect(transactions).toHaveLength(1);
});
