import { clientsKeysOf, deriveKeys } from '#clients/keys.ts';
import { WebhookEndpoint } from '#outbound/endpoint.ts';
import { openProcessor } from '#service/run-processor.ts';
import type { RunningService, ServiceContext } from '#service/run-service.ts';
import { serverTlsFiles } from '#service/server-tls.ts';
import type { Brokers } from '#streams/client/brokers.ts';
import {
  type LogBounds,
  partitionKey,
  type StreamClient,
  type TopicPartition,
} from '#streams/client/port.ts';
import { follow, offsetsAt } from '#streams/read/follow.ts';
import type { WebhookProgress } from '#topics/generated/types.ts';
import { streamTopics } from '#topics/processors.ts';
import { attemptOf } from '#webhooks/progress.ts';
import type { DispatcherConfig } from './config.ts';
import { AttemptLog } from './delivery/attempt-log.ts';
import { BacklogReader } from './delivery/backlog-reader.ts';
import { Deliverer } from './delivery/deliverer.ts';
import type { DeliveryContext } from './delivery/delivery-context.ts';
import { DispatcherPartition } from './delivery/dispatcher-partition.ts';
import { MessageWindow } from './delivery/message-window.ts';
import { type Subscription, Subscriptions } from './delivery/subscriptions.ts';
import { dispatcherMetrics } from './metrics.ts';
import { SERVICE } from './name.ts';
import { startServer } from './test-endpoint/server.ts';

/** How long a stop waits for pending requests. */
const PENDING_REQUESTS_MS = 8_000;

/** Starts the dispatcher: it delivers once it knows the clients and owns partitions of subscriptions. */
export async function startDispatcher(context: ServiceContext<DispatcherConfig>): Promise<RunningService> {
  const { config, logger: log, metrics: registers, draining, fail } = context;
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix } = config;
  const open = await openProcessor(SERVICE, context, ['webhook-attempts', 'webhook-progress']);
  const { client, codecs, registry, topicName: named } = open;
  const topics = streamTopics(prefix, SERVICE);
  const messages = await partitionsOf(client, named('webhook-messages'));
  const ends = (await client.logBounds(messages)).map(({ end }) => end);
  const window = new MessageWindow(ends, config.DISPATCHER_WINDOW_BYTES);
  const attempts = await AttemptLog.open({
    brokers,
    clientId: topics.application,
    log,
    topic: topics.input,
    codec: codecs['webhook-attempts'],
  });
  const decoder = registry.decoder('webhook-messages');
  const outbound = {
    allowed: config.WEBHOOK_ALLOWED_RANGES,
    ...(config.WEBHOOK_CA_FILE === undefined ? {} : { ca: config.WEBHOOK_CA_FILE }),
    now: Date.now,
  };
  const subscriptions = new Subscriptions({
    brokers,
    topic: named('clients'),
    decoder: registry.decoder('clients'),
    log,
    keys: deriveKeys(clientsKeysOf(config), 'webhooks'),
    onChange: () => deliverer.refresh(),
  });
  const delivery: DeliveryContext = {
    window,
    backlog: new BacklogReader({
      client,
      topic: named('webhook-messages'),
      decoder,
      concurrency: config.DISPATCHER_BACKLOG_READS,
      cacheBytes: config.DISPATCHER_WINDOW_BYTES / 2,
    }),
    openEndpoint: ({ url, secret }) =>
      new WebhookEndpoint({
        ...outbound,
        url,
        secret,
        connections: 1,
        timeoutMs: config.WEBHOOK_TIMEOUT_MS,
      }),
    startOf: (subscription) => startOf(subscription, { brokers, messages, window }),
    record: (attempt) => attempts.record(attempt),
    limits: { messages: config.WEBHOOK_BATCH_MESSAGES, bytes: config.WEBHOOK_BATCH_BYTES },
    policy: {
      delaysMs: config.WEBHOOK_RETRY_SECONDS.map((seconds) => seconds * 1_000),
      maxRetryAfterMs: config.WEBHOOK_RETRY_AFTER_LIMIT_SECONDS * 1_000,
    },
    disableAfterMs: config.WEBHOOK_DISABLE_HOURS * 3_600_000,
    now: Date.now,
    random: Math.random,
    log,
    metrics: dispatcherMetrics(registers, () => deliverer.source()),
  };
  const subscriptionPartitions = await client.partitionCount(topics.input);
  const deliverer = new Deliverer({ context: delivery, subscriptions, partitions: subscriptionPartitions });

  const stopping = new AbortController();
  const following = [
    subscriptions.follow(stopping.signal),
    follow({
      brokers,
      reader: topics.application,
      topics: [named('webhook-messages')],
      from: new Map(messages.map((of, at) => [partitionKey(of), ends[at] ?? 0])),
      signal: stopping.signal,
      onBatch: async ({ partition, records, next }) => {
        const placed = [];
        for (const { offset, value, traceparent } of records) {
          if (value === null) continue;
          const message = await decoder.decode(value);
          // A copy: otherwise a few messages would keep all bytes fetched with them.
          placed.push({
            offset,
            message: { ...message, message: Buffer.from(message.message) },
            traceparent,
          });
        }
        window.add(partition, placed, next);
        deliverer.offer(placed);
      },
    }),
  ];
  for (const one of following) one.catch(fail);

  const stream = await open.run(
    (partition) =>
      new DispatcherPartition({
        partition,
        codecs,
        progressTopic: named('webhook-progress'),
        listener: {
          own: (of, progress) => {
            deliverer.own(of, progress);
            rewindLost(progress.values(), { client, messages, delivery }).catch((error: unknown) =>
              log.warn({ err: error }, 'the ends of webhook-messages cannot be read'),
            );
          },
          committed: (of, changed) => deliverer.committed(of, changed),
          release: (of) => deliverer.release(of),
        },
      }),
  );
  const server = await startServer({
    ...outbound,
    attemptsPerMinute: config.WEBHOOK_TESTS_PER_MINUTE,
    port: config.DISPATCHER_PORT,
    host: config.LISTEN_HOST,
    proxies: config.DISPATCHER_PROXIES,
    tls: serverTlsFiles(config),
    draining,
    log,
  });
  log.info({ host: config.LISTEN_HOST, port: server.port }, 'POST /test-webhook-url/');
  return {
    ready: () => stream.ready() && subscriptions.known && attempts.healthy,
    stop: async () => {
      await server.close();
      await deliverer.drain(PENDING_REQUESTS_MS);
      stopping.abort();
      await Promise.all(Array.from({ length: subscriptionPartitions }, (_, of) => deliverer.release(of)));
      await attempts.close();
      await stream.stop();
      await Promise.allSettled(following);
    },
  };
}

