/** Look-ups of topics and their logs for commands and services. Each call opens and closes its own connections. */
import type { Brokers } from '#security/brokers.ts';
import { fetchPartition } from '#streams/client/platformatic/fetch.ts';
import {
  topicIds as idsOver,
  logBounds,
  offsetsOf,
  partitionsOf,
} from '#streams/client/platformatic/offsets.ts';
import { untilAnswered } from '#streams/client/platformatic/retries.ts';
import {
  type ConsumedRecord,
  type LogBounds,
  partitionsUpTo,
  type TopicPartition,
} from '#streams/client/port.ts';
import { findPosition, positionsTopic } from '#streams/runtime/positions.ts';
import { type BrokerConnections, withConnections, withStreamClient } from './access.ts';

export { idsOver };

const READER = 'touchline-reader';

/** Returns the topics' ids by name: a recreated topic has another one. Rejects with `StreamError`, also for a missing topic. */
export function topicIds(brokers: Brokers, topics: readonly string[]): Promise<Map<string, string>> {
  return withConnections(brokers, READER, async (connections) => {
    const ids = new Map<string, string>();
    for (const topic of topics)
      ids.set(
        topic,
        (await untilAnswered(connections, `look at ${topic}`, () => connections.topic(topic))).id,
      );
    return ids;
  });
}

/** Returns all partitions of some topics with their log bounds. Rejects with `StreamError`. */
export function topicBounds(
  { brokers, clientId }: { readonly brokers: Brokers; readonly clientId: string },
  topics: readonly string[],
): Promise<(TopicPartition & LogBounds)[]> {
  return withConnections(brokers, clientId, (connections) => boundsOver(connections, topics));
}

export async function boundsOver(
  connections: BrokerConnections,
  topics: readonly string[],
): Promise<(TopicPartition & LogBounds)[]> {
  return logBounds(connections, await partitionsOf(connections, topics));
}

const READ_BYTES = 256 * 1024;

/** Returns the committed records of a partition up to its end or an open transaction; none of a missing topic. */
export async function readPartition(
  connections: BrokerConnections,
  of: TopicPartition,
): Promise<ConsumedRecord[]> {
  const { topic, partition } = of;
  const topicId = (await idsOver(connections, [topic])).get(topic);
  if (topicId === undefined) return [];
  const [bounds] = await logBounds(connections, [of]);
  const read: ConsumedRecord[] = [];
  for (let offset = bounds?.start ?? 0; offset < (bounds?.end ?? 0); ) {
    const from = { topicId, partition, offset, maxWaitMs: 0, maxBytes: READ_BYTES };
    const { records, next } = await untilAnswered(connections, `read ${topic}`, async () =>
      fetchPartition(await connections.leader(of), from),
    );
    if (next === offset) break;
    read.push(...records);
    offset = next;
  }
  return read;
}

/** Returns by `partitionKey` the offset of the first record at or after `time`, Unix milliseconds; the end where there is none. */
export function offsetsAt(options: {
  readonly brokers: Brokers;
  readonly topic: string;
  readonly time: number;
}): Promise<Map<string, number>> {
  const { brokers, topic, time } = options;
  return withConnections(brokers, READER, async (connections) => {
    const partitions = await partitionsOf(connections, [topic]);
    const offsets = (of: 'end' | number) =>
      untilAnswered(connections, `list offsets of ${topic}`, () => offsetsOf(connections, partitions, of));
    const ends = await offsets('end');
    return new Map([...ends, ...(await offsets(time))]);
  });
}

/** Returns the committed positions of an application by input partition. For tools: a task reads its own after fencing. */
export function readPositions(options: {
  readonly brokers: Brokers;
  readonly application: string;
}): Promise<Map<number, number>> {
  const topic = positionsTopic(options.application);
  return withStreamClient(options.brokers, 'touchline-positions', async (client) => {
    const partitions = partitionsUpTo(topic, await client.partitionCount(topic));
    const bounds = await client.logBounds(partitions);
    const found = await Promise.all(
      partitions.map(async ({ partition }) => {
        const position = await findPosition(client, topic, partition, bounds[partition]);
        return position === null ? [] : [[partition, position.next] as const];
      }),
    );
    return new Map(found.flat());
  });
}

/** An application's progress on one input partition. `position`: next offset to process; null before the first commit. */
export type PartitionProgress = LogBounds & { readonly partition: number; readonly position: number | null };

/** Returns an application's progress on its input topic. Rejects with `StreamError`, `RefusedError`. */
export async function inputProgress(
  options: Parameters<typeof readPositions>[0] & { readonly input: string },
): Promise<PartitionProgress[]> {
  const { brokers, input } = options;
  const positions = await readPositions(options);
  // Read after the positions: what is processed meanwhile would lie beyond earlier ends.
  const bounds = await topicBounds({ brokers, clientId: 'touchline-progress' }, [input]);
  return bounds.map((of) => ({ ...of, position: positions.get(of.partition) ?? null }));
}

/** Returns the total lag: the number of unprocessed records in these partitions. */
export function totalLag(partitions: readonly PartitionProgress[]): number {
  return partitions.reduce(
    (sum, { start, end, position }) => sum + Math.max(0, end - (position ?? start)),
    0,
  );
}
