import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { matchState, newMatch } from '#domain/match.ts';
import { normalizeSnapshot } from '#ingestion/normalize.ts';
import { finalScore, readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../faults.ts';
import type { ProviderMessage } from '../records.ts';
import { apply, applyAll } from '../testing/states.ts';
import { parseRestFaults } from './faults.ts';
import { createProvider, type SimulatedProvider } from './provider.ts';
import { eventsIn } from './testing/reader.ts';

const DATASET = readDataset('world-cup-2018');
const MATCHES = 20;
/** Real milliseconds; a slower request is retried. */
const REQUEST_TIMEOUT_MS = 400;

let provider: SimulatedProvider | undefined;
afterEach(async () => provider?.app.close());

type Query = Readonly<Record<string, string | number>>;
// biome-ignore lint/suspicious/noExplicitAny: the data of several operations
type Answer = { timestamp: number; total: number; data: any };

/** Reads over sockets and retries each request until it is answered; after 401 it first fetches a token. */
function retryingReader(base: string, { client }: SimulatedProvider) {
  let token = '';
  const once = async (path: string, query: Query): Promise<Answer | null> => {
    const pairs = Object.entries({ ...query, token }).map(([name, value]): [string, string] => [
      name,
      `${value}`,
    ]);
    const url = `${base}${path}?${new URLSearchParams(pairs)}`;
    const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    const { api } = JSON.parse(await response.text());
    if (response.status === 401 && path !== '/v2/oauth') {
      const granted = await get('/v2/oauth', { client_id: client.id, secret_key: client.secretKey });
      token = granted.data.token;
    }
    return response.ok ? { timestamp: api.timestamp, total: api.method.total_items, data: api.data } : null;
  };
  const get = async (path: string, query: Query): Promise<Answer> => {
    for (;;) {
      const answer = await once(path, query).catch(() => null);
      if (answer !== null) return answer;
    }
  };
  /** A whole list: read again until the number of distinct ids equals the number of items. */
  const list = async (path: string, query: Query, itemsIn: (data: unknown) => { id: unknown }[]) => {
    for (;;) {
      const seen = new Map<unknown, object>();
      const first = await get(path, { ...query, page: 1 });
      for (const item of itemsIn(first.data)) seen.set(item.id, item);
      for (let page = 2; (page - 1) * Number(query.limit) < first.total; page++)
        for (const item of itemsIn((await get(path, { ...query, page })).data)) seen.set(item.id, item);
      if (seen.size === first.total) return { items: [...seen.values()], timestamp: first.timestamp };
    }
  };
  return { get, list };
}

test('under all faults, a client that retries, reads inclusive windows and counts ids has every official score', async () => {
  provider = createProvider({
    dataset: DATASET,
    matches: MATCHES,
    faults: parseFaults('many,deleted=1'),
    restFaults: parseRestFaults('many,vanish=1'),
    slowMs: 20,
    keepAliveEvery: 0,
  });
  const { app, timeline, faults } = provider;
  await app.listen({ port: 0, host: '127.0.0.1' });
  const reader = retryingReader(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, provider);
  const messages = new Map<string, ProviderMessage>();
  let from = timeline.startsAt;
  for (const { startsAt, endsAt } of timeline.stretches) {
    for (let time = startsAt; time < endsAt + 300; time += 300) {
      provider.advanceTo(Math.max(provider.now(), time));
      const { data, timestamp } = await reader.get('/v2/feed', { timestamp: from });
      for (const message of data) messages.set(JSON.stringify(message), message);
      from = timestamp;
    }
  }
  const query = { season_id: DATASET.competition.season.id, limit: 10 };
  const events = (await reader.list('/v2/events', query, eventsIn)).items as { id: number }[];
  expect(events).toHaveLength(MATCHES);
  const published = Map.groupBy(messages.values(), ({ data }) => data.event.id);
  const scores = new Map<number, unknown>();
  for (const { id } of events) {
    const { items, timestamp } = await reader.list(
      `/v2/events/${id}/incidents`,
      { limit: 25 },
      (data) => data as { id: unknown }[],
    );
    const snapshot = normalizeSnapshot(
      { messageId: 's', eventId: id, time: timestamp, incidents: items },
      { origin: 'feed', deliveryId: 'd', receivedAt: 0 },
    );
    if (snapshot.kind !== 'normalized') throw new Error(JSON.stringify(snapshot));
    const match = newMatch(id);
    applyAll(match, published.get(id) ?? []);
    apply(match, snapshot.message);
    scores.set(id, matchState(match).score);
  }
  const official = DATASET.matches.slice(0, MATCHES).map((facts): [number, unknown] => {
    const [home, away] = finalScore(facts);
    return [facts.id, { home, away }];
  });
  expect(scores).toEqual(new Map(official));
  const done = Object.entries(faults.counts).filter(([, count]) => count > 0);
  expect(done.map(([name]) => name)).toEqual(
    Object.keys(faults.counts).filter((name) => name !== 'webhook_loss' && name !== 'forbidden'),
  );
}, 120_000);
