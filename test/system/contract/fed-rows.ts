/** Tests that answers do not depend on the ingress: both in every run, webhooks and polling alone before a release. */
import { beforeAll, describe, expect, test } from 'vitest';
import { UNKNOWN_NODE } from '#contract/rest/tree.ts';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { type Feeding, LEVEL_IDS, startFed } from './fed.ts';
import { eventIds, eventsOf } from './reading.ts';

const NOW = Math.floor(Date.now() / 1000);
const TODAY = new Date(NOW * 1000).toISOString().slice(0, 10);

type Fields = Record<string, unknown>;

let lastId = 100;
const AT = { ...LEVEL_IDS, start_date: `${TODAY} 00:30` };
const at = (ut: number) => ({ id: ++lastId, ut });
const eventAt = (ut: number, fields: Fields) => eventMessage(at(ut), { ...AT, ...fields }) as never;
const incidentAt = (ut: number, incident: Fields, fields: Fields) =>
  incidentMessage(at(ut), incident, { ...AT, ...fields }) as never;

/** Statuses without a running period, with the match time that board and tools show. */
const STOPPED = [
  { id: 9_001, status_id: 9, status_type: 'live', played: 2_700 },
  { id: 9_002, status_id: 48, status_type: 'live', played: 5_400 },
  { id: 9_003, status_id: 37, status_type: 'live', played: 6_300 },
  { id: 9_004, status_id: 142, status_type: 'live', played: 7_200 },
  { id: 9_005, status_id: 141, status_type: 'live', played: 7_200 },
  { id: 9_006, status_id: 11, status_type: 'finished', played: 5_400 },
] as const;
const PLAYED = 9_010;
const POSTPONED = 9_020;
const ELSEWHERE = 9_030;
/** Returns the messages of a match with a goal of a known scorer, from its announcement to its end. */
function wholeMatch(): never[] {
  const state = (status_id: number, status_type: string) => ({ id: PLAYED, status_id, status_type });
  const own = { participant_id: null, participant_name: null, confirmation: null };
  const begun = { id: '5-1', incident_id: 429, event_time: '00:00', ...own };
  const scorer = { subparticipant_id: 501, subparticipant_name: 'A Scorer', confirmation: 'confirmed' };
  const over = { id: '5-3', incident_id: 437, event_time: '90:00', event_status_id: 34, ...own };
  return [
    eventAt(NOW - 500, { ...state(1, 'scheduled'), competition_name: 'Cup', season_name: 'Cup 2030' }),
    incidentAt(NOW - 490, begun, state(33, 'live')),
    incidentAt(NOW - 480, { id: '5-2', event_time: '09:30', ...scorer }, state(33, 'live')),
    incidentAt(NOW - 470, over, { ...state(11, 'finished'), clock_time: 0, clock_status: 'stopped' }),
  ];
}

export const fedRows = (feeding: Feeding) =>
  describe(`fed by ${feeding}`, () => {
    let fed: Awaited<ReturnType<typeof startFed>>;

    beforeAll(async () => {
      const stopped = { clock_time: 2_830, clock_status: 'stopped' };
      fed = await startFed(feeding, [
        ...STOPPED.map(({ played: _, ...fields }) => eventAt(NOW - 600, { ...fields, ...stopped })),
        ...wholeMatch(),
        eventAt(NOW - 300, { id: POSTPONED, status_id: 5, status_type: 'scheduled' }),
        eventAt(NOW - 200, { id: ELSEWHERE, competition_id: 77, season_id: 770, stage_id: 7_700 }),
      ]);
      await untilTrue('everything is served', async () => {
        const served = [...STOPPED.map(({ id }) => id), PLAYED, ELSEWHERE].map((id) => fed.event(id));
        const isPostponed = (await fed.event(POSTPONED))?.status_id === 5;
        const isOver = (await fed.event(PLAYED))?.status_id === 11;
        return isPostponed && isOver && (await Promise.all(served)).every((one) => one !== undefined);
      });
    });

    test.each(STOPPED)('played_time is $played in status $status_id', async ({ id, played }) => {
      const event = await fed.event(id);
      expect(event?.played_time).toBe(played);
      const { data } = await fed.ask('/v2/events-simple?season_id=460');
      expect(eventsOf(data).find((one) => one.id === id)?.played_time).toBe(played);
    });

    test('a competition known from events alone has every field of its level', async () => {
      const { competitions } = (await fed.ask('/v2/competitions')).data;
      const found = competitions.find(({ id }: Fields) => id === 77);
      const stage = { ...UNKNOWN_NODE.stage, id: 7_700 };
      const season = { ...UNKNOWN_NODE.season, id: 770, stages: [stage] };
      const sport = { sport_id: 5, sport_name: 'Soccer' };
      expect(found).toEqual({ ...UNKNOWN_NODE.competition, ...sport, id: 77, seasons: [season] });
      const known = competitions.find(({ id }: Fields) => id === LEVEL_IDS.competition_id);
      expect(Object.keys(known).sort()).toEqual(Object.keys(found).sort());
      // Its events name it; a catalogue does where the poller reads one.
      expect(known.name).toBe('Cup');
    });

    test('rows of players have every column of their type', async () => {
      const table = await until('there are top scorers', async () => {
        const { standings_list } = (await fed.ask('/v2/standings?object_type=season&object_id=460')).data;
        return standings_list.find(({ type_id }: Fields) => type_id === 6);
      });
      const { standings } = (await fed.ask(`/v2/standings/${table.id}`)).data;
      const [row] = standings.groups[0].participants;
      expect(row).toMatchObject({ id: 501, name: 'A Scorer', rank: 1 });
      const values = Object.fromEntries(row.columns.map(({ code, value }: Fields) => [code, value]));
      expect(values).toEqual({ goals_scored: 1, mp: '', goals_per_match: '', manual_rank: '' });
    });

    test('whoever follows the live board learns that a match is postponed', async () => {
      const ids = async (query: string) => eventIds(await fed.ask(`/v2/livescore?${query}`));
      expect(await ids(`date_from=${TODAY}&date_to=${TODAY}`)).not.toContain(POSTPONED);
      expect(await ids(`date_from=${TODAY}&date_to=${TODAY}&timestamp=${NOW - 1_000}`)).toContain(POSTPONED);
    });

    test('the feed has each message once', async () => {
      const { data, method } = await fed.ask('/v2/feed');
      const texts = data.map((one: unknown) => JSON.stringify(one));
      expect(new Set(texts).size).toBe(texts.length);
      expect(method.total_items).toBe(texts.length);
      const reported = data.filter(({ id }: { id: number }) => id > 100 && id <= lastId);
      expect(new Set(reported.map(({ id }: Fields) => id)).size).toBe(reported.length);
    });
  });
