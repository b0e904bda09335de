/** Reads the committed progress of a processor in its input. */
import { setTimeout as delay } from 'node:timers/promises';
import { Admin } from '@platformatic/kafka';
import { TopicReader } from './topic-reader.ts';

export type ProgressReader = {
  /** Returns the sum of the next offsets of all partitions. */
  done(): Promise<number>;
  close(): Promise<void>;
};

/** Reads the committed offsets of a group; 0 before the first commit. */
export function groupProgress(brokers: readonly string[], group: string, input: string): ProgressReader {
  // The next sample is the retry: one of the library waits for a second.
  const admin = new Admin({ clientId: 'bench', bootstrapBrokers: [...brokers], retries: 0 });
  let last = 0;
  return {
    async done() {
      const found = await admin.listConsumerGroupOffsets({ groups: [group] }).catch(() => null);
      const topic = found?.[0]?.topics.find(({ name }) => name === input);
      last = topic?.partitions.reduce((sum, of) => sum + Math.max(0, Number(of.committedOffset)), 0) ?? last;
      return last;
    },
    close: () => admin.close(),
  };
}

/** Interval of reading positions: a reader that each transaction wakes would load the machine. */
const POLL_MS = 20;

/** Reads the positions that each task of the runtime commits to a topic with its outputs. */
export function positionProgress(brokers: readonly string[], application: string): ProgressReader {
  const positions = new Map<number, number>();
  const reader = new TopicReader({
    brokers,
    topic: `${application}-positions`,
    async onRecords(_, records) {
      // The last position of each input partition counts.
      for (const { key, value } of records)
        if (key !== null && value !== null) positions.set(Number(key), nextOf(value));
      await delay(POLL_MS);
    },
  });
  return {
    async done() {
      return [...positions.values()].reduce((sum, next) => sum + next, 0);
    },
    close: () => reader.close(),
  };
}

function nextOf(position: Buffer): number {
  const { next } = JSON.parse(position.toString()) as { next: number };
  return next;
}
