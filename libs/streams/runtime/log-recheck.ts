import { partitionKey, type StreamClient } from '../client/port.ts';
import { StreamError } from '../errors.ts';
import type { LogMark } from './positions.ts';

/** A running partition, with the marks of the logs that its task has written. */
export type RunningPartition = {
  readonly partition: number;
  readonly marks: Readonly<Record<string, LogMark>>;
  /** Whether it committed nothing since the last check. A task that commits learns the ends of its logs with each transaction. */
  readonly isIdle: boolean;
};

/**
 * Finds partitions whose logs were deleted, created again or lost their beginning or their end. A task finds that out with its next
 * claim or transaction, which an idle partition may not have for hours. A doubt is no verdict: the next claim of the partition checks its logs.
 */
export class LogRecheck {
  readonly #client: Pick<StreamClient, 'topicIds' | 'logBounds'>;
  readonly #topics: readonly string[];
  /** Ids by topic and, by id and partition, ends at the last check. */
  readonly #ids = new Map<string, string>();
  readonly #ends = new Map<string, number>();

  /** `topics`: the logs that only one task writes to in each partition. */
  constructor(client: Pick<StreamClient, 'topicIds' | 'logBounds'>, topics: readonly string[]) {
    this.#client = client;
    this.#topics = topics;
  }

  /** Resolves with the reason for each doubtful partition. Three requests for all of them. Rejects with `StreamError`. */
  async find(running: readonly RunningPartition[]): Promise<Map<number, StreamError>> {
    const doubts = new Map<number, StreamError>();
    const truncated = (partition: number, message: string) =>
      doubts.set(partition, new StreamError('LOG_TRUNCATED', message));
    const ids = await this.#client.topicIds(this.#topics);
    for (const topic of this.#topics) {
      for (const { partition, marks } of running) {
        const known = marks[topic]?.id ?? this.#ids.get(topic);
        if (known === undefined || ids.get(topic) === known || doubts.has(partition)) continue;
        const message = `${topic} was deleted${ids.has(topic) ? ' and created again' : ''}`;
        doubts.set(partition, new StreamError('TOPIC_RECREATED', message));
      }
    }
    for (const [topic, id] of ids) this.#ids.set(topic, id);
    const present = this.#topics.filter((topic) => ids.has(topic));
    const logs = running
      .filter(({ partition }) => !doubts.has(partition))
      .flatMap((of) => present.map((topic) => ({ ...of, topic, mark: of.marks[topic] })));
    for (const { topic, partition, mark, isIdle, start, end } of await this.#client.logBounds(logs)) {
      const key = partitionKey({ topic, partition });
      const log = `${ids.get(topic)} ${partition}`;
      if (start > (mark?.start ?? start))
        truncated(partition, `${key} begins at offset ${start}, and had begun at ${mark?.start}`);
      if (!isIdle) continue;
      const known = Math.max(mark?.end ?? 0, this.#ends.get(log) ?? 0);
      this.#ends.set(log, end);
      if (end < known) truncated(partition, `${key} ends at offset ${end}, and had reached ${known}`);
    }
    return doubts;
  }
}
