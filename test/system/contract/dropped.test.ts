/** Matches that the provider drops without a word: gone from every surface, and back when it has them again. */
import { expect, test } from 'vitest';
import { eventMessage } from '#ingestion/testing/messages.ts';
import type { MatchResult, MatchState, WebhookMessage } from '#records/types.ts';
import { CLIENT, TestProvider } from '../../integration/feed-poller/provider.ts';
import { atEnd } from '../../support/at-end.ts';
import { connectionEnv } from '../../support/environment.ts';
import { until } from '../../support/poll.ts';
import { System } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { LEVEL_IDS } from './fed.ts';

const NOW = Math.floor(Date.now() / 1000);
const TODAY = new Date(NOW * 1000).toISOString().slice(0, 10);
const [KEPT, TWICE, LIVE, PAUSED, ENDLESS] = [800_001, 800_002, 800_003, 800_011, 800_012] as const;
const DROPPED = [TWICE, LIVE, PAUSED];

/** Returns the event of a match between two teams. */
function match(id: number, team: number, goals: readonly [number, number], fields: object) {
  const participants = [0, 1].map((side) => ({
    id: team + side,
    counter: side + 1,
    name: `T${team + side}`,
    results: [{ id: 2, value: goals[side] }],
  }));
  const whole = { ...LEVEL_IDS, id, start_date: `${TODAY} 00:30`, participants, ...fields };
  const { data } = eventMessage({ id, ut: NOW - 300 }, whole) as { data: { event: object } };
  return { ...data.event, id, ut: NOW - 300 };
}

const FINISHED = { status_id: 11, status_type: 'finished', clock_status: 'stopped', verified_result: 'no' };
const IN_PLAY = { status_id: 33, status_type: 'live', clock_status: 'running', clock_time: 600 };
const HALFTIME = { status_id: 9, status_type: 'live', clock_status: 'stopped', clock_time: 2_700 };

test('takes dropped matches from REST, tables and clients, and brings back those that are listed again', async () => {
  const provider = await TestProvider.start();
  atEnd(() => provider.close());
  const events = [
    match(KEPT, 31, [2, 1], FINISHED),
    match(TWICE, 31, [2, 1], FINISHED),
    match(LIVE, 33, [0, 0], IN_PLAY),
    match(PAUSED, 35, [1, 0], HALFTIME),
    match(ENDLESS, 37, [1, 0], HALFTIME),
  ];
  for (const event of events) provider.events.set(event.id, event);
  const system = await System.create({ services: ['feed-poller', 'match-processor', 'api'] });
  const periods = { UNCONFIRMED_PERIOD_MS: '1500', VERIFY_PERIOD_MS: '1500' };
  const season = { FOLLOW_SEASONS: String(LEVEL_IDS.season_id) };
  system.startPoller({ url: provider.url, client: CLIENT }, { ...periods, ...season });
  const client = await system.addClient('fed');
  const api = await system.startApi(temporaryFolder());
  const token = await api.token(`client_id ${client.id} secret_key ${client.secret}`);

  const read = async () => {
    const states = new Map<number, MatchState>();
    const removed = new Map<number, boolean>();
    const deletions: number[] = [];
    await system.pipeline.read('match-state', (state) => void states.set(state.event_id, state));
    await system.pipeline.read(
      'match-results',
      (one: MatchResult) => void removed.set(one.event_id, one.removed),
    );
    await system.pipeline.read('webhook-messages', ({ event_id, message }: WebhookMessage) => {
      if (JSON.parse(message.toString()).data.event.action === 'delete') deletions.push(event_id);
    });
    const live = await api.get(`/v2/livescore?sport_id=5&status_type=live&token=${token}`);
    const text = await live.text();
    const listed = events.filter(({ id }) => text.includes(`"id":${id},`)).map(({ id }) => id);
    const of = (id: number) => states.get(id);
    return {
      types: events.map(({ id }) => of(id)?.status_type),
      closed: events.flatMap(({ id }) => (of(id)?.guard.reasons.includes('event_missing') ? [id] : [])),
      inTables: events.flatMap(({ id }) => (removed.get(id) === false ? [id] : [])),
      deletions: [...new Set(deletions)].sort(),
      listed,
    };
  };
  const untilShown = async (what: string, wanted: Partial<Awaited<ReturnType<typeof read>>>) => {
    let last: object = {};
    await until(what, async () => {
      last = await read();
      return Object.entries(wanted).every(
        ([name, value]) => JSON.stringify(last[name as keyof typeof last]) === JSON.stringify(value),
      )
        ? true
        : undefined;
    }).catch(() => expect(last).toMatchObject(wanted));
  };
  const all = events.map(({ id }) => id);
  const types = ['finished', 'finished', 'live', 'live', 'live'];
  await untilShown('all are there', { types, listed: [LIVE, PAUSED, ENDLESS], inTables: all, closed: [] });

  for (const id of DROPPED) provider.events.delete(id);
  await untilShown('the dropped ones are gone', {
    types: ['finished', 'deleted', 'deleted', 'deleted', 'live'],
    closed: DROPPED,
    listed: [ENDLESS],
    inTables: [KEPT, ENDLESS],
    deletions: DROPPED,
  });

  const end = ['match', String(ENDLESS), '--end', '--reason', 'never played'];
  const env = connectionEnv(system.pipeline.connection);
  expect(await touchlineHere(end, env)).toMatchObject({ code: 1, out: '' });
  expect(await touchlineHere([...end, '--yes'], env)).toMatchObject({ code: 0 });
  await untilShown('the ended one is gone', {
    listed: [],
    inTables: [KEPT],
    deletions: [...DROPPED, ENDLESS],
  });
  const { out } = await touchlineHere(['match', String(ENDLESS)], env);
  expect(out).toMatch(/Match ended by \S+ on \S+: never played, 20/);

  for (const event of events) provider.events.set(event.id, event);
  provider.events.set(ENDLESS, { ...match(ENDLESS, 37, [2, 0], HALFTIME), ut: NOW + 60 });
  await untilShown('all are back', { types, listed: [LIVE, PAUSED, ENDLESS], inTables: all, closed: [] });
});
