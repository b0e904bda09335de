/** Every surface that says what may be traded, while what it rests on is frozen, killed, cut or set to another time. */
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { participants } from '#domain/testing/messages.ts';
import { LiveFeed, startMonitor } from '../../integration/feed-monitor/support.ts';
import { startApi, temporaryFolder } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import type { Pipeline } from '../../support/pipeline.ts';
import type { ServiceProcess } from '../../support/processes.ts';
import { type ProxiedKafka, startProxiedKafka } from '../../support/proxied-kafka.ts';
import { System } from '../../support/system.ts';
import { READER_EXAMPLES } from '../examples/reader-examples.ts';
import { Alerts, ofBoard, ofReaders, ofRest, ofStatus, ofTail, ofTools } from './programs.ts';
import { Watch } from './surfaces.ts';

const EVENT = 7_000_001;
const ROOT = join(import.meta.dirname, '../../..');
/** After its last good word nothing says safe for longer, milliseconds. */
const WITHIN_MS = 2_000;
/** After the time at which a match becomes stale, or we are late with it. */
const DUE_WITHIN_MS = 1_000;
const STALE_MS = 4_000;
const BACKLOG_MS = 1_500;
const SAY_EVERY_MS = 500;
/** What a look may come late on a machine that does all this at once. */
const LOOK_MS = 300;
/** SIGUSR2 sets its clock back. */
const STEPPED = {
  NODE_OPTIONS: `--import=${join(ROOT, 'test/support/stepped-clock.fixture.ts')}`,
  STEP_MS: '-3600000',
};

let watch: Watch;
let alerts: Alerts;
let pipeline: Pipeline;
let feed: LiveFeed;
let kafka: ProxiedKafka;
let api: ServiceProcess;
let monitor: ServiceProcess;
let processor: ServiceProcess;
let start: { api(): Promise<void>; monitor(): void; processor(): void };
let saying = true;
const OF_API = ['board', 'match page', 'REST'];

beforeAll(async () => {
  kafka = await startProxiedKafka();
  const system = await System.create(kafka.brokers);
  pipeline = system.pipeline;
  const { place } = pipeline;
  const limits = { STALE_AFTER_MS: String(STALE_MS), BACKLOG_AFTER_MS: String(BACKLOG_MS) };
  processor = system.processor;
  monitor = startMonitor(place, limits);
  const folder = temporaryFolder();
  const replica = await startApi(place, folder, { API_BOARD: 'on', ...STEPPED });
  api = replica.service;
  const { port } = new URL(replica.url);
  start = {
    api: async () => {
      api = (await startApi(place, folder, { API_BOARD: 'on', API_PORT: port, ...STEPPED })).service;
    },
    monitor: () => {
      monitor = startMonitor(place, limits);
    },
    processor: () => {
      processor = system.pipeline.startProcessor();
    },
  };
  feed = await LiveFeed.open(place);
  feed.keepReporting(1_000);
  await feed.report('up');
  const speaking = setInterval(() => saying && void say(), SAY_EVERY_MS);
  atEnd(async () => clearInterval(speaking));
  const env = {
    KAFKA_BROKERS: place.brokers.join(','),
    SCHEMA_REGISTRY_URL: place.registryUrl,
    TOPIC_PREFIX: place.prefix,
  };
  alerts = new Alerts(env, EVENT);
  watch = new Watch([
    ...(await ofBoard(replica.url, EVENT)),
    ofRest(replica.url, EVENT),
    await ofTools(system, replica.url, EVENT),
    ofTail(env, EVENT),
    ofStatus(env),
    alerts.surface,
    ...(await ofReaders(env, EVENT)),
  ]);
  await watch.all('safe');
});

const say = (fields: Readonly<Record<string, unknown>> = {}) =>
  feed.say(EVENT, { participants: participants(0, 0), ...fields });

type Fault = {
  readonly what: string;
  readonly make: () => unknown;
  readonly mend: () => unknown;
  /** How long safe may still be said after it, milliseconds. */
  readonly within?: number;
  /** Who rests on it; all where nothing is said. */
  readonly names?: readonly string[];
  /** Who need not be back. */
  readonly mayEnd?: readonly string[];
};

