import { randomUUID } from 'node:crypto';
import type { RunningService, ServiceContext, ServiceDefinition } from '#service/run-service.ts';
import { serverTlsFiles } from '#service/server-tls.ts';
import { tracingOptions } from '#service/tracing-settings.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { type ReceiverConfig, SERVICE, settings, threadsOf } from './config.ts';
import { receiverMetrics } from './metrics.ts';
import { SourceStatus, StatusReporter } from './source-status.ts';
import { ReceiverThreads } from './threads.ts';

/** What the receiver uses of a service's context. */
export type ReceiverContext = Pick<
  ServiceContext<ReceiverConfig>,
  'config' | 'logger' | 'metrics' | 'draining' | 'fail'
> & {
  /** Timeout of each thread's connection to the broker, milliseconds. Default 30,000. */
  readonly connectTimeoutMs?: number;
};

type RunningReceiver = RunningService & { readonly port: number };

/** Default timeout of connecting. It may exceed that of a delivery: at a start no sender waits for an answer. */
const CONNECT_TIMEOUT_MS = 30_000;

export const webhookReceiver: ServiceDefinition<typeof settings> = {
  name: SERVICE,
  about: 'Receives the signed messages of the provider: POST /webhook.',
  config: settings,
  start: startReceiver,
};

/** Starts the receiver, which listens once it can write to the topics. */
export async function startReceiver(context: ReceiverContext): Promise<RunningReceiver> {
  const { config, logger: log, metrics: registry, draining, fail } = context;
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = context;
  const threads = new ReceiverThreads({
    onReport(report) {
      count(report);
      const isUrgent = status.count(report, Date.now());
      if (isUrgent) void reporter?.report();
    },
    onFailure: fail,
  });
  const status = new SourceStatus(randomUUID(), Date.now());
  let reporter: StatusReporter | null = null;
  const count = receiverMetrics(registry, threads);
  const size = threadsOf(config);
  const port = await threads.start(size, {
    brokers: config.KAFKA_BROKERS,
    registryUrl: config.SCHEMA_REGISTRY_URL,
    prefix: config.TOPIC_PREFIX,
    secrets: config.WEBHOOK_SECRET,
    port: config.WEBHOOK_PORT,
    host: config.LISTEN_HOST,
    bodyLimit: config.BODY_LIMIT,
    answerTimeoutMs: config.PATIENCE_MS,
    connectTimeoutMs,
    maxQueueBytes: Math.ceil(config.QUEUE_LIMIT / size),
    limits: {
      maxConnections: Math.floor(config.WEBHOOK_MAX_CONNECTIONS / size),
      maxUnprovenBytes: Math.floor(config.WEBHOOK_MAX_UNPROVEN_BYTES / size),
    },
    tls: serverTlsFiles(config),
    logLevel: config.LOG_LEVEL,
    tracing: tracingOptions(SERVICE, config),
  });
  draining.addEventListener('abort', () => threads.drain(), { once: true });
  reporter = await openReporter(context, status);
  log.info({ host: config.LISTEN_HOST, port, threads: size }, 'POST /webhook');
  return {
    port,
    ready: () => threads.healthy,
    async stop() {
      await threads.stop();
      await reporter?.stop();
    },
  };
}

/** Opens a reporter with a publisher on a separate connection: the threads reserve theirs for deliveries. */
async function openReporter(
  { config, logger: log }: ReceiverContext,
  status: SourceStatus,
): Promise<StatusReporter> {
  const { KAFKA_BROKERS: brokers, SCHEMA_REGISTRY_URL: url, TOPIC_PREFIX: prefix } = config;
  const codec = await Registry.open({ url, prefix }).codec('ingress-status');
  const publisher = await openPublisher({ brokers, clientId: SERVICE, log, timeoutMs: config.PATIENCE_MS });
  return new StatusReporter({ status, publisher, codec, topic: topicName(prefix, 'ingress-status'), log });
}
