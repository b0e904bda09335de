/** Tests every surface that shows what may be traded, while sources are frozen, killed, cut, or have clocks set. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { MatchTransition, TradingHalt } from '#records/types.ts';
import { startMonitor } from '../../integration/feed-monitor/support.ts';
import { CLIENT } from '../../integration/feed-poller/provider.ts';
import { startApi } from '../../support/api.ts';
import { forFile } from '../../support/at-end.ts';
import { connectionEnv } from '../../support/environment.ts';
import { times } from '../../support/harness.ts';
import type { Pipeline } from '../../support/pipeline.ts';
import type { TestService } from '../../support/processes.ts';
import { type RestartableKafka, restartableKafka } from '../../support/restartable-kafka.ts';
import { System } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startGateway } from '../../support/tool-gateway.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { LEVEL_IDS } from '../contract/fed.ts';
import { WatchedMatch } from './live-match.ts';
import {
  Alerts,
  ofBoard,
  ofDoctor,
  ofReaders,
  ofRest,
  ofScreens,
  ofTools,
  READER_NAMES,
  toolClient,
} from './programs.ts';
import { SurfaceWatch } from './surfaces.ts';

const EVENT = 7_000_001;
const ROOT = join(import.meta.dirname, '../../..');
/** Maximum time that a surface may show safe after the last record that confirmed the match, milliseconds. */
const WITHIN_MS = 2_000;
/** The same after the deadline at which a match becomes stale or Touchline is late, milliseconds. */
const DUE_WITHIN_MS = 1_000;
/** The same after an order to halt the match by hand. */
const HALTED_WITHIN_MS = 1_000;
const STALE_MS = 4_000;
const BACKLOG_MS = 1_500;
/** Interval of the provider's messages about the match, milliseconds. */
const MESSAGE_INTERVAL_MS = 1_000;
/** Time for which the poller reads messages of a silent match again, milliseconds. */
const READ_AGAIN_MS = 3_000;
/** Maximum delay of a reading on a machine that runs all of this, milliseconds. */
const READING_DELAY_MS = 300;
const HOUR_MS = 3_600_000;

/** Returns settings with which each SIGUSR2 steps the clock by the next of these, milliseconds. */
const stepped = (...steps: readonly number[]) => ({
  NODE_OPTIONS: `--import=${join(ROOT, 'test/support/stepped-clock.fixture.ts')}`,
  STEP_MS: steps.join(','),
});
const OF_API = stepped(-HOUR_MS);
const OF_MONITOR = {
  DELAYED_AFTER_MS: String(STALE_MS),
  STALE_AFTER_MS: String(STALE_MS),
  BACKLOG_AFTER_MS: String(BACKLOG_MS),
  ...stepped(-HOUR_MS, 0, HOUR_MS, 0),
};

let watch: SurfaceWatch;
let apiUrl: string;
/** The match in REST, with a token: only who may see a match learns its state. */
let eventUrl: string;
let alerts: Alerts;
let pipeline: Pipeline;
let match: WatchedMatch;
let kafka: RestartableKafka;
let tools: Client;
/** The running services. */
const running = {} as Record<Part, TestService>;
let start: Readonly<Record<Part, () => Promise<void>>>;

type Part = 'api' | 'monitor' | 'processor' | 'receiver' | 'poller' | 'tools' | 'standings';

const PAGES = ['board', 'match page', 'REST'];
const TOOLS = ['/mcp'];

