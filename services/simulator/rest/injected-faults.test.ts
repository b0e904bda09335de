import { describe, expect, test } from 'vitest';
import { type Match, matchState, newMatch } from '#domain/match.ts';
import { normalizeSnapshot } from '#ingestion/normalize.ts';
import { finalScore, readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../faults.ts';
import { apply, applyAll, stateAfter } from '../testing/states.ts';
import { parseRestFaults } from './faults.ts';
import { type ManualProviderOptions, openProvider } from './testing/manual-provider.ts';

const WORLD_CUP = readDataset('world-cup-2018');
const ENGLAND = readDataset('england-2017-18');

const open = (order: string, options: Partial<ManualProviderOptions> = {}) =>
  openProvider({
    dataset: WORLD_CUP,
    matches: 2,
    restFaults: parseRestFaults(order),
    ...options,
  });

/** Creates a provider of 30 finished matches. */
function openSeason(order: string) {
  const opened = open(order, { dataset: ENGLAND, matches: 30 });
  opened.provider.advanceTo(opened.provider.timeline.endsAt);
  return opened;
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

  test.each([
    ['boundary=0.5', 'misses some'],
    ['none', 'misses none'],
  ])(
    'with %s, a reader that continues after the last second %s, and an inclusive reader misses nothing',
    async (order) => {
      const { provider, reader } = open(order, { matches: 1 });
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
      expect(exclusive.size < published.length).toBe(order !== 'none');
      expect(provider.faults.counts.boundary > 20).toBe(order !== 'none');
    },
  );
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
