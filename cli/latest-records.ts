/** Finds the last record of each key of a topic, with one offset a key in memory: the values of a season would take all of it. */
import type { TopicValues } from '#records/types.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { follow, type TopicSource } from '#topics/follow.ts';
import type { TopicName } from '#topics/topics.ts';

/** `note` takes every record, of one reading; then `isLast` says whether a record was the last one of its key. */
export function lastOfKeys() {
  const last = new Map<string, number>();
  const keyOf = ({ partition, key }: ReadRecord): string => `${partition}/${key}`;
  return {
    note(record: ReadRecord): void {
      last.set(keyOf(record), record.offset);
    },
    isLast: (record: ReadRecord): boolean => last.get(keyOf(record)) === record.offset,
  };
}

/** Calls `onValue` with the last record of each key that has a value, each partition's in order. Reads twice. Rejects as `follow`. */
export async function readEachLatest<T extends TopicName>(
  topic: T,
  source: TopicSource,
  onValue: (value: TopicValues[T]) => void | Promise<void>,
): Promise<void> {
  const { note, isLast } = lastOfKeys();
  await follow([topic], source, {
    untilEnd: true,
    isWanted(record) {
      note(record);
      return false;
    },
  });
  await follow([topic], source, {
    untilEnd: true,
    isWanted: isLast,
    onRecord: ({ value }) => value && onValue(value),
  });
}