beforeAll(async () => {
  kafka = await restartableKafka();
  const system = await System.create({ brokers: kafka.brokers });
  pipeline = system.pipeline;
  const { connection } = pipeline;
  match = await WatchedMatch.start(EVENT);
  const folder = temporaryFolder();
  const api = await startApi(connection, folder, { API_BOARD: 'on', ...OF_API });
  apiUrl = api.url;
  const API_PORT = new URL(apiUrl).port;
  const receiver = await system.startReceiver();
  match.webhookUrl = receiver.url;
  const WEBHOOK_PORT = new URL(receiver.url).port;
  const toolsFolder = temporaryFolder();
  const gateway = await startGateway(connection, api.url, { DATA_DIR: toolsFolder });
  const ofTheGateway = { DATA_DIR: toolsFolder, TOOLS_PORT: new URL(gateway.url).port };
  const ofProvider = { url: match.provider.url, client: CLIENT };
  const season = { FOLLOW_SEASONS: String(LEVEL_IDS.season_id) };
  start = {
    api: async () => {
      running.api = (await startApi(connection, folder, { API_BOARD: 'on', ...OF_API, API_PORT })).service;
    },
    monitor: async () => {
      running.monitor = startMonitor(connection, OF_MONITOR);
    },
    processor: async () => {
      running.processor = pipeline.startProcessor();
    },
    receiver: async () => {
      running.receiver = (await system.startReceiver({ WEBHOOK_PORT })).service;
    },
    poller: async () => {
      running.poller = system.startPoller(ofProvider, season);
    },
    tools: async () => {
      running.tools = (await startGateway(connection, api.url, ofTheGateway)).service;
    },
    standings: async () => {
      running.standings = system.start('standings-processor', { SESSION_TIMEOUT_MS: '6000' });
      await running.standings.ready();
    },
  };
  running.api = api.service;
  running.receiver = receiver.service;
  running.processor = system.processor;
  running.tools = gateway.service;
  await Promise.all([start.monitor(), start.poller(), start.standings()]);
  const env = connectionEnv(connection);
  const connectTools = await toolClient(system, gateway);
  tools = await connectTools();
  alerts = new Alerts(env, EVENT);
  const token = await api.token(await system.addClient('rest'));
  eventUrl = `${apiUrl}/v2/events/${EVENT}?token=${token}`;
  watch = new SurfaceWatch([
    ...(await ofBoard(api.url, EVENT)),
    ofRest(eventUrl),
    await ofTools(connectTools, EVENT),
    ofDoctor(env),
    ...ofScreens(env, EVENT),
    alerts.surface,
    ...(await ofReaders(env, EVENT)),
  ]);
  await watch.all('safe');
});

type Fault = {
  readonly what: string;
  readonly make: () => unknown;
  readonly mend: () => unknown;
  /** Maximum time that a surface may show safe after the fault, milliseconds. */
  readonly within?: number;
  /** Returns the start of that time, Unix milliseconds, when it is known only afterwards. */
  readonly due?: () => Promise<number>;
  /** Names of the affected surfaces. Default: all. */
  readonly names?: readonly string[];
};

const freeze = (...parts: readonly Part[]) => ({
  make: () => parts.map((part) => running[part].signal('SIGSTOP')),
  mend: () => parts.map((part) => running[part].signal('SIGCONT')),
});
const kill = (...parts: readonly Part[]) => ({
  make: () => Promise.all(parts.map((part) => running[part].kill())),
  mend: () => Promise.all(parts.map((part) => forFile(start[part]))),
});
const step = (part: Part) => () => running[part].signal('SIGUSR2');
const stepAndBack = (part: Part) => ({ make: step(part), mend: step(part) });

const SILENT = STALE_MS + DUE_WITHIN_MS;
const BEHIND = MESSAGE_INTERVAL_MS + BACKLOG_MS + DUE_WITHIN_MS;

/** One fault of each kind. */
const FAULTS: readonly Fault[] = [
  // Neither depends on the other.
  { what: 'the api and the tool gateway are frozen', ...freeze('api', 'tools'), names: [...PAGES, ...TOOLS] },
  { what: 'the monitor is killed', ...kill('monitor') },
  {
    what: 'the broker is frozen',
    make: () => kafka.kafka.kill('SIGSTOP'),
    mend: () => kafka.kafka.kill('SIGCONT'),
  },
  {
    what: 'the provider is silent about the match',
    make: () => {
      match.speaks = false;
    },
    mend: () => {
      match.speaks = true;
    },
    within: SILENT + READ_AGAIN_MS,
    due: async () => (await lastReceived()) + STALE_MS,
    // The status shows only sources and the poller's answers.
    names: [...PAGES, ...TOOLS, 'match', 'live', 'alerts', ...READER_NAMES],
  },
  { what: 'the processor is frozen', ...freeze('processor'), within: BEHIND },
];

