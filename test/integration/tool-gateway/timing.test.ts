/** A wrong id and a wrong secret take the same time, so the time does not reveal which ids exist. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLogger } from '#service/logger.ts';
import { createApp } from '../../../services/tool-gateway/app.ts';
import { TokenExchange } from '../../../services/tool-gateway/token-exchange/exchange.ts';
import { upstreamCheck } from '../../../services/tool-gateway/token-exchange/upstream.ts';
import { clients, startApi } from '../../support/api.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { prepareTopics } from '../../support/tool-gateway.ts';

/** Number of pairs of a wrong secret and a wrong id. */
const PAIRS = 60;
/** Maximum difference of the medians, as a share of the smaller one. */
const DIFFERENCE = 0.05;
/**
 * Maximum deviation from one half of the share of pairs in which the wrong id is slower: four standard deviations of a
 * fair coin. Other load may move the medians, but slows both alike; a hash skipped for one shows in nearly every pair.
 */
const IMBALANCE = 2 / Math.sqrt(PAIRS);

test(`differs by less than ${DIFFERENCE * 100} % in the median, or by chance, in ${PAIRS} pairs`, async () => {
  const at = await prepareTopics();
  const api = await startApi(at, temporaryFolder());
  await clients(at, 'add --id 7');
  const check = upstreamCheck({ baseUrl: api.url, timeoutMs: 30_000, onAnswer: () => {} });
  const log = createLogger({ name: 'test', level: 'silent' });
  const { signal } = new AbortController();
  let windows = 0;
  const app = await createApp({
    trustedProxies: [],
    log,
    onAnswer: () => {},
    exchange: new TokenExchange({
      check: (clientId, secretKey) => check(clientId, secretKey, signal),
      contracts: { findSoon: async () => undefined },
      issue: () => expect.unreachable(),
      // Every attempt is in a window of its own: the limits would end the measurement after ten.
      now() {
        windows += 1;
        return windows * 15 * 60_000;
      },
      log,
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
  let slowerIds = 0;
  for (let n = 0; n < PAIRS; n++) {
    // Alternates the order within a pair.
    const isIdFirst = n % 2 === 0;
    const first = await timed(isIdFirst ? '8' : '7');
    const second = await timed(isIdFirst ? '7' : '8');
    const [ofId, ofSecret] = isIdFirst ? [first, second] : [second, first];
    wrongId.push(ofId);
    wrongSecret.push(ofSecret);
    if (ofId > ofSecret) slowerIds += 1;
  }
  const [known, unknown] = [median(wrongSecret), median(wrongId)];
  const difference = Math.abs(known - unknown) / Math.min(known, unknown);
  const imbalance = Math.abs(slowerIds / PAIRS - 0.5);
  expect(
    difference < DIFFERENCE || imbalance < IMBALANCE,
    `${known} ms for a wrong secret, ${unknown} ms for a wrong id, which was slower in ${slowerIds} of ${PAIRS} pairs`,
  ).toBe(true);
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
