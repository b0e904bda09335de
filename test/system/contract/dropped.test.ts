/** Matches that the provider drops without a word: gone from every surface, and back when it has them again. */
import { expect, test } from 'vitest';
import { eventMessage } from '#ingestion/testing/messages.ts';
import type { MatchResult, MatchState, WebhookMessage } from '#records/types.ts';
import { followMatches } from '../../../libs/reader/follow.ts';
import { CLIENT, TestProvider } from '../../integration/feed-poller/provider.ts';
import { startApi } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import { connectionEnv } from '../../support/environment.ts';
import { DEADLINE_MS } from '../../support/poll.ts';
import { System } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startGateway } from '../../support/tool-gateway.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { toolClient } from '../belief/programs.ts';
import { LEVEL_IDS } from './fed.ts';

const NOW = Math.floor(Date.now() / 1000);
const TODAY = new Date(NOW * 1000).toISOString().slice(0, 10);
const [KEPT, OVER, LIVE, PAUSED, ENDLESS] = [800_001, 800_002, 800_003, 800_011, 800_012] as const;
const ALL = [KEPT, OVER, LIVE, PAUSED, ENDLESS];
const DROPPED = [OVER, LIVE, PAUSED];
const IN_PLAY = [LIVE, PAUSED, ENDLESS];
/** The first of the two teams of each match. */
const TEAM: Readonly<Record<number, number>> = {
  [KEPT]: 31,
  [OVER]: 39,
  [LIVE]: 33,
  [PAUSED]: 35,
  [ENDLESS]: 37,
};

