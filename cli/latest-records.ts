import type { TopicValues } from '#records/types.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { follow, type TopicSource } from '#topics/follow.ts';
import type { TopicName } from '#topics/topics.ts';

/**
 * Calls `onValue` with the last record of each key that has a value, each partition's in order. Reads twice, with one offset a key in
 * memory: the values of a season would take all of it. Rejects as `follow`.
 */
export async function readEachLatest<T extends TopicName>(
  topic: T,
  source: TopicSource,
  onValue: (value: TopicValues[T]) => void | Promise<void>,
): Promise<void> {
  const last = new Map<string, number>();
  const keyOf = ({ partition, key }: ReadRecord): string => `${partition}/${key}`;
  await follow([topic], source, {
    untilEnd: true,
    isWanted(record) {
      last.set(keyOf(record), record.offset);
      return false;
    },
  });
  await follow([topic], source, {
    untilEnd: true,
    isWanted: (record) => last.get(keyOf(record)) === record.offset,
    onRecord: ({ value }) => value && onValue(value),
  });
}
