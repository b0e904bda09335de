import { follow } from '#streams/read/follow.ts';
import type { TopicValues } from './generated/types.ts';
import type { TopicSource } from './read-values.ts';
import { type TopicName, topicName } from './topics.ts';

/** How a table is read. */
export type TopicTableOptions = TopicSource & {
  /** The client id on the broker. */
  readonly reader: string;
};

/** A compacted topic that is followed into memory; a subclass keeps what it needs of each value. */
export abstract class TopicTable<T extends TopicName> {
  readonly #topic: T;
  readonly #options: TopicTableOptions;
  readonly #caughtUp = Promise.withResolvers<void>();

  constructor(topic: T, options: TopicTableOptions) {
    this.#topic = topic;
    this.#options = options;
  }

  /** Resolves when all that was there at the start is applied, and when the reading ends. */
  get caughtUp(): Promise<void> {
    return this.#caughtUp.promise;
  }

  /** Follows the topic until `signal` is aborted. Rejects as `follow`, and with `DecodeError`. */
  follow(signal: AbortSignal): Promise<void> {
    const { registry, prefix, ...options } = this.#options;
    const decoder = registry.decoder(this.#topic);
    return follow({
      ...options,
      topics: [topicName(prefix, this.#topic)],
      signal,
      onCaughtUp: () => this.#caughtUp.resolve(),
      onBatch: async ({ records }) => {
        for (const { key, value } of records)
          this.apply(String(key), value === null ? null : await decoder.read(value));
      },
    }).finally(() => this.#caughtUp.resolve());
  }

  /** Applies the next value of a key; null deletes the key. */
  protected abstract apply(key: string, value: TopicValues[T] | null): void;
}