/** Further faults for `npm run test:faults`. */
const FURTHER_FAULTS: readonly Fault[] = [
  { what: 'the api and the tool gateway are killed', ...kill('api', 'tools'), names: [...PAGES, ...TOOLS] },
  { what: 'the monitor is frozen', ...freeze('monitor') },
  {
    what: 'the network to the broker holds everything back',
    make: () => kafka.proxy.freeze(),
    mend: () => kafka.proxy.resume(),
  },
  { what: 'the clock of the monitor is set back an hour', ...stepAndBack('monitor') },
  { what: 'the clock of the monitor is set ahead an hour', ...stepAndBack('monitor') },
  {
    what: 'the clock of the api is set back an hour, and the monitor is frozen',
    make() {
      step('api')();
      running.monitor.signal('SIGSTOP');
    },
    mend: () => running.monitor.signal('SIGCONT'),
  },
  {
    what: 'the provider delivers nothing, and its REST does not answer',
    make() {
      match.delivers = false;
      match.cutRest();
    },
    mend() {
      match.delivers = true;
      match.restoreRest();
    },
    within: SILENT,
  },
  { what: 'the receiver and the poller are frozen', ...freeze('receiver', 'poller'), within: SILENT },
  { what: 'the receiver and the poller are killed', ...kill('receiver', 'poller'), within: SILENT },
  { what: 'the processor is killed', ...kill('processor'), within: BEHIND },
  {
    what: 'the broker is killed',
    make: () => kafka.kafka.kill(),
    mend: () => kafka.kafka.start(),
  },
];

const standings = { frozen: freeze('standings'), killed: kill('standings') };

/** Faults that must halt nothing, also when combined: one source is enough, and trading does not depend on tables. */
const HARMLESS: readonly Pick<Fault, 'what' | 'make' | 'mend'>[] = [
  {
    what: 'the provider delivers no webhooks, and the standings processor is frozen',
    make() {
      match.delivers = false;
      standings.frozen.make();
    },
    mend() {
      match.delivers = true;
      standings.frozen.mend();
    },
  },
  {
    what: "the provider's REST does not answer, and the standings processor is killed",
    async make() {
      match.cutRest();
      await standings.killed.make();
    },
    async mend() {
      match.restoreRest();
      await standings.killed.mend();
    },
  },
];

test('every surface shows safe while one of two sources is disconnected, or tables are not derived', async () => {
  for (const { what, make, mend } of times(HARMLESS, HARMLESS.slice(0, 1))) {
    await make();
    // By then a disconnected source is stale.
    await delay(SILENT + WITHIN_MS);
    await watch.all('safe').catch((error: unknown) => {
      throw new Error(`while ${what}: ${String(error)}`);
    });
    await mend();
    await watch.all('safe');
  }
});

test('no surface shows safe while the feed is behind, or its backlog is worked off, and each says by how much', async () => {
  match.cutRest();
  onTestFinished(() => {
    match.lagSeconds = 0;
    match.restoreRest();
  });
  // Of two sources that are not believed surfaces show the one that was so for the shorter time.
  await expect.poll(healthHeader).toMatch(/feed=down/);
  for (const lag of times([25, 60, 600], [60])) {
    await watch.all('safe');
    const since = performance.now();
    match.lagSeconds = lag;
    const behind = await watch.safeAfter(since, SILENT);
    const allowed = SILENT + READING_DELAY_MS + watch.lateMs;
    expect(Object.entries(behind).filter(([, ms]) => ms > allowed)).toEqual([]);
    await expectDelay(lag);
    const workedOffFrom = performance.now();
    for (let left = lag; left > 22; left -= lag / 10) {
      match.lagSeconds = left;
      match.say();
      await delay(200);
    }
    const opened = await watch.safeAfter(workedOffFrom, performance.now() - workedOffFrom);
    expect(Object.entries(opened).filter(([, ms]) => ms > 0)).toEqual([]);
    match.lagSeconds = 0;
  }
  await watch.all('safe');
});

