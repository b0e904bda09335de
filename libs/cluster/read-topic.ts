import type { Brokers } from '#security/brokers.ts';
import { follow, type ReadRecord } from '#streams/read/follow.ts';

type ReadTopicOptions = {
  readonly brokers: Brokers;
  /** Name on the broker. */
  readonly topic: string;
  /** Whether to end once all records that existed at the start are read; otherwise reads until `signal` is aborted. */
  readonly untilEnd: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Receives one record at a time, in the order of its partition. An error it throws ends the reading. */
  readonly onRecord: (record: ReadRecord) => void | Promise<void>;
  /** Called once all records that existed at the start are read. */
  readonly onCaughtUp?: () => void;
};

/**
 * Reads the committed records of a topic from the first one on. Resolves at the end, or when `signal` is aborted. Rejects with
 * `StreamError` when no broker responds, or with an error of `onRecord`. Stores nothing on the broker.
 */
export async function readTopic(options: ReadTopicOptions): Promise<void> {
  const { brokers, topic, untilEnd, signal, onRecord } = options;
  const atEnd = new AbortController();
  const stop = signal === undefined ? atEnd.signal : AbortSignal.any([signal, atEnd.signal]);
  await follow({
    brokers,
    topics: [topic],
    signal: stop,
    async onBatch({ records }) {
      for (const record of records) {
        if (stop.aborted) return;
        await onRecord(record);
      }
    },
    onCaughtUp: () => {
      options.onCaughtUp?.();
      if (untilEnd) atEnd.abort();
    },
  });
}
