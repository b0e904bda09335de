import type { LightMyRequestResponse } from 'fastify';
import { onTestFinished } from 'vitest';
import { AllowedRanges } from '#outbound/addresses.ts';
import { createLogger } from '#service/logger.ts';
import { HttpsReceiver } from '../../../../test/support/https-receiver.ts';
import { createApp, type TestEndpointOptions } from '../test-endpoint.ts';

/** The signing secret of the tests. */
export const SECRET = '0123456789abcdef0123456789ABCDEF';
const LOOPBACK = new AllowedRanges(['127.0.0.0/8']);
/** A URL of the maximum length, without a listener. */
export const URL_OF_1024 = `https://localhost:1/${'x'.repeat(1004)}`;

type Send = (body: unknown, from?: string, path?: string, type?: string) => Promise<LightMyRequestResponse>;

/** Starts a test endpoint. Returns a function that sends requests to it, a text unchanged. */
export async function endpoint(options: Partial<TestEndpointOptions> = {}): Promise<Send> {
  const { ca } = await HttpsReceiver.start();
  const app = await createApp({
    proxies: 0,
    log: createLogger({ name: 'tester', level: 'silent' }),
    allowed: LOOPBACK,
    ca,
    now: Date.now,
    attemptsPerMinute: 1_000,
    timeoutMs: 60_000,
    ...options,
  });
  onTestFinished(() => app.close());
  return (body, remoteAddress = '192.0.2.1', url = '/test-webhook-url/', type = 'application/json') =>
    app.inject({
      method: 'POST',
      url,
      remoteAddress,
      headers: { 'content-type': type },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
}

/** Returns a valid request to test an address. */
export const inputFor = (url: string) => ({ url, secret: SECRET, clientId: 1 });
