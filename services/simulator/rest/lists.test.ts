import { describe, expect, test } from 'vitest';
import { readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../faults.ts';
import { type ManualProviderOptions, openProvider } from './testing/manual-provider.ts';
import { eventsIn } from './testing/reader.ts';

const WORLD_CUP = readDataset('world-cup-2018');
const ENGLAND = readDataset('england-2017-18');
const FIRST = WORLD_CUP.matches[0]?.id ?? 0;
const SEASON = WORLD_CUP.competition.season.id;

const open = (options: Partial<ManualProviderOptions> = {}) =>
  openProvider({ dataset: WORLD_CUP, matches: 4, faults: parseFaults('many'), ...options });

describe('lists', () => {
  test('apply the filters of events', async () => {
    const { provider, reader } = open({ matches: 20 });
    const { startsAt } = provider.timeline;
    provider.advanceTo(startsAt + 3_400);
    const ids = async (query: Record<string, string | number>): Promise<number[]> =>
      eventsIn((await reader.get('/v2/events', { season_id: SEASON, ...query })).data).map(({ id }) => id);
    expect(await ids({})).toHaveLength(16);
    const facts = WORLD_CUP.matches[0];
    expect(await ids({ participant_id: facts?.home ?? 0 })).toEqual([FIRST]);
    expect(await ids({ participant_id: facts?.home ?? 0, venue_type: 'away' })).toEqual([]);
    expect(await ids({ status_type: 'live' })).toHaveLength(16);
    expect(await ids({ status_type: 'finished' })).toEqual([]);
    expect(await ids({ date_from: '2018-06-14', date_to: '2018-06-14' })).toEqual([FIRST]);
    expect(await ids({ timestamp: provider.now() - 1 })).not.toHaveLength(16);
    expect(await ids({ timestamp: startsAt })).toHaveLength(16);
    expect(await ids({ stage_id: 312 })).toEqual([]);
    expect(await ids({ sport_id: 6 })).toEqual([]);
  });

  test('have every event once over all pages, even when a round spans two pages', async () => {
    const { provider, reader } = open({ dataset: ENGLAND, matches: 30 });
    provider.advanceTo(provider.timeline.endsAt);
    const pages = await reader.pages('/v2/events', { season_id: ENGLAND.competition.season.id, limit: 25 });
    const events = pages.flatMap(({ data }) => eventsIn(data));
    expect(pages.map(({ data }) => eventsIn(data).length)).toEqual([25, 5]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(30);
    expect(pages.map(({ total }) => total)).toEqual([30, 30]);
    expect(eventsIn(pages[0]?.data).at(-1).round_id).toBe(eventsIn(pages[1]?.data)[0].round_id);
  });

  test('apply the filters and the order of incidents', async () => {
    const { provider, reader } = open();
    provider.advanceTo(provider.timeline.endsAt);
    const list = async (query: Record<string, string | number>) =>
      (await reader.get(`/v2/events/${FIRST}/incidents`, { limit: 500, ...query })).data;
    const all = await list({});
    expect((await list({ sort_order: 'desc' })).map(({ id }: { id: string }) => id)).toEqual(
      all.map(({ id }: { id: string }) => id).toReversed(),
    );
    expect(await list({ sort_type: 'occurred_at' })).toEqual(all);
    const cancelled = await list({ confirmation: 'cancelled' });
    expect(cancelled.length).toBeGreaterThan(0);
    expect([...(await list({ updated: 'yes' })), ...(await list({ updated: 'no' }))]).toHaveLength(
      all.length,
    );
  });

  test('have all matches in play on the live board, even on a later day than their date', async () => {
    const { provider, reader } = open({ matches: 20 });
    provider.advanceTo(provider.timeline.startsAt + 3_400);
    const board = async (query: Record<string, string | number>) =>
      eventsIn((await reader.get('/v2/livescore', query)).data);
    const live = await board({ status_type: 'live' });
    expect(live).toHaveLength(16);
    expect(new Set(live.map(({ start_date }) => start_date.slice(0, 10))).size).toBeGreaterThan(3);
    expect((await board({ status_type: 'live', events_details: 'no' }))[0].details).toBeUndefined();
    expect(await board({ date_from: '2018-01-01', date_to: '2018-01-02' })).toEqual([]);
  });
});