const freeze = (of: () => ServiceProcess) => () => of().signal('SIGSTOP');
const thaw = (of: () => ServiceProcess) => () => of().signal('SIGCONT');
const ofMonitor = () => monitor;

const BEHIND = SAY_EVERY_MS + BACKLOG_MS + DUE_WITHIN_MS;

const FAULTS: readonly Fault[] = [
  { what: 'the api is frozen', make: freeze(() => api), mend: thaw(() => api), names: OF_API },
  { what: 'the api is killed', make: () => api.kill(), mend: () => start.api(), names: OF_API },
  { what: 'the monitor is frozen', make: freeze(ofMonitor), mend: thaw(ofMonitor) },
  { what: 'the monitor is killed', make: () => monitor.kill(), mend: () => start.monitor() },
  {
    what: 'the broker is frozen',
    make: () => kafka.kafka.kill('SIGSTOP'),
    mend: () => kafka.kafka.kill('SIGCONT'),
  },
  {
    what: 'the network to the broker holds everything back',
    make: () => kafka.proxy.freeze(),
    mend: () => kafka.proxy.resume(),
  },
  {
    what: 'the clock of the api is set back an hour, and the monitor is frozen',
    make() {
      api.signal('SIGUSR2');
      monitor.signal('SIGSTOP');
    },
    mend: thaw(ofMonitor),
  },
  { what: 'the provider cannot be reached', make: () => report('down'), mend: () => report('up') },
  {
    what: 'the provider is silent',
    make: () => {
      saying = false;
    },
    mend: () => {
      saying = true;
    },
    within: STALE_MS + DUE_WITHIN_MS,
    // It knows sources alone, and this one reports that it is there.
    names: [
      ...OF_API,
      '/mcp',
      'tail',
      'alerts',
      ...READER_EXAMPLES.filter((one) => one.present).map(({ name }) => `reader in ${name}`),
    ],
  },
  {
    what: 'the processor is frozen',
    make: freeze(() => processor),
    mend: thaw(() => processor),
    within: BEHIND,
  },
  {
    what: 'the processor is killed',
    make: () => processor.kill(),
    mend: () => start.processor(),
    within: BEHIND,
  },
  {
    what: 'the broker is killed',
    make: () => kafka.kafka.kill(),
    mend: () => kafka.kafka.start(),
    // The command may end with its broker, and says nothing then.
    mayEnd: ['status'],
  },
];

function report(state: 'up' | 'down'): Promise<void> {
  return feed.report(state, { reason: state === 'up' ? null : 'network' });
}

// One test: what it starts anew lasts until its end.
test('no surface says safe for long after its last good word, and all do again', async () => {
  const late: string[] = [];
  for (const { what, make, mend, within = WITHIN_MS, names = watch.names, mayEnd = [] } of FAULTS) {
    await watch.all('safe');
    const since = performance.now();
    await make();
    const after = await watch.safeAfter(since, within, names);
    for (const [name, ms] of Object.entries(after))
      if (ms > within + LOOK_MS) late.push(`${what}: ${name} says safe for ${ms} ms`);
    await mend();
    const back = watch.names.filter((name) => !mayEnd.includes(name));
    await watch.all('safe', back).catch((error: unknown) => {
      throw new Error(`after ${what}: ${String(error)}; ${late.join('; ')}`);
    });
  }
  expect(late).toEqual([]);
  saying = false;
  await say({ status_id: 11, status_type: 'finished', clock_status: 'stopped' });
  // Neither safe nor halted.
  await watch.all(
    'not_in_play',
    watch.names.filter((name) => name !== 'status'),
  );
  await sameAlerts();
});

/** Each episode is on the topic once, begun and ended in turns, and was printed once. */
async function sameAlerts(): Promise<void> {
  const published: string[] = [];
  await pipeline.read('alerts', ({ id }) => published.push(id));
  const episodes = published.filter((id) => id.includes('/match_'));
  const begun = episodes.filter((_, index) => index % 2 === 0);
  expect(episodes).toEqual(begun.flatMap((id) => [id, id.replace('match_stale', 'match_recovered')]));
  expect(new Set(episodes).size).toBe(episodes.length);
  expect(new Set(alerts.ids).size).toBe(alerts.ids.length);
}
