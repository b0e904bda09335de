import type { TopicValues } from '#records/types.ts';
import type { TopicSource } from './read-values.ts';
import { followValues } from './read-values.ts';
import type { TopicName } from './topics.ts';

/** The topic source and client id that a table is read with. */
export type TopicTableOptions = TopicSource & {
  /** Client id on the broker. */
  readonly reader: string;
};

/** An in-memory table that follows a compacted topic. A subclass stores the parts of each value that it needs. */
export abstract class TopicTable<T extends TopicName> {
  readonly #topic: T;
  readonly #options: TopicTableOptions;
  readonly #caughtUp = Promise.withResolvers<void>();

  constructor(topic: T, options: TopicTableOptions) {
    this.#topic = topic;
    this.#options = options;
  }

  /** Resolves when all records that existed at the start are applied, or when `follow` ends. */
  get caughtUp(): Promise<void> {
    return this.#caughtUp.promise;
  }

  /** Follows the topic until `signal` is aborted. Rejects as `followValues`. */
  follow(signal: AbortSignal): Promise<void> {
    const { reader, ...source } = this.#options;
    return followValues([this.#topic], source, {
      reader,
      signal,
      onCaughtUp: () => this.#caughtUp.resolve(),
      onValues: ({ values }) => {
        for (const { key, value } of values) this.apply(key, value);
      },
    }).finally(() => this.#caughtUp.resolve());
  }

  /** Applies the next value of a key; null deletes the key. */
  protected abstract apply(key: string, value: TopicValues[T] | null): void;
}
