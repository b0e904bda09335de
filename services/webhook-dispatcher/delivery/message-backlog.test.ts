import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Brokers } from '#security/brokers.ts';
import type { ReadBatch, StreamClient } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import type { Registry } from '#topics/registry.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { openBacklog } from './message-backlog.ts';
import { openMessageReader } from './message-reader.ts';

const codec = codecOf('webhook-messages');
const record = (offset: number) => ({
  offset,
  timestamp: 0,
  key: null,
  // Event 10 belongs to partition 0 of 2.
  value: codec.encode({ ...sampleOf('webhook-messages'), event_id: 10 }),
});
const batchOf = (...at: number[]): ReadBatch => {
  const next = (at.at(-1) ?? 0) + 1;
  return { records: at.map(record), next, end: next, written: next, epoch: null };
};

/** Opens both readers of two partitions that end at 100, with one pending read for each `<partition>/<offset>` in `reads`. */
async function world(concurrentReads = 2) {
  const reads: string[] = [];
  const pending: PromiseWithResolvers<ReadBatch>[] = [];
  const counts = { closed: 0 };
  const client = {
    partitionCount: async () => 2,
    logBounds: async (of: readonly unknown[]) => of.map(() => ({ start: 40, end: 100 })),
    openReader: ({ partition }: { partition: number }) => ({
      read: (offset: number) => {
        reads.push(`${partition}/${offset}`);
        const read = Promise.withResolvers<ReadBatch>();
        pending.push(read);
        return read.promise;
      },
      close: async () => {
        counts.closed += 1;
      },
    }),
  };
  const shared = {
    source: { brokers: {} as Brokers, prefix: '', registry: { decoder: () => codec } as unknown as Registry },
    client: client as unknown as StreamClient,
  };
  const latest = await openMessageReader({ ...shared, reader: 'test', windowBytes: 1_000_000 });
  const { partitions } = latest;
  const backlog = openBacklog({ ...shared, partitions, cacheBytes: 500_000, concurrentReads });
  const older = async (partition: number, offset: number) => {
    const { messages, next } = await backlog.read(partition, offset);
    return { offsets: Array.from(messages, (one) => one.offset), next };
  };
  return { latest, reads, pending, counts, older };
}

describe('older messages', () => {
  test('shares a pending read of older messages, and has its messages in a cache', async () => {
    const { reads, pending, older } = await world();
    const both = Promise.all([older(0, 50), older(0, 50)]);
    await turn();
    pending[0]?.resolve(batchOf(50, 52, 55));
    expect(await both).toEqual([
      { offsets: [50, 52, 55], next: 56 },
      { offsets: [50, 52, 55], next: 56 },
    ]);
    expect(await older(0, 51)).toEqual({ offsets: [52, 55], next: 56 });
    expect(reads).toEqual(['0/50']);
    void older(0, 56);
    void older(1, 51);
    await turn();
    expect(reads).toEqual(['0/50', '0/56', '1/51']);
  });

  test('reads again where a read found no message yet', async () => {
    const { reads, pending, older } = await world();
    const first = older(0, 50);
    await turn();
    pending[0]?.resolve({ ...batchOf(), next: 50 });
    expect(await first).toEqual({ offsets: [], next: 50 });
    void older(0, 50);
    await turn();
    expect(reads).toEqual(['0/50', '0/50']);
  });

  test('reads for as many as its limit allows at once; others wait in the order of their requests', async () => {
    const { reads, pending, older } = await world(2);
    const all = [50, 60, 70, 80].map((offset) => older(0, offset));
    await turn();
    expect(reads).toEqual(['0/50', '0/60']);
    pending[1]?.resolve(batchOf(60));
    await all[1];
    await turn();
    expect(reads).toEqual(['0/50', '0/60', '0/70']);
    pending[0]?.reject(new StreamError('UNAVAILABLE', 'as this test wants it'));
    await expect(all[0]).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await turn();
    expect(reads).toEqual(['0/50', '0/60', '0/70', '0/80']);
  });

  test('names the start of the log to who reads expired messages, and closes that reader', async () => {
    const { pending, counts, older } = await world();
    const read = older(0, 10);
    await turn();
    pending[0]?.reject(new StreamError('OFFSET_OUT_OF_RANGE', 'as this test wants it'));
    await expect(read).rejects.toMatchObject({ code: 'MESSAGES_EXPIRED', start: 40 });
    expect(counts.closed).toBe(1);
  });
});

test('the latest messages begin at the end of the log at the start', async () => {
  const { latest } = await world();
  expect([latest.partitions, latest.window.endOf(1), latest.window.latest(0, 99)]).toEqual([2, 100, null]);
  expect(latest.window.latest(0, 100)?.next).toBe(100);
});
