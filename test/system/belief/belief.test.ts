/** Every surface that says what may be traded, while what it rests on is frozen, killed, cut or set to another time. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { participants } from '#domain/testing/messages.ts';
import { CHROMIUM, startChromium, Visit } from '../../integration/board/browser.ts';
import { LiveFeed, startMonitor } from '../../integration/feed-monitor/support.ts';
import { startApi, temporaryFolder } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import { until, untilTrue } from '../../support/poll.ts';
import type { ServiceProcess } from '../../support/processes.ts';
import { type ProxiedKafka, startProxiedKafka } from '../../support/proxied-kafka.ts';
import { System } from '../../support/system.ts';
import { startGateway } from '../../support/tool-gateway.ts';
import { READER_EXAMPLES, ReaderProcess } from '../examples/reader-examples.ts';
import { Output, type Said, type Surface, Watch } from './surfaces.ts';

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
const STEPPED = { NODE_OPTIONS: `--import=${join(ROOT, 'test/support/stepped-clock.fixture.ts')}` };

let watch: Watch;
let feed: LiveFeed;
let kafka: ProxiedKafka;
let api: ServiceProcess;
let monitor: ServiceProcess;
let processor: ServiceProcess;
let start: { api(): Promise<void>; monitor(): void; processor(): void };
/** Sets the clock of a process by so many milliseconds. */
let setClock: (of: ServiceProcess, ms: number) => void;
let saying = true;
const OF_API = ['board', 'match page', 'REST'];