async function partitionsOf(client: StreamClient, topic: string): Promise<TopicPartition[]> {
  const count = await client.partitionCount(topic);
  return Array.from({ length: count }, (_, partition) => ({ topic, partition }));
}

/** From its creation on; from now on where that is unknown. */
async function startOf(
  { createdAt }: Subscription,
  { brokers, messages, window }: { brokers: Brokers; messages: TopicPartition[]; window: MessageWindow },
): Promise<number[]> {
  const [first] = messages;
  if (createdAt === null || first === undefined)
    return messages.map(({ partition }) => window.nextOf(partition));
  const found = await offsetsAt({ brokers, topic: first.topic, time: createdAt });
  return messages.map((of) => found.get(partitionKey(of)) ?? 0);
}

/**
 * Resends from the start of webhook-messages to subscriptions whose progress is beyond its end: the topic was created
 * again, or restored from a backup. Ids tell receivers which messages are duplicates.
 */
async function rewindLost(
  progress: Iterable<WebhookProgress>,
  {
    client,
    messages,
    delivery,
  }: { client: StreamClient; messages: TopicPartition[]; delivery: DeliveryContext },
): Promise<void> {
  const all = [...progress];
  if (all.length === 0) return;
  const bounds = await client.logBounds(messages);
  const next = bounds.map(({ start: offset }: LogBounds, partition) => ({ partition, offset }));
  for (const { subscription_id, client_id, epoch, next: reached } of all) {
    if (reached.every(({ partition, offset }) => offset <= (bounds[partition]?.end ?? 0))) continue;
    delivery.log.error(
      { client: client_id, subscription: subscription_id, code: 'POSITION_LOST' },
      'webhook-messages ends before what was delivered: it is sent from its start',
    );
    const head = { subscription_id, client_id, kind: 'resent', epoch, at: delivery.now() } as const;
    await delivery.record(attemptOf(head, { reason: 'POSITION_LOST', next }));
  }
}
