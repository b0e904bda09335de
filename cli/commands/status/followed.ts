/** What `touchline status` reads of topics: once from the beginning, then followed. */

import { follow, type ReadRecord } from '#streams/read/follow.ts';
import type { Decoder } from '#topics/codec.ts';
import type { FeedHealth } from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { type Belief, HealthTable, type SourceBelief } from '#tradability/belief.ts';
import type { Place } from '../../place.ts';

/** What a topic says. */
abstract class Followed {
  readonly #topic: TopicName;
  #known: Promise<void> | null = null;

  constructor(topic: TopicName) {
    this.#topic = topic;
  }

  protected abstract apply(key: string, value: Buffer | null): void | Promise<void>;

  /**
   * Resolves once all is read that was there at the first call. Rejects with `StreamError`; the next call then reads again, also where
   * the reading ended later.
   */
  known({ KAFKA_BROKERS, TOPIC_PREFIX }: Place, signal: AbortSignal): Promise<void> {
    if (this.#known !== null) return this.#known;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#known = promise;
    const onBatch = async ({ records }: { readonly records: readonly ReadRecord[] }): Promise<void> => {
      for (const { key, value } of records) await this.apply(key?.toString() ?? '', value);
    };
    follow({
      brokers: KAFKA_BROKERS,
      topics: [topicName(TOPIC_PREFIX, this.#topic)],
      signal,
      otherwise: 'beginning',
      onBatch,
      onCaughtUp: () => resolve(),
    }).then(resolve, (error: unknown) => {
      this.#known = null;
      reject(error);
    });
    return promise;
  }
}

/** The open dead letters. */
export class OpenLetters extends Followed {
  readonly #open = new Set<string>();

  constructor() {
    super('dead-letters');
  }

  get count(): number {
    return this.#open.size;
  }

  protected apply(id: string, value: Buffer | null): void {
    if (value === null) this.#open.delete(id);
    else this.#open.add(id);
  }
}

/** Which sources of messages may be believed. */
export class Health extends Followed {
  readonly #table = new HealthTable();
  readonly #decoder: Decoder<FeedHealth>;

  constructor({ SCHEMA_REGISTRY_URL, TOPIC_PREFIX }: Place) {
    super('feed-health');
    const registry = Registry.open({ url: SCHEMA_REGISTRY_URL, prefix: TOPIC_PREFIX });
    this.#decoder = registry.decoder('feed-health');
  }

  /** Every source now, by name. */
  sources(): SourceBelief[] {
    return this.#table.sources({ wall: Date.now(), steady: performance.now() });
  }

  /** Whether a match may be believed now. */
  match(eventId: number): Belief {
    return this.#table.match(eventId, { wall: Date.now(), steady: performance.now() });
  }

  protected async apply(key: string, value: Buffer | null): Promise<void> {
    const record = value === null ? null : await this.#decoder.decode(value);
    this.#table.apply(key, record, performance.now());
  }
}
