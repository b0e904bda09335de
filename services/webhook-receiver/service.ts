import { randomUUID } from 'node:crypto';
import { DELIVERY_TOPICS, deliveryEncoder } from '#ingestion/delivery.ts';
import type { RunningService, ServiceContext, ServiceDefinition } from '#service/run-service.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { ReceiverApp } from './app.ts';
import { type ReceiverConfig, SERVICE, settings } from './config.ts';
import { openIntake } from './intake.ts';
import { receiverMetrics } from './metrics.ts';
import { createSourceStatus, oneAtATime } from './source-status.ts';

type ReceiverContext = Pick<ServiceContext<ReceiverConfig>, 'config' | 'logger' | 'metrics' | 'draining'>;

type RunningReceiver = RunningService & { readonly port: number };

/** Timeout of connecting. It may exceed that of a delivery: at a start no sender waits for an answer. */
const CONNECT_TIMEOUT_MS = 30_000;
/** Interval between reports: a third of the time after which the monitor considers the receiver gone. */
const REPORT_MS = 3_000;

export const webhookReceiver: ServiceDefinition<typeof settings> = {
  name: SERVICE,
  about: 'Receives the signed messages of the provider: POST /webhook.',
  config: settings,
  start: startReceiver,
};

/** Starts the receiver, which listens once it can write to the topics. */
export async function startReceiver({
  config,
  logger: log,
  metrics: registry,
  draining,
}: ReceiverContext): Promise<RunningReceiver> {
  const { KAFKA_BROKERS: brokers, SCHEMA_REGISTRY_URL: url, TOPIC_PREFIX: prefix } = config;
  const answerTimeoutMs = config.PATIENCE_MS;
  const codecs = new Registry({ url, prefix });
  const [deliveryCodecs, codec] = await Promise.all([
    codecs.codecs(DELIVERY_TOPICS),
    codecs.codec('ingress-status'),
  ]);
  const encode = deliveryEncoder(deliveryCodecs, prefix);
  const publisher = await openPublisher({
    brokers,
    clientId: SERVICE,
    log,
    timeoutMs: answerTimeoutMs,
    openTimeoutMs: CONNECT_TIMEOUT_MS,
    maxQueueBytes: config.QUEUE_LIMIT,
  });
  const metrics = receiverMetrics(registry, {
    pendingBytes: () => publisher.queuedBytes,
    connections: () => app.connections(),
    unprovenBytes: () => app.unprovenBytes,
  });
  const status = createSourceStatus(randomUUID(), Date.now());
  const topic = topicName(prefix, 'ingress-status');
  // A flood of unreadable messages must not become one of reports.
  const report = oneAtATime(async () => {
    try {
      const current = status.report(Date.now());
      await publisher.publish([{ topic, key: current.source, value: codec.encode(current) }]);
    } catch (error) {
      log.debug({ err: error }, 'the status of the source was not written');
    }
  });
  const reporting = setInterval(report, REPORT_MS);
  report();
  const store = openIntake({
    publisher,
    encode,
    answerTimeoutMs,
    metrics,
    status,
    onUnreadable: report,
    log,
  });
  const app = new ReceiverApp({ config, store, metrics, status, log });
  const stop = async (): Promise<void> => {
    await app.close();
    clearInterval(reporting);
    await publisher.close();
  };
  draining.addEventListener('abort', () => app.drain(), { once: true });
  const port = await app.listen({ port: config.WEBHOOK_PORT, host: config.LISTEN_HOST });
  log.info({ host: config.LISTEN_HOST, port }, 'POST /webhook');
  return { port, ready: () => publisher.healthy, stop };
}