function match(id: number, goals: readonly [number, number], fields: object) {
  const team = TEAM[id] as number;
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
const RUNNING = { status_id: 33, status_type: 'live', clock_status: 'running', clock_time: 600 };
const HALFTIME = { status_id: 9, status_type: 'live', clock_status: 'stopped', clock_time: 2_700 };

const PATIENT = { timeout: DEADLINE_MS, interval: 400 };

test('takes dropped matches from every surface, whether a poller runs or not, and brings back those that are listed again', async () => {
  const provider = await TestProvider.start();
  atEnd(() => provider.close());
  const events = [
    match(KEPT, [2, 1], FINISHED),
    match(OVER, [2, 1], FINISHED),
    match(LIVE, [0, 0], RUNNING),
    match(PAUSED, [1, 0], HALFTIME),
    match(ENDLESS, [1, 0], HALFTIME),
  ];
  for (const event of events) provider.events.set(event.id, event);
  const services = ['feed-poller', 'match-processor', 'standings-processor', 'api', 'tool-gateway'] as const;
  const system = await System.create({ services });
  const tables = system.start('standings-processor', { SESSION_TIMEOUT_MS: '6000' });
  const periods = { UNCONFIRMED_PERIOD_MS: '1500', VERIFY_PERIOD_MS: '1500' };
  const season = { FOLLOW_SEASONS: String(LEVEL_IDS.season_id) };
  const startPoller = () =>
    system.startPoller({ url: provider.url, client: CLIENT }, { ...periods, ...season });
  const poller = startPoller();
  const client = await system.addClient('fed');
  const { connection } = system.pipeline;
  const env = connectionEnv(connection);
  const api = await startApi(connection, temporaryFolder(), { API_BOARD: 'on' });
  const tools = await (await toolClient(system, await startGateway(connection, api.url)))();
  const { registryUrl, brokers, prefix } = connection;
  const reader = await followMatches({ brokers, registryUrl, prefix, on: {} });
  atEnd(() => reader.close());
  await tables.ready();
  const token = await api.token(client);

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
    const of = (id: number) => states.get(id);
    return {
      types: events.map(({ id }) => of(id)?.status_type),
      closed: events.flatMap(({ id }) => (of(id)?.guard.reasons.includes('event_missing') ? [id] : [])),
      inTables: events.flatMap(({ id }) => (removed.get(id) === false ? [id] : [])),
      deletions: [...new Set(deletions)].sort(),
    };
  };
  const asked = (path: string) => api.get(`${path}${path.includes('?') ? '&' : '?'}token=${token}`);
  const called = async (name: string, args: Record<string, unknown>) =>
    (await tools.callTool({ name, arguments: args })).structuredContent as
      | { matches?: { match_id: number }[] }
      | undefined;
  const where = async (holds: (id: number) => boolean | Promise<boolean>): Promise<number[]> => {
    const shown: number[] = [];
    for (const id of ALL) if (await holds(id)) shown.push(id);
    return shown;
  };
  const inText = (text: string) => where((id) => text.includes(`"id":${id},`));
  /** What each served surface shows: of all matches, and of those in play. */
  const served = async () => {
    const text = async (path: string) => (await asked(path)).text();
    const board = await text('/');
    const table = await text(`/standings?season=${LEVEL_IDS.season_id}`);
    const { matches = [] } = (await called('list_matches', { season_id: LEVEL_IDS.season_id })) ?? {};
    return {
      'REST list': await inText(await text(`/v2/events?season_id=${LEVEL_IDS.season_id}`)),
      'REST event': await where(async (id) => (await asked(`/v2/events/${id}`)).ok),
      board: await where((id) => board.includes(`id="match-${id}"`)),
      'match page': await where(async (id) => (await asked(`/match/${id}`)).ok),
      table: await where((id) => table.includes(`>T${TEAM[id]}<`)),
      list_matches: await where((id) => matches.some(({ match_id }) => match_id === id)),
      get_match: await where(async (id) => (await called('get_match', { match_id: id })) !== undefined),
      livescore: await inText(await text('/v2/livescore?sport_id=5&status_type=live')),
      reader: await where((id) => reader.guard(id).permission !== 'not_in_play'),
    };
  };
  /** What commands show, which read the topics anew. */
  const printed = async () => {
    const live = await touchlineHere(['live', '--json'], env);
    return {
      'touchline live': await where((id) => live.out.includes(String(id))),
      'touchline match': await where(
        async (id) => !(await touchlineHere(['match', String(id)], env)).out.includes('Deleted'),
      ),
    };
  };
  const untilEverywhere = async (all: readonly number[]) => {
    const live = all.filter((id) => IN_PLAY.some((one) => one === id));
    const isLive = (name: string): boolean => ['livescore', 'touchline live', 'reader'].includes(name);
    for (const look of [served, printed]) {
      const differing = async () =>
        Object.entries(await look()).filter(([name, ids]) => `${ids}` !== `${isLive(name) ? live : all}`);
      await expect.poll(differing, PATIENT).toEqual([]);
    }
  };
  const untilShown = (message: string, wanted: Partial<Awaited<ReturnType<typeof read>>>) =>
    expect.poll(read, { ...PATIENT, message }).toMatchObject(wanted);
  const types = ['finished', 'finished', 'live', 'live', 'live'];
  const back = { types, inTables: ALL, closed: [] };
  await untilShown('all are there', back);
  await untilEverywhere(ALL);

  // One is dropped while the poller runs, the others while none does.
  provider.events.delete(PAUSED);
  await untilShown('it is gone', { closed: [PAUSED], deletions: [PAUSED] });
  await poller.stop();
  for (const id of DROPPED) provider.events.delete(id);
  startPoller();
  await untilShown('the dropped ones are gone', {
    types: ['finished', 'deleted', 'deleted', 'deleted', 'live'],
    closed: DROPPED,
    inTables: [KEPT, ENDLESS],
    deletions: DROPPED,
  });
  await untilEverywhere([KEPT, ENDLESS]);

  const end = ['end', String(ENDLESS), '--reason', 'never played'];
  expect(await touchlineHere(end, env)).toMatchObject({ code: 1, out: '' });
  expect(await touchlineHere([...end, '--yes'], env)).toMatchObject({ code: 0 });
  await untilShown('the ended one is gone', { inTables: [KEPT], deletions: [...DROPPED, ENDLESS] });
  const { out } = await touchlineHere(['match', String(ENDLESS)], env);
  expect(out).toMatch(/Match ended by \S+ on \S+: never played, 20/);
  await untilEverywhere([KEPT]);

  for (const event of events) provider.events.set(event.id, event);
  provider.events.set(ENDLESS, {
    ...match(ENDLESS, [2, 0], HALFTIME),
    ut: Math.floor(Date.now() / 1000) + 60,
  });
  await untilShown('all are back', back);
  await untilEverywhere(ALL);
});
