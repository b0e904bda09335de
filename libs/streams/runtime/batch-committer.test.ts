import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { type MachineClock, machineClock } from '#timing/clock.ts';
import { quietLog } from '../../../test/support/log.ts';
import { thrownBy } from '../../../test/support/thrown-by.ts';
import type { OutputRecord, WrittenBatch } from '../client/port.ts';
import { StreamError } from '../errors.ts';
import { BatchCommitter, isEnvironmentFault } from './batch-committer.ts';
import { Lifetime } from './lifetime.ts';
import { streamMetrics } from './metrics.ts';
import { parsePosition } from './positions.ts';
import type { PartitionProcessor, RecordCollector } from './processor.ts';
import type { TaskContext } from './stream-topics.ts';
import { Suspects } from './suspects.ts';
import { TaskLogs } from './task-logs.ts';
import { FakeProcessor } from './testing/fakes.ts';

/** A processor that writes one record to its changelog with each commit of records. */
class Writing extends FakeProcessor {
  readonly #values: (string | null)[];

  /** `values`: the values of the first commits; later commits write `value`. */
  constructor(values: readonly (string | null)[]) {
    super();
    this.#values = [...values];
  }

  override flush(collector: RecordCollector): void {
    const [value = 'value'] = this.#values.splice(0, 1);
    if (this.did.at(-1) === 'process')
      collector.add('changelog', 'key', value === null ? null : Buffer.from(value));
    super.flush(collector);
  }
}

/** A committer of partition 3. `baseOffsets`: where the broker writes the changelog batch of each transaction. */
function committerOf(
  baseOffsets: readonly number[],
  changelogEnd = 0,
  processor: PartitionProcessor = new Writing([]),
  clock: MachineClock = machineClock,
) {
  const transactions: (readonly OutputRecord[])[] = [];
  const left = [...baseOffsets];
  const context = {
    application: 'touchline.counting',
    input: 'input',
    positions: 'positions',
    metrics: streamMetrics(new Registry(), () => []),
    log: quietLog,
    clock,
  } as unknown as TaskContext;
  const producer = {
    identity: { id: '1', epoch: 0 },
    async transact(records: readonly OutputRecord[], accept?: (of: readonly WrittenBatch[]) => void) {
      const count = records.filter(({ topic }) => topic === 'changelog').length;
      if (count > 0) accept?.([{ topic: 'changelog', partition: 3, baseOffset: left.shift() ?? -1, count }]);
      transactions.push(records);
    },
  };
  const logs = new TaskLogs(
    { application: 'touchline.counting', partition: 3, outputs: [] },
    new Map([['changelog', { id: 'c', start: 0, end: changelogEnd, last: null }]]),
  );
  const claim = { partition: 3, context, suspects: new Suspects(), lifetime: new Lifetime() };
  const work = { ...claim, processor, producer, topicId: 'id', logs, committed: null };
  const committer = new BatchCommitter(work, { next: 5, inputEpoch: null });
  const positions = () =>
    transactions.map((records) => parsePosition('positions', 3, records.at(-1)?.value ?? Buffer.alloc(0)));
  return { committer, positions };
}

test.each([
  [true, 'a failed system call', thrownBy(() => writeFileSync('/dev/null/no', ''))],
  [true, 'a database that cannot be opened', thrownBy(() => new DatabaseSync('/dev/null/no'))],
  [true, 'no response of the broker', new StreamError('UNAVAILABLE', 'x')],
  [true, 'a full disk as cause', new Error('x', { cause: Object.assign(new Error('y'), { errno: -28 }) })],
  [false, 'a property of null', thrownBy(() => (null as unknown as { a: string }).a)],
  [false, 'text that is not JSON', thrownBy(() => JSON.parse('{'))],
  [false, 'an invalid argument', thrownBy(() => Buffer.alloc(-1))],
  [false, 'a thrown string', 'x'],
])('blames the environment (%s) for %s', (isEnvironment, _, error) => {
  expect(isEnvironmentFault(error)).toBe(isEnvironment);
});

/** Returns a batch with records at these offsets, at the end of the log. */
function batchOf(...offsets: readonly number[]) {
  const records = offsets.map((offset) => ({ offset, timestamp: 0, key: null, value: null }));
  const next = Math.max(...offsets) + 1;
  return { records, next, end: next, written: next, epoch: 1 };
}

test('prepares a batch before its first record, and processes no record when that fails', async () => {
  const done: string[] = [];
  let isAway = true;
  const processor = Object.assign(new Writing([]), {
    async prepare(records: readonly { readonly offset: number }[]) {
      done.push(`prepare ${records.map(({ offset }) => offset)}`);
      if (isAway) throw new StreamError('UNAVAILABLE', 'away');
    },
    process: ({ offset }: { readonly offset: number }) => void done.push(`process ${offset}`),
  });
  const { committer } = committerOf([], 0, processor);
  const batch = batchOf(5, 6);
  await expect(committer.process(batch)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  isAway = false;
  await committer.process(batch);
  expect(done).toEqual(['prepare 5,6', 'prepare 5,6', 'process 5', 'process 6']);
});

test('lets heartbeats run between records after some milliseconds of processing', async () => {
  let now = 0;
  const done: string[] = [];
  const processor = Object.assign(new Writing([]), {
    process({ offset }: { readonly offset: number }) {
      now += 5;
      done.push(`process ${offset}`);
      setImmediate(() => done.push(`heartbeat ${offset}`));
    },
  });
  const { committer } = committerOf([], 0, processor, { ...machineClock, monotonic: () => now });
  await committer.process(batchOf(5, 6, 7, 8));
  expect(done).toEqual(['process 5', 'process 6', 'heartbeat 5', 'heartbeat 6', 'process 7', 'process 8']);
});

test('commits the position after markers and aborted records once, after ten seconds', async () => {
  const { committer, positions } = committerOf([]);
  await committer.pass({ next: 9, epoch: 2 }, 100_000);
  await committer.pass({ next: 11, epoch: 2 }, 109_000);
  expect(positions()).toEqual([]);
  await committer.pass({ next: 11, epoch: 2 }, 110_000);
  expect(positions()).toMatchObject([{ next: 11, inputEpoch: 2 }]);
  expect(committer.position).toBe(11);
});

test('stores with each position where its changelog ends, and its last record unless that is a tombstone', async () => {
  const { committer, positions } = committerOf([10, 12], 10, new Writing(['value', null]));
  await committer.process(batchOf(5));
  await committer.process(batchOf(6));
  expect(positions()).toMatchObject([
    { next: 6, logs: { changelog: { id: 'c', start: 0, end: 12, last: 10 } } },
    { next: 7, logs: { changelog: { id: 'c', start: 0, end: 14, last: null } } },
  ]);
});

test('does not commit a position whose end of a changelog differs from the log', async () => {
  const { committer, positions } = committerOf([11], 10);
  await expect(committer.process(batchOf(5))).rejects.toMatchObject({ code: 'UNDECIDED' });
  expect(positions()).toEqual([]);
});

test('refuses to commit when a changelog lost its end while the task ran', async () => {
  const { committer, positions } = committerOf([10, 10], 10);
  await committer.process(batchOf(5));
  await expect(committer.process(batchOf(6))).rejects.toMatchObject({
    code: 'CHANGELOG_TRUNCATED',
    message: expect.stringContaining('changelog-3 ends at offset 10 and had reached 12 at the position 6'),
  });
  expect(positions()).toHaveLength(1);
});
