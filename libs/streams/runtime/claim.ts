import type { LogBounds, PartitionReader, TopicPartition, TransactionalProducer } from '../client/port.ts';
import { RefusedError } from '../errors.ts';
import type { Lifetime } from './lifetime.ts';
import { findPosition, type Position } from './positions.ts';
import { checkLogs, startOffset } from './start-checks.ts';
import { type TaskContext, transactionalIdOf, writesOf } from './stream-topics.ts';

/** Maximum bytes of an input read. A larger batch of a backlog needs fewer transactions and fewer match-state records. */
const FETCH_BYTES = 4 * 1024 * 1024;
/** Maximum bytes of all partitions together. Each holds two batches: the current and the next one. */
const ALL_FETCH_BYTES = 32 * 1024 * 1024;
const RESTORE_BYTES = 1024 * 1024;

/** A changelog to restore from. */
export type Changelog = TopicPartition &
  LogBounds & { readonly id: string; readonly reader: PartitionReader };

/** The result of a claim. */
export type Claimed = {
  readonly producer: TransactionalProducer;
  readonly input: PartitionReader;
  readonly topicId: string;
  /** Offset of the next input record. */
  readonly position: number;
  /** Leader epoch of the input record just before `position`; null when unknown. */
  readonly readEpoch: number | null;
  /** Number of unprocessed input records that were removed from the log and are skipped. */
  readonly lost: number;
  readonly changelogs: readonly Changelog[];
  /** Outputs that only this task writes to. */
  readonly outputs: readonly (TopicPartition & LogBounds)[];
  /** The last commit; null without one. */
  readonly found: Position | null;
};

/** Fences the previous owner and decides its transaction. `opened` gets the producer. Rejects with `RefusedError`, `StreamError`. */
export async function claimPartition(
  context: TaskContext,
  partition: number,
  lifetime: Lifetime,
  opened: (producer: TransactionalProducer) => void,
): Promise<Claimed> {
  const { application, client, input: topic, changelogs, positions, partitions } = context;
  if (partition >= partitions) {
    throw new RefusedError(
      'PARTITIONS_DIFFER',
      `${topic} has a partition ${partition} now, the topics of ${application} have ${partitions}: do not add partitions to any of ` +
        'them while it runs; see docs/guides/operate.md, "A topic with other partitions"',
    );
  }
  if (context.requireTopics !== undefined) await lifetime.guard(context.requireTopics());
  const producer = lifetime.hold(
    await client.openProducer({
      transactionalId: transactionalIdOf(context, partition),
      ...writesOf(context, partition),
      lastCommitted: async () => (await findPosition(client, positions, partition))?.producer ?? null,
      signal: lifetime.signal,
    }),
  );
  opened(producer);
  const maxBytes = Math.min(FETCH_BYTES, Math.floor(ALL_FETCH_BYTES / (2 * partitions)));
  const input = lifetime.hold(client.openReader({ topic, partition, maxBytes }));
  const topicId = await lifetime.guard(input.topicId());
  const readers = changelogs.map((name) =>
    lifetime.hold(client.openReader({ topic: name, partition, maxBytes: RESTORE_BYTES })),
  );
  const ids = await lifetime.guard(Promise.all(readers.map((reader) => reader.topicId())));
  const checked = await lifetime.guard(checkLogs(context, partition, { input: topicId, changelogs: ids }));
  const { position } = checked;
  const start = startOffset(context, partition, { position, topicId, input: checked.input });
  const lost = position === null ? 0 : Math.max(0, start - position.next);
  return {
    producer,
    input,
    topicId,
    position: start,
    readEpoch: lost === 0 ? (position?.inputEpoch ?? null) : null,
    lost,
    changelogs: checked.changelogs.map((log, at) => ({ ...log, reader: readers[at] as PartitionReader })),
    outputs: checked.outputs,
    found: position,
  };
}
