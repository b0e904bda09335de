import type { OutputRecord } from './port.ts';

/** Every record batch must stay below the topic's max.message.bytes (1 MiB); the rest is for headers and overhead. */
export const MAX_BATCH_BYTES = 900 * 1024;
/** What a record takes in a batch beside its key and value, at most. */
const RECORD_OVERHEAD = 32;

/** Messages of one produce request, by topic. */
export type Round = Map<string, OutputRecord[]>;

/**
 * Splits records into rounds so that no topic and partition gets more than `maxBytes` in one of them, since a
 * client puts all messages of a send into one record batch. Order within a partition is kept. A record that is
 * larger by itself goes alone.
 */
export function* splitRounds(
  records: readonly OutputRecord[],
  maxBytes: number = MAX_BATCH_BYTES,
): Generator<Round, void, void> {
  let round: Round = new Map();
  let bytes = new Map<string, Map<number, number>>();
  for (const record of records) {
    const size = Buffer.byteLength(record.key) + (record.value?.length ?? 0) + RECORD_OVERHEAD;
    const used = bytes.get(record.topic)?.get(record.partition) ?? 0;
    if (used > 0 && used + size > maxBytes) {
      yield round;
      round = new Map();
      bytes = new Map();
    }
    push(round, record);
    addBytes(bytes, record, size);
  }
  if (round.size > 0) yield round;
}

function push(round: Round, record: OutputRecord): void {
  const messages = round.get(record.topic);
  if (messages === undefined) round.set(record.topic, [record]);
  else messages.push(record);
}

function addBytes(bytes: Map<string, Map<number, number>>, record: OutputRecord, size: number): void {
  let topic = bytes.get(record.topic);
  if (topic === undefined) {
    topic = new Map();
    bytes.set(record.topic, topic);
  }
  topic.set(record.partition, (topic.get(record.partition) ?? 0) + size);
}
