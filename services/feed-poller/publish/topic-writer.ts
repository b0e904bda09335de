import {
  DELIVERY_TOPICS,
  type DeliveryEncoder,
  deliveryEncoder,
  type ReadDelivery,
} from '#ingestion/delivery.ts';
import { logDelivery, logUnread } from '#ingestion/delivery-log.ts';
import type { CatalogueRecord, IngressStatus, ProviderStandings, TopicValues } from '#records/types.ts';
import type { PublishRecord } from '#streams/client/port.ts';
import type { Logger } from '#streams/log.ts';
import type { Codec } from '#topics/codec.ts';
import type { CodecsOf } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { publishTraced, tracer } from '#tracing/tracing.ts';
import type { PollerMetrics } from '../metrics.ts';

export const WRITTEN_TOPICS = [
  ...DELIVERY_TOPICS,
  'catalogue',
  'provider-standings',
  'poller-checkpoints',
  'ingress-status',
] as const satisfies readonly TopicName[];

type TopicCodecs = CodecsOf<(typeof WRITTEN_TOPICS)[number]>;

type TopicWriterOptions = {
  readonly publish: (records: readonly PublishRecord[]) => Promise<void>;
  readonly codecs: TopicCodecs;
  readonly prefix: string;
  /** Throws when this process no longer leads and must not publish. */
  readonly requireTerm: () => void;
  readonly now: () => number;
  readonly metrics: Pick<
    PollerMetrics,
    'messages' | 'deadLetters' | 'unread' | 'catalogue' | 'rankings' | 'checkpoints' | 'stages'
  >;
  readonly log: Logger;
};

/** Writes all topics of the poller; resolves once acknowledged. Throws `PublishError`, and what `requireTerm` throws. */
export class TopicWriter {
  readonly #options: TopicWriterOptions;
  readonly #encode: DeliveryEncoder;
  /** Paths of unread fields that the log has named. */
  readonly #namedPaths = new Set<string>();

  constructor(options: TopicWriterOptions) {
    this.#options = options;
    this.#encode = deliveryEncoder(options.codecs, options.prefix);
  }

  async deliver(delivery: ReadDelivery): Promise<void> {
    const { metrics, now, log } = this.#options;
    const records = this.#encode(delivery);
    const span = tracer()?.start('read from the provider', { kind: 'internal' }) ?? null;
    await publishTraced((traced) => this.#publish(traced), records, span).finally(() => span?.end());
    const { raw, normalized, deadLetters, ignored } = delivery;
    if (raw !== null) metrics.stages.received_to_published(now() - raw.received_at);
    for (const { type, unread, unreadable } of normalized) {
      // A mark is of a message that is counted as a dead letter.
      if (unreadable === null) metrics.messages.inc({ type });
      for (const path of unread) metrics.unread.inc({ path });
    }
    for (const times of ignored.values()) metrics.messages.inc({ type: 'unknown' }, times);
    for (const { code } of deadLetters) metrics.deadLetters.inc({ code });
    logDelivery(log, delivery, this.#namedPaths);
  }

  /** Writes records of the catalogue. `unread`: the paths of what could not be read of them. */
  async catalogue(entries: readonly CatalogueRecord[], unread: Iterable<string>): Promise<void> {
    await this.#publish(entries.map((entry) => this.#record('catalogue', keyOf(entry), entry)));
    for (const { kind } of entries) this.#options.metrics.catalogue.inc({ kind });
    this.#countUnread(unread);
  }

  /** Writes a ranking of the provider. `unread`: as of `catalogue`. */
  async ranking(ranking: ProviderStandings, unread: Iterable<string> = []): Promise<void> {
    await this.#publish([this.#record('provider-standings', String(ranking.standings_id), ranking)]);
    this.#options.metrics.rankings.inc();
    this.#countUnread(unread);
  }

  /** Writes a checkpoint: a resource is published up to `position`, a time of the provider (Unix seconds). `events`: those of a list. */
  async checkpoint(resource: string, position: number, events: readonly number[] = []): Promise<void> {
    const checkpoint = { resource, position, events: [...events], written_at: this.#options.now() };
    await this.#publish([this.#record('poller-checkpoints', resource, checkpoint)]);
    this.#options.metrics.checkpoints.inc();
  }

  async forget(resource: string): Promise<void> {
    const topic = topicName(this.#options.prefix, 'poller-checkpoints');
    await this.#publish([{ topic, key: resource, value: null }]);
  }

  async status(status: IngressStatus): Promise<void> {
    await this.#publish([this.#record('ingress-status', status.source, status)]);
  }

  #countUnread(paths: Iterable<string>): void {
    for (const path of paths) {
      this.#options.metrics.unread.inc({ path });
      logUnread(this.#options.log, path, this.#namedPaths);
    }
  }

  #record<T extends keyof TopicCodecs>(topic: T, key: string, value: TopicValues[T]): PublishRecord {
    const { codecs, prefix } = this.#options;
    const codec = codecs[topic] as unknown as Codec<TopicValues[T]>;
    return { topic: topicName(prefix, topic), key, value: codec.encode(value) };
  }

  async #publish(records: readonly PublishRecord[]): Promise<void> {
    this.#options.requireTerm();
    await this.#options.publish(records);
  }
}

export function keyOf({ kind, id }: Pick<CatalogueRecord, 'kind' | 'id'>): string {
  return `${kind}/${id}`;
}
