import { expect, test, vi } from 'vitest';
import type { WebhookProgress } from '#records/types.ts';
import type { OutputRecord, StreamClient } from '#streams/client/port.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { ownPartition, ProgressLog } from './progress-log.ts';
import { started } from './testing/delivery-world.ts';

const codec = codecOf('webhook-progress');

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
  const log = new ProgressLog({ producer, of: { topic: 't', partition: 1 }, codec });
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
  const isWritten = vi.fn();
  void next.then(isWritten);
  log.flush();
  expect(transactions).toHaveLength(1);
  end();
  await last;
  await vi.waitFor(() => expect(transactions).toEqual([['a removed', 'b'], ['c']]));
  expect(isWritten).not.toHaveBeenCalled();
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

test('an owner reads the progress after it fenced the previous one, without what nobody can read, and closes at its end', async () => {
  const record = (offset: number, key: string, value: Buffer | null) => {
    return { offset, timestamp: 0, key: Buffer.from(key), value };
  };
  const records = [
    record(0, 's', codec.encode(started(1))),
    record(1, 'gone', codec.encode({ ...started(1), subscription_id: 'gone' })),
    record(2, 's', codec.encode(started(2))),
    record(3, 'gone', null),
    record(4, 's', Buffer.from('no progress')),
  ];
  const steps: string[] = [];
  const client = {
    openProducer: async () => {
      steps.push('fence');
      return { requireDecided: async () => {}, close: async () => void steps.push('close') };
    },
    logBounds: async () => [{ start: 0, end: records.length }],
    openReader: () => ({ read: async () => ({ records, next: records.length }), close: async () => {} }),
  } as unknown as StreamClient;
  const over = new AbortController();
  const dispatcher = {
    claim: async (_: number, progress: ReadonlyMap<string, WebhookProgress>) => {
      steps.push(`claim ${[...progress.keys()]} at ${progress.get('s')?.next[0]?.offset}`);
      over.abort();
    },
    release: async () => void steps.push('release'),
  };
  await ownPartition({ client, topic: 't', application: 'a', codec }, dispatcher, 1, { signal: over.signal });
  expect(steps).toEqual(['fence', 'claim s at 2', 'release', 'close']);
});
