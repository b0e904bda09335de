import type { AddressInfo } from 'node:net';
import { clientsKeysOf, deriveKeys } from '#clients/keys.ts';
import { type EndpointOptions, WebhookEndpoint } from '#outbound/endpoint.ts';
import { type OpenProcessor, openProcessor } from '#service/run-processor.ts';
import type { RunningService, ServiceContext, ServiceDefinition } from '#service/run-service.ts';
import { serverTlsFiles } from '#service/server-tls.ts';
import { streamTopics } from '#topics/processors.ts';
import { type DispatcherConfig, settings } from './config.ts';
import { AttemptLog } from './delivery/attempt-log.ts';
import type { DeliveryContext } from './delivery/delivery.ts';
import { Dispatcher } from './delivery/dispatcher.ts';
import { MessageSource } from './delivery/message-source.ts';
import { ProgressProcessor } from './delivery/progress-processor.ts';
import { WebhookSubscriptions } from './delivery/subscriptions.ts';
import { dispatcherMetrics, registerDeliveryGauges } from './metrics.ts';
import { createApp } from './test-endpoint/test-endpoint.ts';

/** The name of this service: its folder, its processor, its group. */
const SERVICE = 'webhook-dispatcher';

/** The topics whose values it writes. */
const WRITTEN = ['webhook-attempts', 'webhook-progress'] as const;

/** Maximum time that a stop waits for pending requests, milliseconds. */
const PENDING_REQUESTS_MS = 8_000;

/** The service: a task for each partition of subscriptions. */
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
  const open = await openProcessor(SERVICE, context, WRITTEN);
  const { client, codecs } = open;
  const { messages, attempts, source, subscriptions } = await openTopics(open, context);
  /** Allowed addresses of receivers, and authorities to trust. */
  const outbound = {
    allowed: config.WEBHOOK_ALLOWED_RANGES,
    ca: config.WEBHOOK_CA_FILE,
    proxy: config,
    now: Date.now,
  };
  const partitions = await client.partitionCount(open.topicName('webhook-attempts'));
  const dispatcher = new Dispatcher({
    context: {
      ...policyOf(config, outbound),
      messages,
      attempts,
      log,
      metrics: dispatcherMetrics(registers),
    },
    subscriptions,
    partitions,
  });
  registerDeliveryGauges(registers, () => dispatcher.figures());

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

  const progressTopic = open.topicName('webhook-progress');
  const stream = await open.run(
    (partition) => new ProgressProcessor({ partition, codecs, progressTopic, dispatcher }),
  );
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
    ready: () => stream.ready() && subscriptions.known && attempts.healthy,
    stop: async () => {
      await app.close();
      await dispatcher.drain(PENDING_REQUESTS_MS);
      stopping.abort();
      await Promise.all(Array.from({ length: partitions }, (_, partition) => dispatcher.release(partition)));
      await attempts.close();
      await stream.stop();
      await Promise.allSettled(following);
    },
  };
}

/** Opens messages, attempts and subscriptions. */
async function openTopics(
  { client, codecs, registry }: OpenProcessor<(typeof WRITTEN)[number]>,
  { config, logger: log }: ServiceContext<DispatcherConfig>,
) {
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix, DISPATCHER_WINDOW_BYTES: windowBytes } = config;
  const { application, input } = streamTopics(prefix, SERVICE);
  const source = { brokers, prefix, registry };
  const codec = codecs['webhook-attempts'];
  return {
    messages: await MessageSource.open({
      source,
      client,
      reader: application,
      windowBytes,
      backlogReads: config.DISPATCHER_BACKLOG_READS,
    }),
    attempts: await AttemptLog.open({ brokers, clientId: application, log, topic: input, codec }),
    source,
    subscriptions: new WebhookSubscriptions({ keys: deriveKeys(clientsKeysOf(config), 'webhooks'), log }),
  };
}

/** Returns the settings of deliveries. */
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
