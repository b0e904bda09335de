import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import type { RunningService, ServiceContext } from '#service/run-service.ts';
import { createApp } from './app.ts';
import type { ReceiverConfig } from './config.ts';
import { type ReceiverMetrics, receiverMetrics } from './metrics.ts';
import { IntakePool } from './pool.ts';
import type { Report } from './threads.ts';

/** What the receiver needs of a service's context. */
export type ReceiverContext = Pick<ServiceContext<ReceiverConfig>, 'config' | 'logger' | 'metrics' | 'fail'>;

/** A receiver that listens. */
export type RunningReceiver = RunningService & { readonly port: number };

/** Starts the receiver: it listens once it can write to the topics. */
export async function startReceiver(context: ReceiverContext): Promise<RunningReceiver> {
  const { config, logger: log, metrics: registry, fail } = context;
  const metrics = receiverMetrics(registry, () => pool.pendingBytes);
  const pool = await IntakePool.open({
    workers: config.WEBHOOK_WORKERS || (availableParallelism() >= 4 ? 2 : 1),
    settings: {
      brokers: config.KAFKA_BROKERS,
      registryUrl: config.SCHEMA_REGISTRY_URL,
      prefix: config.TOPIC_PREFIX,
      timeoutMs: config.PATIENCE_MS,
      logLevel: config.LOG_LEVEL,
    },
    maxPendingBytes: config.QUEUE_LIMIT,
    patienceMs: config.PATIENCE_MS,
    onReport: (report) => count(metrics, report),
    onHandOver: (seconds) => metrics.storeSeconds.observe(seconds),
    onFailure: fail,
  });
  const app = createApp({
    secrets: config.WEBHOOK_SECRET,
    bodyLimit: config.BODY_LIMIT,
    patienceMs: config.PATIENCE_MS,
    store: (body, waitedMs) => pool.store(body, waitedMs),
    metrics,
    log,
  });
  await app.listen({ port: config.WEBHOOK_PORT, host: '0.0.0.0' });
  const { port } = app.server.address() as AddressInfo;
  log.info({ port }, 'POST /webhook');
  return {
    port,
    ready: () => pool.healthy,
    async stop() {
      await app.close();
      await pool.close();
    },
  };
}

function count(metrics: ReceiverMetrics, { messages, deadLetters }: Report): void {
  for (const [type, times] of Object.entries(messages)) metrics.messages.inc({ type }, times);
  for (const [code, times] of Object.entries(deadLetters)) metrics.deadLetters.inc({ code }, times);
}
