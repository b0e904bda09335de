import { DELIVERY_TOPICS, deliveryEncoder, type ReadDelivery } from '#ingestion/delivery.ts';
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

export type TopicWriter = ReturnType<typeof createTopicWriter>;

/** Writes all topics of the poller; resolves once acknowledged. Throws `PublishError`, and what `requireTerm` throws. */
export function createTopicWriter(options: TopicWriterOptions) {
  const { codecs, prefix, metrics, now, log } = options;
  const encode = deliveryEncoder(codecs, prefix);
  /** Paths of unread fields that the log has named. */
  const namedPaths = new Set<string>();

  const publish = async (records: readonly PublishRecord[]): Promise<void> => {
    options.requireTerm();
    await options.publish(records);
  };
  const recordOf = <T extends keyof TopicCodecs>(topic: T, key: string, value: TopicValues[T]) => {
    const codec = codecs[topic] as unknown as Codec<TopicValues[T]>;
    return { topic: topicName(prefix, topic), key, value: codec.encode(value) };
  };
  const countUnread = (paths: Iterable<string>): void => {
    for (const path of paths) {
      metrics.unread.inc({ path });
      logUnread(log, path, namedPaths);
    }
  };
  return {
    async deliver(delivery: ReadDelivery): Promise<void> {
      const span = tracer()?.start('read from the provider', { kind: 'internal' }) ?? null;
      await publishTraced(publish, encode(delivery), span).finally(() => span?.end());
      const { raw, normalized, deadLetters, ignored } = delivery;
      if (raw !== null) metrics.stages.received_to_published(now() - raw.received_at);
      for (const { type, unread, unreadable } of normalized) {
        // A mark is of a message that is counted as a dead letter.
        if (unreadable === null) metrics.messages.inc({ type });
        for (const path of unread) metrics.unread.inc({ path });
      }
      for (const times of ignored.values()) metrics.messages.inc({ type: 'unknown' }, times);
      for (const { code } of deadLetters) metrics.deadLetters.inc({ code });
      logDelivery(log, delivery, namedPaths);
    },
    /** Writes records of the catalogue. `unread`: the paths of what could not be read of them. */
    async catalogue(entries: readonly CatalogueRecord[], unread: Iterable<string>): Promise<void> {
      await publish(entries.map((entry) => recordOf('catalogue', keyOf(entry), entry)));
      for (const { kind } of entries) metrics.catalogue.inc({ kind });
      countUnread(unread);
    },
    /** Writes a ranking of the provider. `unread`: as of `catalogue`. */
    async ranking(ranking: ProviderStandings, unread: Iterable<string> = []): Promise<void> {
      await publish([recordOf('provider-standings', String(ranking.standings_id), ranking)]);
      metrics.rankings.inc();
      countUnread(unread);
    },
    /** Writes a checkpoint: a resource is published up to `position`, a time of the provider (Unix seconds). `events`: those of a list. */
    async checkpoint(resource: string, position: number, events: readonly number[] = []): Promise<void> {
      const checkpoint = { resource, position, events: [...events], written_at: now() };
      await publish([recordOf('poller-checkpoints', resource, checkpoint)]);
      metrics.checkpoints.inc();
    },
    forget: (resource: string): Promise<void> =>
      publish([{ topic: topicName(prefix, 'poller-checkpoints'), key: resource, value: null }]),
    status: (status: IngressStatus): Promise<void> =>
      publish([recordOf('ingress-status', status.source, status)]),
  };
}

export function keyOf({ kind, id }: Pick<CatalogueRecord, 'kind' | 'id'>): string {
  return `${kind}/${id}`;
}
