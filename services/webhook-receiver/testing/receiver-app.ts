import { Registry } from 'prom-client';
import { onTestFinished, vi } from 'vitest';
import { createLogger } from '#service/logger.ts';
import { ReceiverApp, type ReceiverAppOptions } from '../app.ts';
import { receiverMetrics } from '../metrics.ts';
import { createSourceStatus } from '../source-status.ts';

/** The body limit of the app, bytes. */
export const LIMIT = 1_000;
export const SECRET = '0'.repeat(32);

/** Starts an app, which the end of the test closes. `store` replaces storing, and records the deliveries that it gets. */
export async function openReceiver(
  limits: Partial<ReceiverAppOptions['config']> = {},
  storing: ReceiverAppOptions['store'] = async () => {},
) {
  const registry = new Registry();
  const store = vi.fn(storing);
  const app = new ReceiverApp({
    config: {
      WEBHOOK_SECRET: [SECRET],
      BODY_LIMIT: LIMIT,
      PATIENCE_MS: 1_000,
      WEBHOOK_MAX_CONNECTIONS: 100,
      WEBHOOK_MAX_UNPROVEN_BYTES: 1_000_000,
      ...limits,
    },
    store,
    metrics: receiverMetrics(registry, {
      pendingBytes: () => 0,
      connections: () => app.connections(),
      unprovenBytes: () => app.unprovenBytes,
    }),
    status: createSourceStatus('one', Date.now()),
    log: createLogger({ name: 'receiver', level: 'silent' }),
  });
  onTestFinished(() => app.close());
  /** Returns the counts above 0 of `touchline_webhook_<name>_total`, by the value of its label. */
  const counted = async (name: string): Promise<Record<string, number>> => {
    const { values = [] } = (await registry.getSingleMetric(`touchline_webhook_${name}_total`)?.get()) ?? {};
    return Object.fromEntries(
      values.flatMap(({ labels, value }) => (value > 0 ? [[Object.values(labels)[0], value]] : [])),
    );
  };
  return { port: await app.listen({ port: 0, host: '127.0.0.1' }), counted, store, app };
}
