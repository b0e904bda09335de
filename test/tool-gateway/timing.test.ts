/** A wrong id and a wrong secret take the same time: nobody learns from it which ids there are. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createLogger } from '#service/logger.ts';
import { createApp } from '../../services/tool-gateway/app.ts';
import { Exchange } from '../../services/tool-gateway/token-exchange/exchange.ts';
import { Upstream } from '../../services/tool-gateway/token-exchange/upstream.ts';
import { clients, startApi, temporaryFolder } from '../api/support.ts';
import { place } from './support.ts';

/** Of each kind. */
const SAMPLES = 200;
/** Largest difference of the medians, as a share of them. */
const THRESHOLD = 0.05;

it(`differs by less than ${THRESHOLD * 100} % in the median of ${SAMPLES} samples each`, async () => {
  const at = await place();
  const api = await startApi(at, temporaryFolder());
  await clients(at, 'add --id 7');
  const upstream = new Upstream({
    ...{ baseUrl: api.url, timeoutMs: 30_000, onAnswer: () => {} },
  });
  const log = createLogger({ name: 'test', level: 'silent' });
  const { signal } = new AbortController();
  const app = await createApp({
    ...{ trustedProxies: [], log, onAnswer: () => {} },
    exchange: new Exchange({
      // The limits would end the measurement after ten; counting is the same for every id.
      count: async () => null,
      check: (clientId, secretKey) => upstream.check(clientId, secretKey, signal),
      contracts: { findSoon: async () => undefined },
      issuer: { issue: () => expect.unreachable() },
      ...{ key: createSecretKey(randomBytes(32)), now: Date.now, log },
    }),
  });
  const timed = async (client_id: string): Promise<number> => {
    const payload = { client_id, secret_key: randomBytes(16).toString('hex') };
    const started = performance.now();
    const response = await app.inject({ method: 'POST', url: '/api/v1/token', payload });
    const took = performance.now() - started;
    expect(response.statusCode).toBe(403);
    return took;
  };
  for (let n = 0; n < 20; n++) await timed('7');
  const wrongSecret: number[] = [];
  const wrongId: number[] = [];
  // By turns: whatever else slows this machine down slows both.
  for (let n = 0; n < SAMPLES; n++) {
    wrongSecret.push(await timed('7'));
    wrongId.push(await timed('8'));
  }
  const [known, unknown] = [median(wrongSecret), median(wrongId)];
  const difference = Math.abs(known - unknown) / Math.min(known, unknown);
  expect(difference, `${known} ms for a wrong secret, ${unknown} ms for a wrong id`).toBeLessThan(THRESHOLD);
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
