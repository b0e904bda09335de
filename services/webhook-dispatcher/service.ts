import type { AddressInfo } from 'node:net';
import { deriveKeys } from '#clients/keys.ts';
import { type EndpointOptions, WebhookEndpoint } from '#outbound/endpoint.ts';
import type { RunningService, ServiceContext, ServiceDefinition } from '#service/run-service.ts';
import { serverTlsFiles } from '#service/server-tls.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { instanceId, Leadership } from '#streams/leadership.ts';
import { machineClock } from '#timing/clock.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { type DispatcherConfig, settings } from './config.ts';
import type { DeliveryContext } from './delivery/delivery.ts';
import { Dispatcher, registerDeliveryGauges } from './delivery/dispatcher.ts';
import { openBacklog } from './delivery/message-backlog.ts';
import { openMessageReader } from './delivery/message-reader.ts';
import { ownPartition } from './delivery/progress-log.ts';
import { WebhookSubscriptions } from './delivery/subscriptions.ts';
import { dispatcherMetrics } from './metrics.ts';
import { createApp } from './test-endpoint/test-endpoint.ts';

const SERVICE = 'webhook-dispatcher';

const PENDING_REQUESTS_MS = 8_000;

/** The service: each partition of subscriptions has one owner among its processes. */
export const webhookDispatcher: ServiceDefinition<typeof settings> = {
  name: SERVICE,
  about:
    'Delivers messages to the webhooks of clients, at least once and in order. Has POST /test-webhook-url/.',
  config: settings,
  start: startDispatcher,
};

/** Starts the dispatcher: it delivers once it knows the clients and owns partitions of subscriptions. */
async function startDispatcher(context: ServiceContext<DispatcherConfig>): Promise<RunningService> {
  const { config, logger: log, metrics: registers, draining, fail } = context;
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix } = config;
  const application = `${prefix}${SERVICE}`;
  const registry = new Registry({ url: config.SCHEMA_REGISTRY_URL, prefix });
  const codec = await registry.codec('webhook-progress');
  const client = openStreamClient({ brokers, clientId: application, log });
  const source = { brokers, prefix, registry };
  const messages = await openMessageReader({
    source,
    client,
    reader: application,
    windowBytes: config.DISPATCHER_WINDOW_BYTES,
  });
  const backlog = openBacklog({
    source,
    client,
    partitions: messages.partitions,
    cacheBytes: config.DISPATCHER_WINDOW_BYTES / 2,
    concurrentReads: config.DISPATCHER_BACKLOG_READS,
  });
  const subscriptions = new WebhookSubscriptions({
    keys: deriveKeys(config, 'webhooks'),
    log,
  });
  /** Allowed addresses of receivers, and authorities to trust. */
  const outbound = {
    allowed: config.WEBHOOK_ALLOWED_RANGES,
    ca: config.WEBHOOK_CA_FILE,
    proxy: config,
    now: Date.now,
  };
  const topic = topicName(prefix, 'webhook-progress');
  const partitions = await client.partitionCount(topic);
  const dispatcher = new Dispatcher({
    context: { ...policyOf(config, outbound), messages, backlog, log, metrics: dispatcherMetrics(registers) },
    subscriptions,
    partitions,
  });
  const stopping = new AbortController();
  const following = [
    subscriptions.follow(source, stopping.signal, () => dispatcher.refresh()),
    messages.follow(
      stopping.signal,
      (latest) => dispatcher.offer(latest),
      () => dispatcher.isIdle,
    ),
  ];
  for (const one of following) one.catch(fail);

  const leadership = new Leadership({
    client,
    group: application,
    topic,
    partitions,
    sessionTimeoutMs: config.SESSION_TIMEOUT_MS,
    instanceId: instanceId(SERVICE, config.GROUP_INSTANCE_ID),
    leaves: config.LEAVE_ON_STOP === 'on',
    onFenced: fail,
    clock: machineClock,
    lead: (term, partition) =>
      ownPartition({ client, topic, application, codec }, dispatcher, partition, term),
    // The next owner of a partition fences this one.
    outlastsOutages: true,
    log,
  });
  const unclaimed = (): number =>
    [...leadership.owned].filter((partition) => !dispatcher.owns(partition)).length;
  registerDeliveryGauges(registers, dispatcher, unclaimed);
  await leadership.start();
  const app = await createApp({
    ...outbound,
    attemptsPerMinute: config.WEBHOOK_TESTS_PER_MINUTE,
    proxies: config.DISPATCHER_PROXIES,
    tls: serverTlsFiles(config),
    draining,
    log,
  });
  const host = config.LISTEN_HOST;
  await app.listen({ port: config.DISPATCHER_PORT, host });
  log.info({ host, port: (app.server.address() as AddressInfo).port }, 'POST /test-webhook-url/');
  return {
    ready: () => leadership.joined && subscriptions.known && unclaimed() === 0,
    stop: async () => {
      await app.close();
      await dispatcher.drain(PENDING_REQUESTS_MS);
      await leadership.stop();
      stopping.abort();
      await Promise.allSettled(following);
      await client.close();
    },
  };
}

function policyOf(
  config: DispatcherConfig,
  outbound: Pick<EndpointOptions, 'allowed' | 'ca' | 'proxy' | 'now'>,
): Pick<DeliveryContext, 'openEndpoint' | 'limits' | 'delaysMs' | 'disableAfterMs' | 'now' | 'random'> {
  return {
    openEndpoint: ({ url, secret, format }) =>
      new WebhookEndpoint({
        ...outbound,
        url,
        secret,
        isContract: format === null,
        timeoutMs: config.WEBHOOK_TIMEOUT_MS,
      }),
    limits: { messages: config.WEBHOOK_BATCH_MESSAGES, bytes: config.WEBHOOK_BATCH_BYTES },
    delaysMs: config.WEBHOOK_RETRY_SECONDS.map((seconds) => seconds * 1_000),
    disableAfterMs: config.WEBHOOK_DISABLE_HOURS * 3_600_000,
    now: Date.now,
    random: Math.random,
  };
}
