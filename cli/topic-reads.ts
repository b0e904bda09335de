/**
 * Reads a topic up to its current end, record by record, with at most one offset a key in memory. All functions reject as
 * `readValues`.
 */

import type { TopicValues } from '#records/types.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { readValues } from '#topics/read-values.ts';
import type { TopicName } from '#topics/topics.ts';
import type { OpenCluster } from './cluster.ts';

type OnValue<T extends TopicName> = (value: TopicValues[T], record: ReadRecord) => void | Promise<void>;

/** Offset of the last record of each key. */
type LastOffsets = ReadonlyMap<string, number>;

/**
 * Calls `onValue` with every record, in the order of each partition; skips deletions. `from`: first offsets by `partitionKey`,
 * default the beginning. `isWanted`: selects the records to decode, default all.
 */
export function readEach<T extends TopicName>(
  cluster: OpenCluster,
  topic: T,
  onValue: OnValue<T>,
  options: {
    readonly from?: ReadonlyMap<string, number>;
    readonly isWanted?: (record: ReadRecord) => boolean;
  } = {},
): Promise<void> {
  const pass = (_: string, value: TopicValues[T] | null, record: ReadRecord) =>
    value === null ? undefined : onValue(value, record);
  return readValues(topic, cluster, pass, options);
}

/** Returns the offset of the last record of each key. Calls `onValue` with every record, as `readEach` does. */
export async function readLastOffsets<T extends TopicName>(
  cluster: OpenCluster,
  topic: T,
  onValue?: OnValue<T>,
): Promise<LastOffsets> {
  const last = new Map<string, number>();
  const isWanted = (record: ReadRecord): boolean => {
    last.set(keyOf(record), record.offset);
    return onValue !== undefined;
  };
  await readEach(cluster, topic, onValue ?? (() => {}), { isWanted });
  return last;
}

/** Calls `onValue` with the records at these offsets, in the order of each partition. */
export function readAt<T extends TopicName>(
  cluster: OpenCluster,
  topic: T,
  last: LastOffsets,
  onValue: OnValue<T>,
): Promise<void> {
  const isWanted = (record: ReadRecord): boolean => last.get(keyOf(record)) === record.offset;
  return readEach(cluster, topic, onValue, { isWanted });
}

/** Calls `onValue` with the last record of each key, in the order of each partition. */
export async function readEachLatest<T extends TopicName>(
  cluster: OpenCluster,
  topic: T,
  onValue: OnValue<T>,
): Promise<void> {
  await readAt(cluster, topic, await readLastOffsets(cluster, topic), onValue);
}

function keyOf({ partition, key }: ReadRecord): string {
  return `${partition}/${key}`;
}
