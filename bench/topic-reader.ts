import { setTimeout as delay } from 'node:timers/promises';
import { topicIds } from '#cluster/logs.ts';
import { StreamError } from '#streams/errors.ts';
import { followLogs, type ReadRecord } from '#streams/read/follow.ts';
import { retry } from '#timing/retry.ts';

export type TopicReaderOptions = {
  readonly brokers: readonly string[];
  /** Name of the topic; the reader waits until it exists. */
  readonly topic: string;
  /** Receives one batch at a time; reading waits for the returned promise. */
  onRecords(partition: number, records: readonly ReadRecord[]): void | Promise<void>;
};

const TOPIC_PAUSE_MS = 20;
/** Maximum time for which a new topic may have no leaders. */
const LEADER_MS = 60_000;

/** Reads all partitions of a topic continuously from their beginning, read committed. */
export class TopicReader {
  readonly #options: TopicReaderOptions;
  readonly #over = new AbortController();
  readonly #ended: Promise<void>;

  constructor(options: TopicReaderOptions) {
    this.#options = options;
    this.#ended = this.#read();
    this.#ended.catch((error: unknown) => console.error(`reading ${options.topic} failed:`, error));
  }

  /** Stops reading. Rejects when reading had failed. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.#ended;
  }

  async #read(): Promise<void> {
    const { brokers, topic, onRecords } = this.#options;
    const { signal } = this.#over;
    while (!signal.aborted && !(await exists(brokers, topic))) await delay(TOPIC_PAUSE_MS);
    if (signal.aborted) return;
    const read = () =>
      followLogs({
        brokers,
        reader: 'bench-reader',
        topics: [topic],
        signal,
        async onBatch(batch) {
          for (const { partition, records } of batch) await onRecords(partition, records);
        },
      });
    const passes = (error: unknown) => error instanceof StreamError && error.code === 'UNAVAILABLE';
    await retry(read, { firstMs: TOPIC_PAUSE_MS, ceilingMs: TOPIC_PAUSE_MS, deadlineMs: LEADER_MS, passes });
  }
}

async function exists(brokers: readonly string[], topic: string): Promise<boolean> {
  const ids = await topicIds(brokers, [topic]).catch(() => new Map<string, string>());
  return (ids.get(topic) ?? '') !== '';
}