const healthHeader = async () => (await fetch(eventUrl)).headers.get('x-feed-health');

/** Expects the surfaces to name the delay of the match, seconds: each as soon as a message has reached it. */
async function expectDelay(lag: number): Promise<void> {
  const shownFeed = async () => {
    const shown = await fetch(`${apiUrl}/board/matches/${EVENT}`);
    return ((await shown.json()) as { match: { feed: { state: string; delay: number } } }).match.feed;
  };
  // In one poll: on a starved machine a message that comes late makes the match stale for a moment, which has no delay.
  await expect
    .poll(async () => {
      const { state, delay } = await shownFeed();
      return state === 'delayed' ? Math.abs(delay / 1_000 - lag) : Number.POSITIVE_INFINITY;
    })
    .toBeLessThan(7);
  await expect
    .poll(healthHeader)
    .toMatch(/webhook=delayed;reason=delay;delay=\d+, match=delayed;reason=delay;delay=\d+$/);
  const answer = async () =>
    (await tools.callTool({ name: 'get_match', arguments: { match_id: EVENT } })).structuredContent;
  await expect.poll(answer).toMatchObject({
    act: expect.stringMatching(/^Do not act: feed delayed by \d+ (s|min)\.$/),
    guard: { reasons: ['feed_delayed'] },
    feed: { alive: false, state: 'delayed', delay_seconds: expect.any(Number) },
  });
}

test('every surface obeys a halt by hand within a second, whatever is down, until it is resumed or its time ends', async () => {
  // The doctor shows sources only.
  const names = watch.names.filter((name) => name !== 'doctor');
  const others = names.filter((name) => ![...PAGES, ...TOOLS].includes(name));
  const env = connectionEnv(pipeline.connection);
  const order = async (...args: readonly string[]): Promise<void> => {
    const { code, err } = await touchlineHere([...args, '--reason', 'late stream'], env);
    expect(code, err).toBe(0);
  };
  const expectObeyed = async (of: readonly string[]): Promise<void> => {
    const after = await watch.safeAfter(performance.now(), HALTED_WITHIN_MS, of);
    const allowed = HALTED_WITHIN_MS + READING_DELAY_MS + watch.lateMs;
    expect(Object.entries(after).filter(([, ms]) => ms > allowed)).toEqual([]);
  };
  await watch.all('safe');
  const frozen = freeze('api', 'tools');
  frozen.make();
  await order('halt', String(EVENT));
  await expectObeyed(others);
  frozen.mend();
  await watch.all('halted', names);

  const monitor = kill('monitor');
  const services = kill(...(Object.keys(running) as Part[]));
  const everything = {
    async make() {
      await services.make();
      await kafka.kafka.kill();
    },
    async mend() {
      await kafka.kafka.start();
      await services.mend();
    },
  };
  for (const fault of times([monitor, everything], [monitor])) {
    const since = performance.now();
    await fault.make();
    await fault.mend();
    // Its sources are believed again, and it is not.
    await watch.all('safe', ['doctor']);
    await watch.all('halted', names);
    const after = await watch.safeAfter(since, performance.now() - since, names);
    expect(Object.entries(after).filter(([, ms]) => ms > 0)).toEqual([]);
  }

  // An operator does the same on the board: services/api/board/gate.test.ts.
  await order('resume', String(EVENT));
  await watch.all('safe');
  await order('halt', '--all', '--for', '10s');
  await expectObeyed(names);
  await watch.all('halted', names);
  await watch.all('safe');

  const records = new Map<string, TradingHalt>();
  await pipeline.read('trading-halts', (record) => records.set(record.scope, record));
  const { orders = [] } = records.get(`match:${EVENT}`) ?? {};
  expect(orders.map(({ action }) => action)).toEqual(['halt', 'resume']);
  expect(Date.now()).toBeGreaterThan(records.get('all')?.until ?? Number.POSITIVE_INFINITY);
  const shown = await (await fetch(`${apiUrl}/board/matches/${EVENT}`)).json();
  const told = (shown as { history: { what: string }[] }).history.map(({ what }) => what);
  expect(told).toContain(`Halted by hand by ${orders[0]?.order.user}: late stream`);
});

