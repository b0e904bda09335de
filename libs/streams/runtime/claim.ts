import type { LogBounds, PartitionReader, TopicPartition, TransactionalProducer } from '../client/port.ts';
import { RefusedError } from '../errors.ts';
import type { Lifetime } from './lifetime.ts';
import { findPosition, type Position } from './positions.ts';
import {
  findValue,
  positionMissing,
  requireChangelogs,
  requireSameCommit,
  requireSameInput,
  startOffset,
} from './start-checks.ts';
import { transactionalIdOf, writesOf } from './stream-topics.ts';
import type { TaskContext } from './task-context.ts';

/** A larger batch of a backlog needs fewer transactions, and one match-state for more messages. */
const FETCH_BYTES = 4 * 1024 * 1024;
/** For all partitions together; each holds two answers: the one in process and the next. */
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
  readonly inputEpoch: number | null;
  /** That of the input record before `position`; null where it is unknown. */
  readonly readEpoch: number | null;
  /** Input records that were removed before they were processed, and are given up. */
  readonly lost: number;
  readonly changelogs: readonly Changelog[];
  /** Those that only this task writes to. */
  readonly outputs: readonly (TopicPartition & LogBounds)[];
  /** Its last commit; null without one. */
  readonly found: Position | null;
};

/**
 * Fences the previous owner, decides its last transaction, and finds the position. `opened` gets the producer, which says
 * later whether it is still the current one. Rejects with `RefusedError`, `StreamError`.
 */
export async function claimPartition(
  context: TaskContext,
  partition: number,
  lifetime: Lifetime,
  opened: (producer: TransactionalProducer) => void,
): Promise<Claimed> {
  const { application, client, input: topic, changelogs, positions, partitions } = context;
  const { mixedChangelogs = [], outputs } = context;
  if (partition >= partitions) {
    throw new RefusedError(
      'PARTITIONS_DIFFER',
      `${topic} has a partition ${partition} now, the topics of ${application} have ${partitions}: add partitions to none of ` +
        'them while it runs; see docs/guides/operate.md, "A topic with other partitions"',
    );
  }
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
  const topicId = await lifetime.still(input.topicId());
  const readers = changelogs.map((name) =>
    lifetime.hold(client.openReader({ topic: name, partition, maxBytes: RESTORE_BYTES })),
  );
  const ids = await lifetime.still(Promise.all(readers.map((reader) => reader.topicId())));
  const ownOutputs = outputs.filter(({ partitions: of }) => of === 'own').map(({ topic: name }) => name);
  const names = [positions, topic, ...changelogs, ...ownOutputs];
  const bounds = await lifetime.still(client.logBounds(names.map((name) => ({ topic: name, partition }))));
  const boundsOf = (name: string) => bounds[names.indexOf(name)] as LogBounds;
  const ofInput = boundsOf(topic);
  const restored = changelogs.map((name, at) => ({
    topic: name,
    partition,
    id: ids[at] as string,
    reader: readers[at] as PartitionReader,
    isOutput: false,
    ...boundsOf(name),
  }));
  const written = ownOutputs.map((name) => ({ topic: name, partition, isOutput: true, ...boundsOf(name) }));
  const position = await lifetime.still(findPosition(client, positions, partition, boundsOf(positions)));
  const own = restored.filter(({ topic: name }) => !mixedChangelogs.includes(name));
  if (position === null) {
    // The outputs too: a lost position may have lost its changelogs with it.
    const committed = await lifetime.still(findValue(client, [...own, ...written]));
    if (committed !== null) throw positionMissing(context, committed);
  } else {
    requireChangelogs(application, partition, position, restored);
    await lifetime.still(requireSameCommit(context, position, [...own, ...written]));
    const { next, inputEpoch } = position;
    if (inputEpoch !== null && position.topicId === topicId && next <= ofInput.end) {
      const found = await lifetime.still(client.epochEnd({ topic, partition }, inputEpoch));
      requireSameInput(context, partition, { next, inputEpoch }, found);
    }
  }
  const start = startOffset(context, partition, { position, topicId, input: ofInput });
  const inputEpoch = position?.inputEpoch ?? null;
  const lost = position === null ? 0 : Math.max(0, start - position.next);
  return {
    producer,
    input,
    topicId,
    position: start,
    inputEpoch,
    readEpoch: lost === 0 ? inputEpoch : null,
    lost,
    changelogs: restored,
    outputs: written,
    found: position,
  };
}
