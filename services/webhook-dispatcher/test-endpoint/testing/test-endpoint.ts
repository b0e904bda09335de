import { fastify, type LightMyRequestResponse } from 'fastify';
import { onTestFinished } from 'vitest';
import { AllowedRanges } from '#outbound/addresses.ts';
import { HttpsReceiver } from '../../../../test/support/https-receiver.ts';
import { type TestEndpointOptions, testEndpoint } from '../test-endpoint.ts';

/** The signing secret of the tests. */
export const SECRET = '0123456789abcdef0123456789ABCDEF';
const LOOPBACK = new AllowedRanges(['127.0.0.0/8']);
/** A URL of the maximum length, without a listener. */
export const URL_OF_1024 = `https://localhost:1/${'x'.repeat(1004)}`;

type Send = (body: unknown, from?: string, path?: string, type?: string) => Promise<LightMyRequestResponse>;

/** Starts a test endpoint. Returns a function that sends requests to it, a text unchanged. */
export async function endpoint(options: Partial<TestEndpointOptions> = {}): Promise<Send> {
  const app = fastify();
  onTestFinished(() => app.close());
  const { ca } = await HttpsReceiver.start();
  await app.register(testEndpoint, {
    allowed: LOOPBACK,
    ca,
    now: Date.now,
    attemptsPerMinute: 1_000,
    timeoutMs: 60_000,
    ...options,
  });
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