test('no surface shows safe for long after the last confirmation, and all do again after the fault', async () => {
  const late: string[] = [];
  const faults = times([...FAULTS, ...FURTHER_FAULTS], FAULTS);
  for (const { what, make, mend, within = WITHIN_MS, due, names = watch.names } of faults) {
    await watch.all('safe');
    const [since, began] = [performance.now(), Date.now()];
    await make();
    const after = await watch.safeAfter(since, within, names);
    const allowed = due === undefined ? within : (await due()) + DUE_WITHIN_MS - began;
    const { lateMs } = watch;
    for (const [name, ms] of Object.entries(after))
      if (ms > allowed + READING_DELAY_MS + lateMs)
        late.push(`${what}: ${name} says safe for ${ms} ms, not ${allowed}; timers were ${lateMs} ms late`);
    await mend();
    await watch.all('safe').catch((error: unknown) => {
      throw new Error(`after ${what}: ${String(error)}; ${late.join('; ')}`);
    });
  }
  expect(late).toEqual([]);
  await haltsAfterUnreadableGoal();
  match.speaks = false;
  await delay(MESSAGE_INTERVAL_MS);
  match.say({ status_id: 11, status_type: 'finished', clock_status: 'stopped' });
  // The match is neither safe nor halted.
  await watch.all(
    'not_in_play',
    // Surfaces of sources or of live matches only do not show this match.
    watch.names.filter((name) => name !== 'doctor' && name !== 'live'),
  );
  await alerts.expectPublishedOnce(pipeline);
});

/** Expects a goal that cannot be read to halt every surface of the match, while its sources stay alive, until a result. */
async function haltsAfterUnreadableGoal(): Promise<void> {
  // Neither shows the guard of a match, but the health of its sources.
  const ofSources = ['doctor', 'REST'];
  const names = watch.names.filter((name) => !ofSources.includes(name));
  const since = performance.now();
  await match.sayUnreadableGoal();
  const after = await watch.safeAfter(since, WITHIN_MS, names);
  const allowed = WITHIN_MS + READING_DELAY_MS + watch.lateMs;
  expect(Object.entries(after).filter(([, ms]) => ms > allowed)).toEqual([]);
  await watch.all('halted', names);
  await watch.all('safe', ofSources);
  const guard = { safe: false, reasons: ['unread_message'] };
  const shown = await (await fetch(`${apiUrl}/board/matches/${EVENT}`)).json();
  expect(shown).toMatchObject({ match: { guard, feed: { believed: true } }, unread_at: expect.any(Number) });
  const transitions: MatchTransition[] = [];
  await pipeline.read('match-transitions', (transition) => void transitions.push(transition));
  expect(transitions.map(({ kind }) => kind)).toContain('message_unread');
  expect(transitions.findLast(({ kind }) => kind === 'guard_changed')?.match.guard).toEqual(guard);
  const letters: string[] = [];
  await pipeline.read('dead-letters', ({ code }) => void letters.push(code));
  expect(letters).toEqual(['unknown_shape']);
  match.reportsResult = true;
  // An alert of an open guard does not exist.
  await watch.all(
    'safe',
    names.filter((name) => name !== 'alerts'),
  );
}

/** Returns when the last message of the match was received from any source, Unix milliseconds. */
async function lastReceived(): Promise<number> {
  let last = 0;
  await pipeline.read('normalized-messages', ({ received_at }) => {
    last = Math.max(last, received_at);
  });
  return last;
}
