import { withStreamClient } from '#cluster/access.ts';
import { inputProgress, type PartitionProgress, topicIds } from '#cluster/logs.ts';
import { type Brokers, shownBrokers } from '#security/brokers.ts';
import { partitionKey, type StreamClient } from '#streams/client/port.ts';
import { RefusedError, StreamError } from '#streams/errors.ts';
import {
  findPosition,
  type LogMark,
  type Position,
  positionRecord,
  positionsTopic,
} from '#streams/runtime/positions.ts';
import { type StreamTopics, transactionalIdOf, writesOf } from '#streams/runtime/stream-topics.ts';
import { retry } from '#timing/retry.ts';
import { streamTopics } from '#topics/processors.ts';
import { findCluster, platformName } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { printLine } from '../../terminal.ts';
import type { command } from './command.ts';

const COLUMNS: readonly TextColumn<PartitionProgress>[] = [
  { head: 'partition', align: 'right', of: ({ partition }) => partition },
  { head: 'position', align: 'right', of: ({ position }) => position ?? '-' },
  { head: 'start', align: 'right', of: ({ start }) => start },
  { head: 'end', align: 'right', of: ({ end }) => end },
  { head: 'behind', align: 'right', of: ({ position, start, end }) => end - (position ?? start) },
];

export async function run(...[processor, partitions, to, given]: GivenTo<typeof command>): Promise<number> {
  const { yes = false, acceptState: acceptsState = false } = given;
  if (partitions === undefined && (acceptsState || yes))
    throw new UsageError('--accept-state and --yes go with a partition and an offset');
  if (partitions !== undefined && to === undefined) throw new UsageError('name partitions and one offset');
  const cluster = findCluster(process.env);
  const { brokers } = cluster;
  const [topics, platform] = [streamTopics(cluster.prefix, processor), platformName(cluster)];
  if (partitions === undefined || to === undefined) {
    const rows = await inputProgress({ brokers, ...topics });
    process.stdout.write(tableText(COLUMNS, rows));
    return 0;
  }
  for (const partition of partitions) {
    const options = { brokers, partition, to, acceptsState, skipsNothing: !yes };
    const { before, next } = await setPosition(topics, options);
    const resumes = `${processor} resumes at ${next}, it was at ${before ?? 'no position'}`;
    printLine(`${platform}: ${topics.input}-${partition}: ${resumes}`);
  }
  return 0;
}

/** Budget for a partition that a refused task claims now and then: each claim ends our producer. */
const TAKEN_BACK = { firstMs: 5, ceilingMs: 100, deadlineMs: 5_000 };

type SetPositionOptions = {
  readonly brokers: Brokers;
  readonly partition: number;
  /** An offset, or the start or the end of the input. */
  readonly to: number | 'start' | 'end';
  /** Accepts the current changelogs as the state at the position, even when they lost records. Default false. */
  readonly acceptsState?: boolean;
  /** Refuses a position that skips records of the input. Default false. */
  readonly skipsNothing?: boolean;
};

/**
 * Sets the position of one partition. Returns the previous offset, null when there was none, and the new one. Fences a running task, which then claims the partition again from the new position.
 * Rejects with `RefusedError` POSITION_BEYOND_END when the input does not have the offset, with `CommandError` when
 * `skipsNothing` forbids the position, and with `StreamError`.
 */
export function setPosition(topics: StreamTopics, options: SetPositionOptions) {
  const { brokers, partition, to, skipsNothing = false } = options;
  const positions = positionsTopic(topics.application);
  const of = { topic: topics.input, partition };
  return withStreamClient(brokers, 'touchline-position', async (client) => {
    const [bounds] = await client.logBounds([of]);
    const next = to === 'start' ? bounds?.start : to === 'end' ? bounds?.end : to;
    const name = partitionKey(of);
    if (bounds === undefined || next === undefined || next < bounds.start || next > bounds.end) {
      const offsets = `offsets ${bounds?.start} to ${bounds?.end}`;
      throw new RefusedError('POSITION_BEYOND_END', `${name} has ${offsets}, not ${next}`);
    }
    const topicId = await client.openReader({ ...of, maxBytes: 1 }).topicId();
    if (skipsNothing) {
      const position = await findPosition(client, positions, partition);
      // A position of another topic id does not count.
      const processed = position?.topicId === topicId ? position.next : bounds.start;
      const skipped = next - Math.max(processed, bounds.start);
      const loss = `up to ${skipped} records would never be processed`;
      if (skipped > 0)
        throw new CommandError(`${name} of ${shownBrokers(brokers)}: ${loss}: confirm with --yes`);
    }
    const before = await retry(() => writePosition(topics, options, client, { next, topicId }), {
      ...TAKEN_BACK,
      passes: (error) => error instanceof StreamError && error.code === 'FENCED',
    });
    return { before, next };
  });
}

/** Writes a position of one partition, as the only producer of its task until that takes the partition back. Returns the previous offset. */
async function writePosition(
  topics: StreamTopics,
  { brokers, partition, acceptsState = false }: SetPositionOptions,
  client: StreamClient,
  position: Pick<Position, 'next' | 'topicId'>,
): Promise<number | null> {
  const positions = positionsTopic(topics.application);
  const lastCommitted = async () => (await findPosition(client, positions, partition))?.producer ?? null;
  const producer = await client.openProducer({
    transactionalId: transactionalIdOf(topics, partition),
    ...writesOf({ ...topics, partitions: await client.partitionCount(topics.input) }, partition),
    lastCommitted,
  });
  try {
    const known = await findPosition(client, positions, partition);
    const ids = await topicIds(brokers, topics.changelogs);
    // Read once the task is fenced: whatever is committed later lies behind them, and shows that a later position was lost.
    const bounds = await client.logBounds(topics.changelogs.map((topic) => ({ topic, partition })));
    const accepted = (topic: string, at: number): LogMark => ({
      id: ids.get(topic) ?? null,
      start: null,
      end: bounds[at]?.end ?? null,
      last: null,
    });
    // Has no marks of outputs: the operator accepts that processing again repeats them.
    const logs = Object.fromEntries(
      topics.changelogs.flatMap((topic, at) => {
        const mark = known === null || acceptsState ? accepted(topic, at) : known.logs[topic];
        return mark === undefined ? [] : [[topic, mark]];
      }),
    );
    // The offset refers to the current records of the input: it has no epoch.
    const written = { ...position, inputEpoch: null, logs, producer: producer.identity };
    await producer.transact([positionRecord(positions, partition, written)]);
    return known?.next ?? null;
  } finally {
    await producer.close();
  }
}