beforeAll(async () => {
  kafka = await startProxiedKafka();
  const system = await System.create(kafka.brokers);
  const { place } = system.pipeline;
  const clockFile = join(temporaryFolder(), 'clock');
  const stepped = { ...STEPPED, CLOCK_FILE: clockFile };
  const limits = { STALE_AFTER_MS: String(STALE_MS), BACKLOG_AFTER_MS: String(BACKLOG_MS), ...stepped };
  setClock = (of, ms) => {
    writeFileSync(clockFile, String(ms));
    of.signal('SIGUSR2');
  };
  processor = system.processor;
  monitor = startMonitor(place, limits);
  const folder = temporaryFolder();
  const replica = await startApi(place, folder, { API_BOARD: 'on', ...stepped });
  api = replica.service;
  const { port } = new URL(replica.url);
  start = {
    api: async () => {
      api = (await startApi(place, folder, { API_BOARD: 'on', API_PORT: port, ...stepped })).service;
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
  watch = new Watch([
    ...(await ofBoard(replica.url)),
    ofRest(replica.url),
    await ofTools(system, replica.url),
    ofTail(env),
    ofStatus(env),
    ...(await ofReaders(env)),
  ]);
  await watch.all('safe');
});

const say = (fields: Readonly<Record<string, unknown>> = {}) =>
  feed.say(EVENT, { participants: participants(0, 0), ...fields });

async function ofBoard(url: string): Promise<Surface[]> {
  if (CHROMIUM === null) return [];
  const browser = await startChromium();
  atEnd(() => browser.close());
  const origin = url.replace('127.0.0.1', 'localhost');
  const page = (visit: Visit, within: string) => (): Promise<Said> =>
    visit.ask(`(() => {
      const text = document.querySelector('${within}')?.innerText ?? '';
      return /Safe to trade/.test(text) ? 'safe' : /halted/i.test(text) ? 'halted' : /Final/.test(text) ? 'not_in_play' : null;
    })()`);
  const board = await Visit.open(browser, origin);
  await board.shows(`[data-key="match-${EVENT}"]`, 'Home');
  const match = await Visit.open(browser, `${origin}/match/${EVENT}`);
  return [
    { name: 'board', read: page(board, `[data-key="match-${EVENT}"]`) },
    { name: 'match page', read: page(match, 'main') },
  ];
}

function ofRest(url: string): Surface {
  return {
    name: 'REST',
    async read() {
      const { headers } = await fetch(`${url}/v2/events/${EVENT}`, { signal: AbortSignal.timeout(1_000) });
      const [, state = ''] = /match=(\w+)/.exec(headers.get('x-feed-health') ?? '') ?? [];
      if (state === 'ended') return 'not_in_play';
      return state === 'alive' || state === 'recovered' ? 'safe' : 'halted';
    },
  };
}

async function ofTools(system: System, apiUrl: string): Promise<Surface> {
  const gateway = await startGateway(system.pipeline.place, apiUrl);
  const { id, secret } = await system.addClient('desk');
  const token = await until('a token is issued', async () => {
    const { body } = await gateway.exchange({ client_id: id, secret_key: secret });
    return body.token;
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', gateway.url), { requestInit }));
  atEnd(() => client.close());
  return {
    name: '/mcp',
    // A token has 120 requests a minute.
    everyMs: 550,
    async read() {
      const answer = await client.callTool({ name: 'get_match', arguments: { match_id: EVENT } });
      return (answer.structuredContent as { guard: { trading: Said } }).guard.trading;
    },
  };
}

function ofTail(env: Readonly<Record<string, string>>): Surface {
  const tail = new Output(
    process.execPath,
    ['bin/touchline.js', 'tail', 'match-state', '--from-beginning'],
    env,
  );
  return {
    name: 'tail',
    read() {
      const last = tail.last(/TRADING (safe|halted|not in play)/g);
      return last === 'not in play' ? 'not_in_play' : (last as Said);
    },
  };
}

/** In a terminal; of the feed alone: it knows no matches. */
function ofStatus(env: Readonly<Record<string, string>>): Surface {
  const command = `${process.execPath} bin/touchline.js status --watch`;
  const status = new Output('script', ['-qfec', command, '/dev/null'], env);
  return {
    name: 'status',
    read() {
      const state = status.last(/webhook\s+(\w+)/g);
      return state === null ? null : state === 'alive' || state === 'recovered' ? 'safe' : 'halted';
    },
  };
}

async function ofReaders(env: Readonly<Record<string, string>>): Promise<Surface[]> {
  const present = READER_EXAMPLES.filter((example) => example.present);
  const commands = await Promise.all(present.map((example) => example.prepare()));
  return commands.map((command, index): Surface => {
    const group = `${env.TOPIC_PREFIX}reader-${index}`;
    const reader = new ReaderProcess(command, { ...env, READER_GROUP: group });
    return {
      name: `reader in ${present[index]?.name}`,
      read: () => reader.guards().get(EVENT)?.permission ?? null,
    };
  });
}

/** Makes a fault; after it none of these says safe for longer than that. Then the fault is mended, and all say safe again. */
async function withdraws(
  make: () => unknown,
  mend: () => unknown,
  { within = WITHIN_MS, names = watch.names }: { within?: number; names?: readonly string[] } = {},
): Promise<void> {
  await watch.all('safe');
  const since = performance.now();
  await make();
  const after = await watch.safeAfter(since, within, names);
  const late = Object.entries(after).filter(([, ms]) => ms > within + LOOK_MS);
  await mend();
  expect(late, JSON.stringify(after)).toEqual([]);
  await watch.all('safe');
}

describe('no surface says safe for longer than two seconds after its last good word', () => {
  test('the api is frozen', async () => {
    await withdraws(
      () => api.signal('SIGSTOP'),
      () => api.signal('SIGCONT'),
      { names: OF_API },
    );
  });

  test('the api is killed', async () => {
    await withdraws(
      () => api.kill(),
      () => start.api(),
      { names: OF_API },
    );
  });

  test('the monitor is frozen', async () => {
    await withdraws(
      () => monitor.signal('SIGSTOP'),
      () => monitor.signal('SIGCONT'),
    );
  });

  test('the monitor is killed', async () => {
    await withdraws(
      () => monitor.kill(),
      () => start.monitor(),
    );
  });

  test('the broker is frozen', async () => {
    await withdraws(
      () => kafka.kafka.kill('SIGSTOP'),
      () => kafka.kafka.kill('SIGCONT'),
    );
  });

  test('the network to the broker holds everything back', async () => {
    await withdraws(
      () => kafka.proxy.freeze(),
      () => kafka.proxy.resume(),
    );
  });

  test('the broker is killed', async () => {
    await withdraws(
      () => kafka.kafka.kill(),
      () => kafka.kafka.start(),
    );
  });

  test('the monitor’s clock is an hour ahead, and it is frozen', async () => {
    const terms = () => monitor.lines.filter((line) => line.includes('"judging"')).length;
    const before = terms();
    setClock(monitor, 3_600_000);
    await untilTrue('it judges by the new time', () => terms() > before);
    await withdraws(
      () => monitor.signal('SIGSTOP'),
      () => {
        monitor.signal('SIGCONT');
        setClock(monitor, 0);
      },
    );
  });

  test('the api’s clock is an hour behind, and the monitor is frozen', async () => {
    setClock(api, -3_600_000);
    await withdraws(
      () => monitor.signal('SIGSTOP'),
      () => {
        monitor.signal('SIGCONT');
        setClock(api, 0);
      },
    );
  });
});

describe('no surface says safe for longer than a second after a match is due', () => {
  const silent = { within: STALE_MS + DUE_WITHIN_MS };
  const behind = { within: SAY_EVERY_MS + BACKLOG_MS + DUE_WITHIN_MS };

  test('the provider is silent', async () => {
    await withdraws(
      () => {
        saying = false;
      },
      () => {
        saying = true;
      },
      // Its source is silent with it: none other plays.
      silent,
    );
  });

  test('the provider cannot be reached', async () => {
    await withdraws(
      () => feed.report('down', { reason: 'network' }),
      () => feed.report('up'),
    );
  });

  test('the processor is frozen', async () => {
    await withdraws(
      () => processor.signal('SIGSTOP'),
      () => processor.signal('SIGCONT'),
      behind,
    );
  });

  test('the processor is killed', async () => {
    await withdraws(
      () => processor.kill(),
      () => start.processor(),
      behind,
    );
  });
});

test('a finished match is neither safe nor halted anywhere', async () => {
  await watch.all('safe');
  saying = false;
  await say({ status_id: 11, status_type: 'finished', clock_status: 'stopped' });
  await watch.all(
    'not_in_play',
    watch.names.filter((name) => name !== 'status'),
  );
});
