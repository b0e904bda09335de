import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@platformatic/kafka';
import { Connections, retryTransient } from '#streams/client/platformatic/connections.ts';
import { fetchPartition } from '#streams/client/platformatic/fetch.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import { topicIds } from '#streams/client/topic-ids.ts';

export type TopicReaderOptions = {
  readonly brokers: readonly string[];
  /** Waited for where it is not there yet. */
  readonly topic: string;
  onRecords(partition: number, records: readonly ConsumedRecord[]): void;
  /** How long a fetch waits for `minBytes`. */
  readonly maxWaitMs?: number;
  readonly minBytes?: number;
};

const TOPIC_PAUSE_MS = 20;
/** A topic that was just made may have no leaders for this long. */
const LEADER_MS = 60_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Follows all partitions of a topic from their beginning, read committed, by the requests of the runtime: each on a
 * connection of its own, since a broker answers a connection in order and a fetch may wait.
 */
export class TopicReader {
  readonly #options: TopicReaderOptions;
  readonly #open: Connections[] = [];
  readonly #ended: Promise<unknown>;
  #closing = false;

  constructor(options: TopicReaderOptions) {
    this.#options = options;
    // A failure ends the bench: what is not read would only be missed.
    this.#ended = this.#read();
  }

  /** Rejects where reading had failed. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#open.map((connections) => connections.close()));
    await this.#ended;
  }

  async #read(): Promise<void> {
    const { topic } = this.#options;
    const topicId = await this.#topicId();
    if (topicId === undefined) return;
    const connections = this.#connections();
    const partitions = await retryTransient(() => connections.partitionCount(topic));
    await Promise.all(Array.from({ length: partitions }, (_, partition) => this.#follow(topicId, partition)));
  }

  async #topicId(): Promise<string | undefined> {
    const { brokers, topic } = this.#options;
    while (!this.#closing) {
      const ids = await topicIds(brokers, [topic]).catch(() => new Map<string, string>());
      const id = ids.get(topic);
      if (id !== undefined && id !== '') return id;
      await delay(TOPIC_PAUSE_MS);
    }
    return undefined;
  }

  async #follow(topicId: string, partition: number): Promise<void> {
    const { topic, onRecords, maxWaitMs = 500, minBytes = 1 } = this.#options;
    try {
      const leader = await this.#leader(topic, partition);
      for (let offset = 0; !this.#closing; ) {
        const from = offset;
        const fetch = () =>
          fetchPartition(leader, {
            ...{ topicId, partition, offset: from, maxWaitMs, minBytes },
            maxBytes: MAX_BYTES,
            isolation: 'committed',
          });
        const fetched = await retryTransient(fetch, { deadlineMs: LEADER_MS });
        offset = fetched.next;
        if (fetched.records.length > 0) onRecords(partition, fetched.records);
      }
    } catch (error) {
      if (!this.#closing) throw error;
    }
  }

  /** Connections remember that there was none. */
  async #leader(topic: string, partition: number): Promise<Connection> {
    const until = performance.now() + LEADER_MS;
    for (;;) {
      try {
        return await this.#connections().leader({ topic, partition });
      } catch (error) {
        if (this.#closing || performance.now() > until) throw error;
        await delay(TOPIC_PAUSE_MS);
      }
    }
  }

  #connections(): Connections {
    const connections = new Connections(this.#options.brokers, 'bench-reader');
    this.#open.push(connections);
    return connections;
  }
}
