import { TouchlineError } from '#errors/touchline-error.ts';
import type { PartitionReader, ReadBatch, TransactionalProducer } from '../client/port.ts';
import { RefusedError, StreamError } from '../errors.ts';
import type { Lifetime } from './lifetime.ts';
import { type Position, rebuildCommand } from './positions.ts';
import type { PartitionProcessor } from './processor.ts';
import { type ChangelogRecord, type CheckedLogs, requireLastRecord } from './start-checks.ts';
import type { TaskContext } from './stream-topics.ts';

/** Timeout of restoring without progress, as happens behind another producer's open transaction. */
const RESTORE_STALL_MS = 30_000;

type Changelog = CheckedLogs['changelogs'][number] & { readonly reader: PartitionReader };

export type Claimed = Pick<CheckedLogs, 'outputs'> & {
  readonly producer: TransactionalProducer;
  readonly input: PartitionReader;
  readonly topicId: string;
  /** Offset of the next input record. */
  readonly position: number;
  /** Number of unprocessed input records that were removed from the log and are skipped. */
  readonly lost: number;
  readonly changelogs: readonly Changelog[];
  /** The last commit; null without one. */
  readonly found: Position | null;
};

/** Restores the state of a claimed partition. Resolves with the offsets of the changelogs' last records, tombstones left out. */
export async function restoreState(
  context: TaskContext,
  partition: number,
  processor: PartitionProcessor,
  { changelogs, position, found }: Claimed,
  lifetime: Lifetime,
): Promise<Map<string, number>> {
  const { application, clock, metrics, log } = context;
  const started = clock.monotonic();
  const restoring = changelogs.map(async (log) => {
    return { ...log, last: await restoreOne(context, processor, log, lifetime) };
  });
  const restored = await lifetime.guard(Promise.all(restoring));
  if (found !== null) for (const one of restored) requireLastRecord(application, partition, found, one);
  const seconds = (clock.monotonic() - started) / 1_000;
  metrics.restoreSeconds.inc(seconds);
  log.info({ partition, entries: processor.size(), seconds, position }, 'partition restored');
  return new Map(
    restored.flatMap(({ topic, last }) =>
      last === null || last.isTombstone ? [] : [[topic, last.offset] as const],
    ),
  );
}

async function restoreOne(
  { application, clock, metrics }: TaskContext,
  processor: PartitionProcessor,
  { topic, partition, start, end, reader }: Changelog,
  lifetime: Lifetime,
): Promise<ChangelogRecord | null> {
  let last: ChangelogRecord | null = null;
  let movedAt = clock.monotonic();
  for (let at = start, reading = start < end ? ahead(reader.read(start)) : null; reading !== null; ) {
    const batch = await lifetime.guard(reading);
    if (batch.next === at && clock.monotonic() > movedAt + RESTORE_STALL_MS) {
      throw new StreamError(
        'UNAVAILABLE',
        `${topic}-${partition} can be read up to ${at} only, of ${end}: a transaction is open in it`,
      );
    }
    if (batch.next > at) movedAt = clock.monotonic();
    at = batch.next;
    reading = at < end ? ahead(reader.read(at)) : null;
    try {
      const restoring = processor.restore(topic, batch.records);
      if (restoring !== undefined) await lifetime.guard(restoring);
    } catch (error) {
      if (!(error instanceof TouchlineError) || error.name !== 'DecodeError') throw error;
      const advice =
        error.code === 'SCHEMA_UNKNOWN'
          ? 'restore the schemas: docs/guides/runbooks/registry-lost.md'
          : `find out who else writes to the topic, then process all input again with ${rebuildCommand(application)}`;
      const [first, final] = [batch.records[0]?.offset, batch.records.at(-1)?.offset];
      // Going on without the record would forget the state of its key, or repeat its results.
      throw new RefusedError(
        'CHANGELOG_UNREADABLE',
        `${topic}-${partition} has a record that nobody can read, at offsets ${first} to ${final} (${error.message}): ` +
          'the state of its key is unknown',
        { partition, of: () => advice },
        error,
      );
    }
    metrics.restoredRecords.inc(batch.records.length);
    const newest = batch.records.at(-1);
    if (newest !== undefined) last = { offset: newest.offset, isTombstone: newest.value === null };
  }
  await reader.close();
  return last;
}

/** Marks a rejection as handled, so that a read may be awaited later. */
export function ahead(reading: Promise<ReadBatch>): Promise<ReadBatch> {
  reading.catch(() => {});
  return reading;
}
