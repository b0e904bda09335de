/** Rules 1 to 7 of the spec. */
import { describe, expect, test } from 'vitest';
import type { RestRecord } from '#contract/rest/records.ts';
import { renderMinute } from '#domain/clock.ts';
import { until } from '../../support/poll.ts';
import { eventIds, eventsOf, expectParameters, idsOf } from './reading.ts';
import { contract, dataOf, eventOf } from './served.ts';
import { BEGAN, day, LISTED, PUBLISHED, publishedNow, STANDING } from './world.ts';

/** The catalogues with incremental reads, and a record of each that was written at `LISTED`. */
const CATALOGUES = [
  ['/v2/sports', 'sports', 901],
  ['/v2/areas', 'areas', 900],
  ['/v2/languages', 'languages', 900],
  ['/v2/statuses', 'statuses', 900],
  ['/v2/incidents', 'incidents', 900],
  ['/v2/competitions', 'competitions', 10],
] as const;

export function rules(): void {
  describe('Rules', () => {
    test('1. Events are nested, never flat: competitions, seasons, stages, groups, events. The event does not repeat competition names.', async () => {
      const lists = [
        '/v2/events?season_id=20',
        '/v2/events-simple?season_id=20',
        `/v2/livescore?date_from=${day(0)}`,
      ];
      for (const path of [...lists, `/v2/basic-livescore?timestamp=${PUBLISHED}`]) {
        const { data } = await contract().answer(path);
        expect(Object.keys(data), path).toEqual(['competitions']);
        const [league] = data.competitions;
        expect([league.id, league.name], path).toEqual([10, 'League']);
        const [season] = league.seasons;
        const [stage] = season.stages;
        const [group] = stage.groups;
        expect([season.id, stage.id, group.id], path).toEqual([20, 30, 40]);
        for (const event of eventsOf(data)) expect(JSON.stringify(event), path).not.toContain('League');
      }
      expect(JSON.stringify(await eventOf(1005))).not.toContain('League');
    });

    test('2. GET /v2/events with only season_id needs no date range and returns scores in each participant’s results.', async () => {
      const { data, method } = await contract().answer('/v2/events?season_id=20');
      expect(Object.keys(method.parameters)).toEqual(['client_id', 'season_id', 'limit', 'page']);
      const played = eventsOf(data).filter(({ status_type }) => status_type === 'finished');
      expect(played).toHaveLength(4);
      for (const { participants } of played) {
        const scores = participants.map(({ results }) => results.find(({ id }) => id === 2)?.value);
        expect(scores).toEqual(['2', '1']);
      }
      // Unknown is not zero.
      const ahead = eventsOf(data).find(({ id }) => id === 1012);
      expect(ahead?.participants.map(({ results }) => results)).toEqual([[], []]);
    });

    test('3. Paging is complete when the number of collected events equals total_items; a page can end mid-round.', async () => {
      const pages = await contract().pages('/v2/events?season_id=20&limit=5');
      const events = pages.map(({ data }) => eventsOf(data));
      expect(events.map((page) => page.map(({ round_id }) => round_id))).toEqual([
        [1, 1, 1, 1, 2],
        [2, 2, 2, 3, 3],
        [3, 3],
      ]);
      const ids = events.flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { method } of pages) expect(method.total_items).toBe(ids.length);
      expect(ids).toEqual(eventIds(await contract().answer('/v2/events?season_id=20')));
    });

    test('4. A livescore response echoes the effective date window in api.method.parameters even when the caller sent none.', async () => {
      const api = await contract().answer('/v2/livescore');
      const today = new Date(api.timestamp * 1000).toISOString().slice(0, 10);
      expectParameters(api, { date_from: `${today} 00:00:00`, date_to: `${today} 23:59:59` });
      expectParameters(api, { limit: '150', page: '1', events_details: 'yes', show_postponed: 'no' });
      const sent = await contract().answer('/v2/livescore?date_from=2026-02-03&date_to=2026-02-04 10:30');
      expectParameters(sent, { date_from: '2026-02-03 00:00:00', date_to: '2026-02-04 10:30:59' });
    });

    test('5. Incremental reads: the caller stores api.timestamp and sends it as timestamp next time; only records changed since are returned.', async () => {
      for (const [path, name, id] of CATALOGUES) {
        const since = async (timestamp: number) =>
          idsOf((await dataOf(`${path}?timestamp=${timestamp}`))[name]);
        // The record became known here long after the provider wrote it.
        for (const asked of [LISTED, LISTED + 1, BEGAN]) expect(await since(asked), path).toContain(id);
        expect(await since(BEGAN + 3_600), path).toEqual([]);
      }
      const stages = await contract().answer(`/v2/stages?timestamp=${LISTED}`);
      // Competitions that only events name are as new as these events.
      expect(stages.data.competitions.map(({ id }: { id: number }) => id)).toEqual([10, 11, 12]);

      const lists = [
        '/v2/events?season_id=22&limit=150',
        '/v2/events-simple?season_id=22&limit=150',
        `/v2/livescore?date_from=${day(60)}`,
        '/v2/basic-livescore?sport_id=5',
      ];
      // Lists repeat the changes of the requested second, and another test may have published in the current one.
      const before = await until('a second without changes begins', async () => {
        const api = await contract().answer('/v2/statuses');
        for (const path of lists) {
          const recent = await contract().answer(`${path}&timestamp=${api.timestamp}`);
          if (eventIds(recent).length > 0) return undefined;
        }
        return api;
      });
      contract().publish(publishedNow(3002, before.timestamp));
      for (const path of lists) {
        const changed = `${path}&timestamp=${before.timestamp}`;
        const [first] = await until('the change is shown', async () => {
          const api = await contract().answer(changed);
          return eventIds(api).length > 0 ? [api] : undefined;
        });
        expect(eventIds(first), path).toEqual([3002]);
        // A query from that second may repeat its changes, but misses none.
        const next = await contract().answer(`${path}&timestamp=${first.timestamp + 3_600}`);
        expect(eventIds(next), path).toEqual([]);
      }
      const tables = '/v2/standings?object_type=stage&object_id=30';
      const [entry] = (await dataOf(tables)).standings_list;
      const since = async (timestamp: number) =>
        idsOf((await dataOf(`${tables}&timestamp=${timestamp}`)).standings_list);
      for (const asked of [entry.ut, BEGAN]) expect(await since(asked)).toContain(entry.id);
      expect(await since(BEGAN + 3_600)).not.toContain(entry.id);
    });

    test('6. Incidents are ordered by id compared as strings, not by event_time, ut or occurred_at. Duplicates are resolved by id, the higher ut winning.', async () => {
      const { data } = await contract().answer('/v2/events/1005/incidents');
      expect(idsOf(data)).toEqual(STANDING);
      expect(idsOf((await eventOf(1005)).events_incidents)).toEqual(STANDING);
      for (const key of ['event_time', 'ut'] as const) {
        const values = data.map((incident: RestRecord<'incident'>) => incident[key]);
        expect(values, key).not.toEqual(values.toSorted());
      }
      const [one, two] = ['5-20', '5-21'].map((id) =>
        data.find((incident: RestRecord<'incident'>) => incident.id === id),
      );
      expect(one).toMatchObject({ event_time: '30:00', confirmation: 'confirmed', ut: PUBLISHED + 60 });
      expect(two).toMatchObject({ event_time: '40:00', confirmation: 'confirmed' });
    });

    describe('7. A rendered minute is event_time minute rounded up when seconds > 0; when above the phase boundary it is shown as boundary plus excess.', () => {
      // Answers have no minute: every surface renders it by this function.
      test.each([
        { time: '09:00', phase: 33, shown: '9' },
        { time: '09:01', phase: 33, shown: '10' },
        { time: '45:00', phase: 33, shown: '45' },
        { time: '46:30', phase: 33, shown: '45+2' },
        { time: '46:30', phase: 34, shown: '47' },
        { time: '93:10', phase: 34, shown: '90+4' },
        { time: '105:30', phase: 35, shown: '105+1' },
        { time: '121:00', phase: 36, shown: '120+1' },
      ])('$time in phase $phase is $shown', ({ time, phase, shown }) => {
        const [minutes, seconds] = time.split(':').map(Number);
        expect(renderMinute(Number(minutes) * 60 + Number(seconds), phase)).toBe(shown);
      });
    });
  });
}
