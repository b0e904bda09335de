import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type Match, matchState, newMatch } from '#domain/match.ts';
import { normalizeSnapshot } from '#ingestion/normalize.ts';
import { finalScore, readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../faults.ts';
import { apply, applyAll, stateAfter } from '../testing/states.ts';
import { parseRestFaults } from './faults.ts';
import { type ManualProvider, type ManualProviderOptions, openProvider } from './testing/manual-provider.ts';
import { eventsIn } from './testing/reader.ts';

const WORLD_CUP = readDataset('world-cup-2018');
const ENGLAND = readDataset('england-2017-18');
const SEASON = ENGLAND.competition.season.id;

const open = (order: string, more: Partial<ManualProviderOptions> = {}) =>
  openProvider({ dataset: WORLD_CUP, matches: 2, restFaults: parseRestFaults(order), slowMs: 20, ...more });

/** Creates a provider of 30 finished matches: lists of two pages of 25. */
function openSeason(order: string) {
  const opened = open(order, { dataset: ENGLAND, matches: 30 });
  opened.provider.advanceTo(opened.provider.timeline.endsAt);
  return opened;
}

/** Serves a provider on a socket. Returns its base URL. */
async function listen({ app }: ManualProvider): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

describe('faults of requests', () => {
  test('unauthorized invalidates every token until a new one is fetched', async () => {
    const { provider, reader } = open('unauthorized=0.3');
    const statuses: number[] = [];
    let { data } = await reader.authenticate();
    for (let n = 0; n < 60; n++) {
      const before = provider.faults.counts.unauthorized;
      const { status } = await reader.request('/v2/statuses', { token: data.token });
      statuses.push(status);
      const struck = provider.faults.counts.unauthorized > before;
      expect(status).toBe(struck ? 401 : 200);
      if (!struck) continue;
      expect((await reader.request('/v2/statuses', { token: data.token })).status).toBe(401);
      ({ data } = await reader.authenticate());
    }
    expect(statuses.filter((status) => status === 401).length).toBe(provider.faults.counts.unauthorized);
    expect(provider.faults.counts.unauthorized).toBeGreaterThan(8);
  });

  test('server_error answers 500 in bursts', async () => {
    const { provider, reader } = open('server_error=0.05');
    const statuses: number[] = [];
    for (let n = 0; n < 300; n++) statuses.push((await reader.request('/v2/sports', {})).status);
    const text = statuses.map((status) => (status === 500 ? 'x' : '.')).join('');
    const bursts = text.split('.').filter((burst) => burst !== '');
    expect(bursts.length).toBeGreaterThan(4);
    for (const burst of bursts) expect(burst.length).toBeGreaterThanOrEqual(2);
    expect(bursts.join('').length).toBe(provider.faults.counts.server_error);
    expect(provider.faults.counts.server_error / bursts.length).toBeGreaterThan(3);
  });

  test('timeout never answers, and does not delay the close', async () => {
    const { provider } = open('timeout=1');
    const url = await listen(provider);
    const giveUp = new AbortController();
    const ask = (signal?: AbortSignal) =>
      fetch(`${url}/v2/sports`, { signal: signal ?? null }).catch((error: unknown) => error);
    const [abandoned, waiting] = [ask(giveUp.signal), ask()];
    await expect.poll(() => provider.faults.counts.timeout, { timeout: 10_000 }).toBe(2);
    giveUp.abort();
    expect(await abandoned).toMatchObject({ name: 'AbortError' });
    await provider.app.close();
    expect(await waiting).toMatchObject({ message: 'fetch failed' });
  });

  test('slow answers late, with the state at the time of the answer', async () => {
    const { provider, reader } = open('slow=1', { slowMs: 400 });
    const { startsAt } = provider.timeline;
    await provider.app.ready();
    const startedAt = performance.now();
    const answer = reader.request('/v2/sports', {});
    provider.advanceTo(startsAt + 100);
    expect(await answer).toMatchObject({ status: 200, timestamp: startsAt + 100 });
    expect(performance.now() - startedAt).toBeGreaterThan(95);
    expect(provider.faults.counts.slow).toBe(1);
  });
});

describe('faults of answers', () => {
  test('broken_json completes an answer that is not JSON', async () => {
    const { provider } = open('broken_json=1');
    const response = await fetch(`${await listen(provider)}/v2/sports`);
    expect(response.status).toBe(200);
    const body = await response.text();
    expect(body.length).toBe(Number(response.headers.get('content-length')));
    expect(() => JSON.parse(body)).toThrow(SyntaxError);
    expect(provider.faults.counts.broken_json).toBe(1);
  });

  test('cut_body ends the connection halfway through the body', async () => {
    const { provider } = open('cut_body=1');
    const response = await fetch(`${await listen(provider)}/v2/sports`);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(provider.faults.counts.cut_body).toBe(1);
  });
});

describe('faults of pages', () => {
  test('short_page ends inside a round: the total counts records that are on no page', async () => {
    const { provider, reader } = openSeason('short_page=1');
    const [first, second] = await reader.pages('/v2/events', { season_id: SEASON, limit: 25 });
    const events = eventsIn(first?.data);
    expect(events.length).toBeLessThan(25);
    expect(first?.total).toBe(30);
    const { reader: other } = openSeason('none');
    const whole = eventsIn((await other.get('/v2/events', { season_id: SEASON, limit: 50 })).data);
    expect(events).toEqual(whole.slice(0, events.length));
    expect(whole[events.length].round_id).toBe(events.at(-1).round_id);
    expect(eventsIn(second?.data)[0]).toEqual(whole[25]);
    expect(provider.faults.counts.short_page).toBe(2);
  });

  test('changed_page repeats the last record of the previous page with its later changes', async () => {
    const { provider, reader } = open('changed_page=1', { dataset: ENGLAND, matches: 30 });
    provider.advanceTo(provider.timeline.startsAt);
    const last = provider.timeline.stretches.at(-1)?.startsAt ?? 0;
    provider.advanceTo(last + 3_000);
    const query = { season_id: SEASON, limit: 25 };
    const first = await reader.get('/v2/events', { ...query, page: 1 });
    provider.advanceTo(last + 3_300);
    const second = await reader.get('/v2/events', { ...query, page: 2 });
    const [before, after] = [eventsIn(first.data), eventsIn(second.data)];
    expect([before.length, after.length, second.total]).toEqual([25, 5, 30]);
    expect(after[0].id).toBe(before.at(-1).id);
    expect(after[0].ut).toBeGreaterThan(before.at(-1).ut);
    expect(provider.faults.counts.changed_page).toBe(1);
  });
});

describe('faults of content', () => {
  test('vanish omits a delete from the feed; only the list without the incident shows it', async () => {
    const { provider, reader } = open('vanish=1', { matches: 8, faults: parseFaults('deleted=1') });
    const { endsAt } = provider.timeline;
    provider.advanceTo(endsAt);
    const published = provider.published();
    expect(published.filter(({ data }) => data.incident?.action === 'delete')).toEqual([]);
    expect(provider.faults.counts.vanish).toBe(8);
    for (const facts of WORLD_CUP.matches.slice(0, 8)) {
      const [home, away] = finalScore(facts);
      const messages = published.filter(({ data }) => data.event.id === facts.id);
      // The result is the score once the match is finished; the timeline still has the goal.
      expect(stateAfter(facts.id, messages).derived).not.toEqual({ home, away });
      const { data, timestamp } = await reader.get(`/v2/events/${facts.id}/incidents`, { limit: 500 });
      expect(matchState(matchOf(facts.id, messages, data, timestamp)).derived).toEqual({ home, away });
      expect((await reader.get(`/v2/events/${facts.id}/incidents`, { deleted: 'yes' })).total).toBe(1);
    }
  });

  test('boundary hides messages of a last second, which an inclusive reader gets with its next read', async () => {
    const { provider, reader } = open('boundary=0.5', { matches: 1 });
    const { startsAt, endsAt } = provider.timeline;
    const [inclusive, exclusive] = [new Set<string>(), new Set<string>()];
    const read = async (into: Set<string>, timestamp: number) => {
      const { data } = await reader.get('/v2/feed', { timestamp });
      for (const message of data) into.add(JSON.stringify(message));
    };
    let last = startsAt - 1;
    for (let time = startsAt; time <= endsAt + 600; time += 30) {
      provider.advanceTo(time);
      await read(inclusive, last);
      await read(exclusive, last + 1);
      last = provider.now();
    }
    const published = provider.published().map((message) => JSON.stringify(message));
    expect(inclusive).toEqual(new Set(published));
    expect(exclusive.size).toBeLessThan(published.length);
    expect(provider.faults.counts.boundary).toBeGreaterThan(20);
  });
});

describe('faults of incident lists', () => {
  const listOf = async (reader: ReturnType<typeof open>['reader'], id: number) =>
    (await reader.get(`/v2/events/${id}/incidents`, { limit: 500 })) as {
      readonly data: readonly { readonly ut: number }[];
      readonly total: number;
    };

  test('lagging_list lists what was known 40 seconds ago', async () => {
    const { provider, reader } = open('lagging_list=1', { matches: 1 });
    const { startsAt, endsAt } = provider.timeline;
    let lagged = 0;
    for (let time = startsAt + 600; time < endsAt; time += 7) {
      provider.advanceTo(time);
      const before = provider.faults.counts.lagging_list;
      const { data } = await listOf(reader, WORLD_CUP.matches[0]?.id ?? 0);
      const isLate = provider.faults.counts.lagging_list > before;
      const incidents = provider.published().flatMap(({ data: { incident } }) => incident ?? []);
      expect(incidents.some(({ ut }) => ut > time - 40)).toBe(isLate);
      if (!isLate) continue;
      lagged++;
      for (const { ut } of data) expect(ut).toBeLessThanOrEqual(time - 40);
    }
    expect(lagged).toBeGreaterThan(20);
  });

  test('empty_list lists nothing, the first time at any rate', async () => {
    const { provider, reader } = openSeason('empty_list=0.0001');
    const id = ENGLAND.matches[0]?.id ?? 0;
    expect(await listOf(reader, id)).toMatchObject({ data: [], total: 0 });
    const { data, total } = await listOf(reader, id);
    expect([data.length, provider.faults.counts.empty_list]).toEqual([total, 1]);
    expect(total).toBeGreaterThan(0);
  });
});

/** Returns the state of a match after its messages and a list of its incidents. */
function matchOf(
  eventId: number,
  messages: Parameters<typeof stateAfter>[1],
  incidents: unknown[],
  time: number,
): Match {
  const context = { origin: 'feed', deliveryId: 'd', receivedAt: time * 1_000 } as const;
  const match = newMatch(eventId);
  const snapshot = normalizeSnapshot({ messageId: 's', eventId, time, incidents }, context);
  if (snapshot.kind !== 'normalized') throw new Error(JSON.stringify(snapshot));
  apply(match, snapshot.message);
  applyAll(match, messages);
  return match;
}
