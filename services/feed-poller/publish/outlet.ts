import type { Delivery } from '#ingestion/delivery.ts';
import { DELIVERY_TOPICS, type DeliveryEncoder, deliveryEncoder } from '#ingestion/records.ts';
import type { PublishRecord } from '#streams/publish/publisher.ts';
import type { Codec } from '#topics/codec.ts';
import type { CatalogueRecord, IngressStatus, Standings, StandingsEntry } from '#topics/generated/types.ts';
import type { Registry } from '#topics/registry.ts';
import { type TopicName, type TopicValues, topicName } from '#topics/topics.ts';
import type { PollerMetrics } from '../metrics.ts';

/** The topics that the poller writes. */
const WRITTEN = [
  ...DELIVERY_TOPICS,
  'catalogue',
  'standings-catalogue',
  'standings',
  'poller-checkpoints',
  'ingress-status',
] as const satisfies readonly TopicName[];

/** The codecs of the topics that the poller writes. */
export type OutletCodecs = { readonly [T in (typeof WRITTEN)[number]]: Codec<TopicValues[T]> };

/** What an outlet works with. */
export type OutletOptions = {
  readonly publish: (records: readonly PublishRecord[]) => Promise<void>;
  readonly codecs: OutletCodecs;
  readonly prefix: string;
  /** Throws where this process may not publish any more, because it may lead no longer. */
  readonly permit: () => void;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly metrics: Pick<
    PollerMetrics,
    'messages' | 'deadLetters' | 'catalogue' | 'rankings' | 'checkpoints'
  >;
};

/** Fetches the codecs of a registry. Throws what `Registry.codec` throws. */
export async function openOutletCodecs(registry: Registry): Promise<OutletCodecs> {
  const codecs = await Promise.all(
    WRITTEN.map(async (topic) => [topic, await registry.codec(topic)] as const),
  );
  return Object.fromEntries(codecs) as unknown as OutletCodecs;
}

/**
 * Everything that the poller writes. Each method resolves when all of it is acknowledged, and throws `PublishError`
 * where it is not, or what `permit` throws.
 */
export class Outlet {
  readonly #options: OutletOptions;
  readonly #encode: DeliveryEncoder;

  constructor(options: OutletOptions) {
    this.#options = options;
    this.#encode = deliveryEncoder(options.codecs, options.prefix);
  }

  /** Writes what a delivery holds. */
  async deliver(delivery: Delivery): Promise<void> {
    const { metrics } = this.#options;
    await this.#publish(this.#encode(delivery));
    const { normalized, deadLetters, ignored } = delivery;
    for (const { type } of normalized) metrics.messages.inc({ type });
    for (const times of ignored.values()) metrics.messages.inc({ type: 'unknown' }, times);
    for (const { code } of deadLetters) metrics.deadLetters.inc({ code });
  }

  /** Writes records of the catalogue. */
  async catalogue(entries: readonly CatalogueRecord[]): Promise<void> {
    await this.#publish(
      entries.map((entry) => this.#record('catalogue', `${entry.kind}/${entry.id}`, entry)),
    );
    for (const { kind } of entries) this.#options.metrics.catalogue.inc({ kind });
  }

  /** Writes a ranking of the provider, or its entry alone. */
  async ranking({ entry, table }: { entry: StandingsEntry; table: Standings | null }): Promise<void> {
    const key = String(entry.standings_id);
    const records = [this.#record('standings-catalogue', key, entry)];
    // The table first: whoever finds the entry finds the table too.
    if (table !== null) records.unshift(this.#record('standings', key, table));
    await this.#publish(records);
    this.#options.metrics.rankings.inc();
  }

  /** Says that everything of a resource up to a time of the provider (Unix seconds) is published. */
  async checkpoint(resource: string, position: number): Promise<void> {
    const checkpoint = { resource, position, written_at: this.#options.now() };
    await this.#publish([this.#record('poller-checkpoints', resource, checkpoint)]);
    this.#options.metrics.checkpoints.inc();
  }

  /** Writes how the provider's feed fares. */
  async status(status: IngressStatus): Promise<void> {
    await this.#publish([this.#record('ingress-status', status.source, status)]);
  }

  #record<T extends keyof OutletCodecs>(topic: T, key: string, value: TopicValues[T]): PublishRecord {
    const { codecs, prefix } = this.#options;
    const codec = codecs[topic] as unknown as Codec<TopicValues[T]>;
    return { topic: topicName(prefix, topic), key, value: codec.encode(value) };
  }

  async #publish(records: readonly PublishRecord[]): Promise<void> {
    this.#options.permit();
    await this.#options.publish(records);
  }
}
