import { onTestFinished, vi } from 'vitest';
import { createLogger } from '#service/logger.ts';
import type { AdmissionLimits } from '../admission.ts';
import { ReceiverApp, type ReceiverAppOptions } from '../app.ts';
import { RequestTally } from '../tally.ts';

/** The body limit of the app, bytes. */
export const LIMIT = 1_000;
export const SECRET = '0'.repeat(32);

/** Starts an app, which the end of the test closes. `store` replaces storing, and records the deliveries that it gets. */
export async function openReceiver(
  limits: Partial<AdmissionLimits> = {},
  storing: ReceiverAppOptions['store'] = async () => {},
) {
  const tally = new RequestTally();
  const store = vi.fn(storing);
  const app = new ReceiverApp({
    secrets: [SECRET],
    bodyLimit: LIMIT,
    answerTimeoutMs: 1_000,
    store,
    limits: { maxConnections: 100, maxUnprovenBytes: 1_000_000, ...limits },
    tally,
    log: createLogger({ name: 'receiver', level: 'silent' }),
  });
  onTestFinished(() => app.close());
  return { port: await app.listen({ port: 0, host: '127.0.0.1' }), tally, store, app };
}
