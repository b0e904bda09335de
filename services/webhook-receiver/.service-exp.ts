import type { AddressInfo } from 'node:net';
import type { RunningService, ServiceContext } from '#service/run-service.ts';
import { openPublisher } from '#streams/.pub-exp.ts';
import { Registry } from '#topics/registry.ts';
import { createApp } from './app.ts';
import type { ReceiverConfig } from './config.ts';
import { createIntake, SERVICE } from './intake.ts';
import { receiverMetrics } from './metrics.ts';
import { openDeliveryEncoder } from './records.ts';

/** What the receiver needs of a service's context. */
export type ReceiverContext = Pick<ServiceContext<ReceiverConfig>, 'config' | 'logger' | 'metrics'>;

/** A receiver that listens. */
export type RunningReceiver = RunningService & { readonly port: number };

/** Starts the receiver: it listens once it can write to the topics. */
export async function startReceiver({
  config,
  logger: log,
  metrics: registry,
}: ReceiverContext): Promise<RunningReceiver> {
  const encode = await openDeliveryEncoder(
    Registry.open({ url: config.SCHEMA_REGISTRY_URL, prefix: config.TOPIC_PREFIX }),
    config.TOPIC_PREFIX,
  );
  const publisher = await openPublisher({
    brokers: config.KAFKA_BROKERS,
    clientId: SERVICE,
    log,
    timeoutMs: config.PATIENCE_MS,
    maxQueueBytes: config.QUEUE_LIMIT,
  });
  const metrics = receiverMetrics(registry, () => publisher.queuedBytes);
  const app = createApp({
    secrets: config.WEBHOOK_SECRET,
    bodyLimit: config.BODY_LIMIT,
    patienceMs: config.PATIENCE_MS,
    intake: createIntake({ publisher, encode, metrics, log }),
    metrics,
    log,
  });
  await app.listen({ port: config.WEBHOOK_PORT, host: '0.0.0.0' });
  const { port } = app.server.address() as AddressInfo;
  log.info({ port }, 'POST /webhook');
  return {
    port,
    ready: () => publisher.healthy,
    async stop() {
      await app.close();
      await publisher.close();
    },
  };
}
