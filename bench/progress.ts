/** How far a processor has come in its input, as committed. */
import { setTimeout as delay } from 'node:timers/promises';
import { committedOffsets, quietKafka } from './kafka.ts';
import { TopicReader } from './topic-reader.ts';

export type ProgressReader = {
  /** Sum over the partitions of the next offset to read. */
  done(): Promise<number>;
  close(): Promise<void>;
};

/** By the committed offsets of a group; 0 while there are none. */
export async function groupProgress(
  brokers: readonly string[],
  group: string,
  input: string,
): Promise<ProgressReader> {
  const admin = quietKafka(brokers).admin();
  await admin.connect();
  let last = 0;
  return {
    async done() {
      last = await committedOffsets(admin, group, input).catch(() => last);
      return last;
    },
    close: () => admin.disconnect(),
  };
}

/** Positions are read this often: a reader that is woken by each transaction would be a load. */
const LOOK_MS = 20;

/** By the positions that each task of the runtime keeps in a topic, in the transaction that writes its outputs. */
export function positionProgress(brokers: readonly string[], application: string): ProgressReader {
  const positions = new Map<number, number>();
  const reader = new TopicReader({
    brokers,
    topic: `${application}-positions`,
    async onRecords(_, records) {
      // Of each partition of the input the last one counts.
      for (const { key, value } of records)
        if (key !== null && value !== null) positions.set(Number(key), nextOf(value));
      await delay(LOOK_MS);
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
