import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { machineClock } from '#timing/clock.ts';
import type { OutputRecord, WrittenBatch } from '../client/port.ts';
import { StreamError } from '../errors.ts';
import { BatchCommitter } from './batch-committer.ts';
import { Lifetime } from './lifetime.ts';
import { streamMetrics } from './metrics.ts';
import { parsePosition } from './positions.ts';
import type { PartitionProcessor, RecordCollector } from './processor.ts';
import { Suspects } from './suspects.ts';
import type { TaskContext } from './task-context.ts';
import { TaskLogs } from './task-logs.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** A processor that writes a record to its changelog with each commit of records. */
class Writing implements PartitionProcessor {
  #changed = false;
  readonly #values: (string | null)[];

  /** What it writes, commit by commit; a value without an end. */
  constructor(values: readonly (string | null)[]) {
    this.#values = [...values];
  }

  restore(): void {}
  process(): void {
    this.#changed = true;
  }
  flush(collector: RecordCollector): void {
    const [value = 'value'] = this.#values.splice(0, 1);
    if (this.#changed) collector.add('changelog', 'key', value === null ? null : Buffer.from(value));
    this.#changed = false;
  }
  committed(): void {}
  size(): number {
    return 0;
  }
  close(): void {}
}

/** A committer of partition 3 whose batches are written at these base offsets of the changelog, one a transaction. */
function committerOf(
  baseOffsets: readonly number[],
  changelogEnd = 0,
  processor: PartitionProcessor = new Writing([]),
  mixedChangelogs: readonly string[] = [],
) {
  const transactions: (readonly OutputRecord[])[] = [];
  const left = [...baseOffsets];
  const context = {
    application: 'touchline.counting',
    input: 'input',
    positions: 'positions',
    metrics: streamMetrics(new Registry(), () => []),
    log: quiet,
    clock: machineClock,
  } as unknown as TaskContext;
  const producer = {
    identity: { id: '1', epoch: 0 },
    async transact(
      records: readonly OutputRecord[],
      accept: (written: readonly WrittenBatch[]) => void = () => {},
    ) {
      const count = records.filter(({ topic }) => topic === 'changelog').length;
      if (count > 0) accept([{ topic: 'changelog', partition: 3, baseOffset: left.shift() ?? -1, count }]);
      transactions.push(records);
    },
    requireCurrent: async () => {},
    requireDecided: async () => {},
    close: async () => {},
  };
  const committer = new BatchCommitter(
    3,
    context,
    new Suspects(),
    {
      processor,
      producer,
      topicId: 'id',
      logs: new TaskLogs(
        { application: 'touchline.counting', partition: 3, outputs: [], mixedChangelogs },
        new Map([['changelog', { id: 'c', end: changelogEnd, last: null }]]),
      ),
      committed: null,
      lifetime: new Lifetime(),
    },
    { next: 5, inputEpoch: null },
  );
  const positions = () =>
    transactions.map((records) => parsePosition('positions', 3, records.at(-1)?.value ?? Buffer.alloc(0)));
  return { committer, positions };
}

const record = (offset: number) => ({ offset, timestamp: 0, key: null, value: null });

test('prepares a batch before its first record is processed, and processes none where that fails', async () => {
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
  const batch = { records: [record(5), record(6)], next: 7, end: 7, written: 7, epoch: 1 };
  await expect(committer.process(batch)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  isAway = false;
  await committer.process(batch);
  expect(done).toEqual(['prepare 5,6', 'prepare 5,6', 'process 5', 'process 6']);
});

test('commits a position behind markers and aborted records after ten seconds, once', async () => {
  const { committer, positions } = committerOf([]);
  await committer.pass({ next: 9, epoch: 2 }, 100_000);
  await committer.pass({ next: 11, epoch: 2 }, 109_000);
  expect(positions()).toEqual([]);
  await committer.pass({ next: 11, epoch: 2 }, 110_000);
  expect(positions()).toMatchObject([{ next: 11, inputEpoch: 2 }]);
  expect(committer.position).toBe(11);
});

test('records with each position where its changelog ends at least: the records, and the marker behind them', async () => {
  const { committer, positions } = committerOf([10, 12], 10);
  await committer.process({ records: [record(5)], next: 6, end: 6, written: 6, epoch: 1 });
  await committer.process({ records: [record(6)], next: 7, end: 7, written: 7, epoch: 1 });
  expect(positions()).toMatchObject([
    { next: 6, logs: { changelog: { id: 'c', end: 12 } } },
    { next: 7, logs: { changelog: { id: 'c', end: 14 } } },
  ]);
});

test('records with each position the last record of its changelog, and none after a tombstone', async () => {
  const { committer, positions } = committerOf([10, 12], 10, new Writing(['value', null]));
  await committer.process({ records: [record(5)], next: 6, end: 6, written: 6, epoch: 1 });
  await committer.process({ records: [record(6)], next: 7, end: 7, written: 7, epoch: 1 });
  expect(positions().map(({ logs }) => logs.changelog?.last)).toEqual([10, null]);
});

test('goes by where the broker wrote in a changelog that others write to as well', async () => {
  const { committer, positions } = committerOf([13, 20], 10, new Writing([]), ['changelog']);
  await committer.process({ records: [record(5)], next: 6, end: 6, written: 6, epoch: 1 });
  await committer.process({ records: [record(6)], next: 7, end: 7, written: 7, epoch: 1 });
  expect(positions()[1]).toMatchObject({ logs: { changelog: { end: 17 } } });
});

test('commits no position that names another end of its changelog than the log has', async () => {
  const { committer, positions } = committerOf([11], 10);
  await expect(
    committer.process({ records: [record(5)], next: 6, end: 6, written: 6, epoch: 1 }),
  ).rejects.toMatchObject({ code: 'UNDECIDED' });
  expect(positions()).toEqual([]);
});

test('refuses to commit behind a changelog that lost its end while the task ran', async () => {
  const { committer, positions } = committerOf([10, 10], 10);
  await committer.process({ records: [record(5)], next: 6, end: 6, written: 6, epoch: 1 });
  await expect(
    committer.process({ records: [record(6)], next: 7, end: 7, written: 7, epoch: 1 }),
  ).rejects.toMatchObject({
    code: 'CHANGELOG_TRUNCATED',
    message: expect.stringContaining('changelog-3 ends at offset 10 and had reached 12 at the position 6'),
  });
  expect(positions()).toHaveLength(1);
});
