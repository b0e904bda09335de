import { readTopic } from '#cluster/read-topic.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import type { TopicValues } from '#topics/generated/types.ts';
import { readValues } from '#topics/read-values.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import type { OpenCluster } from '../../cluster.ts';

type OnValue<T extends TopicName> = (value: TopicValues[T]) => void | Promise<void>;

/** Offset of the last record of each key. */
export type LastOffsets = ReadonlyMap<string, number>;

/** Every record up to the end, in the order of each partition; deletions are left out. */
export async function readEach<T extends TopicName>(
  place: OpenCluster,
  topic: T,
  onValue: OnValue<T>,
): Promise<void> {
  await readValues(topic, place, async (_, value) => {
    if (value !== null) await onValue(value);
  });
}

/** The offset of the last record of each key. Calls `onValue` with every record, as `readEach` does. */
export async function readLastOffsets<T extends TopicName>(
  place: OpenCluster,
  topic: T,
  onValue?: OnValue<T>,
): Promise<LastOffsets> {
  const decoder = place.registry.decoder(topic);
  const last = new Map<string, number>();
  await readToEnd(place, topic, async (record) => {
    last.set(keyOf(record), record.offset);
    if (onValue !== undefined && record.value !== null) await onValue(await decoder.read(record.value));
  });
  return last;
}

/** The records at these offsets, in the order of each partition: no more than an offset of each key is held. */
export async function readAt<T extends TopicName>(
  place: OpenCluster,
  topic: T,
  last: LastOffsets,
  onValue: OnValue<T>,
): Promise<void> {
  const decoder = place.registry.decoder(topic);
  await readToEnd(place, topic, async (record) => {
    if (record.value !== null && last.get(keyOf(record)) === record.offset)
      await onValue(await decoder.read(record.value));
  });
}

/** The last record of each key, in the order of each partition. */
export async function readLatest<T extends TopicName>(
  place: OpenCluster,
  topic: T,
  onValue: OnValue<T>,
): Promise<void> {
  await readAt(place, topic, await readLastOffsets(place, topic), onValue);
}

function keyOf({ partition, key }: ReadRecord): string {
  return `${partition}/${key}`;
}

function readToEnd(
  { brokers, prefix }: OpenCluster,
  topic: TopicName,
  onRecord: (record: ReadRecord) => void | Promise<void>,
): Promise<void> {
  return readTopic({
    brokers,
    topic: topicName(prefix, topic),
    untilEnd: true,
    onRecord,
  });
}
