/** Services whose heap is far too small: one clear line each, and state as before with room. */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ServiceProcess } from '../../../cli/processes.ts';
import { API_AND_TOOLS, serviceNames } from '../../../cli/services.ts';
import { CLIENT, TestProvider } from '../../integration/feed-poller/provider.ts';
import { backbone } from '../../setup/backbone.ts';
import { atEnd } from '../../support/at-end.ts';
import { ANY_PORTS, CLIENTS_KEY, connectionEnv } from '../../support/environment.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { System, WEBHOOK_SECRET } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { Deliveries } from './deliveries.ts';

/** Too small to load the code of any service. */
const TOO_SMALL_MIB = 16;
/** A service starts with it, and can hold little. */
const SMALL_MIB = 64;
const ENOUGH_MIB = 1_024;
const ADVICE = 'its heap is full: give it more with NODE_OPTIONS=--max-old-space-size=<MiB>';

let system: System;
let deliveries: Deliveries;
let settings: Record<string, string>;

beforeAll(async () => {
  system = await System.create();
  deliveries = new Deliveries((await system.startReceiver()).url);
  await deliveries.sendAll(5);
  settings = {
    ...connectionEnv(system.pipeline.connection),
    WEBHOOK_SECRET,
    CLIENTS_KEY,
    ...ANY_PORTS,
    SESSION_TIMEOUT_MS: '6000',
  };
});

/** Runs a service as `touchline up` does, with a heap of this size, until the test ends. */
function supervised(name: string, heapMib: number, more: Readonly<Record<string, string>> = {}) {
  const problems: string[] = [];
  const service = new ServiceProcess({
    name,
    settings: { ...settings, NODE_OPTIONS: `--max-old-space-size=${heapMib}`, ...more },
    logFile: join(temporaryFolder(), `${name}.log`),
    restart: true,
    onProblem: (line) => problems.push(line),
  });
  atEnd(() => service.stop());
  return { service, problems };
}

const WITH_STATE = [...serviceNames().filter((name) => name !== 'simulator'), API_AND_TOOLS];

describe.each(WITH_STATE)('%s', (name) => {
  test('with too small a heap ends, and is named with the option', async () => {
    const { service, problems } = supervised(name, TOO_SMALL_MIB, { DATA_DIR: temporaryFolder() });
    await expect(service.ready()).rejects.toThrow(`${name}: ${ADVICE}`);
    expect(problems.filter((line) => line === `${name}: ${ADVICE}`)).toHaveLength(3);
    // Nothing of the dump.
    for (const line of problems) expect(line).toMatch(new RegExp(`^${name}(: its heap| was ended by)`));
  });
});

/** Areas of a provider, with so much text that the small heap cannot hold them. */
const AREAS = 40_000;
const AREA_BYTES = 2_000;

test('a service whose heap fills while it works is named with the option, and does all of its work with room', async () => {
  const provider = await TestProvider.start();
  atEnd(() => provider.close());
  provider.catalogues.areas = Array.from({ length: AREAS }, (_, at) => ({
    id: at + 1,
    name: `${at} `.padEnd(AREA_BYTES, 'x'),
    ut: 1_500_000_000,
  }));
  const pipeline = await Pipeline.create({ ...backbone(), services: ['feed-poller'] });
  const polling = {
    ...connectionEnv(pipeline.connection),
    PROVIDER_BASE_URL: provider.url,
    PROVIDER_CLIENT_ID: CLIENT.id,
    PROVIDER_SECRET_KEY: CLIENT.secret,
    REQUEST_TIMEOUT_MS: '120000',
  };
  const starved = supervised('feed-poller', SMALL_MIB, polling);
  await untilTrue('its heap is full', () => starved.problems.includes(`feed-poller: ${ADVICE}`));
  await starved.service.stop();
  supervised('feed-poller', ENOUGH_MIB, polling);
  await untilTrue('all areas are published', async () => {
    const areas = new Set<string>();
    await pipeline.read('catalogue', ({ kind, id }) => kind === 'area' && areas.add(id));
    return areas.size === AREAS;
  });
});

test('nothing is lost, nor applied twice, by services whose heap was too small', async () => {
  await deliveries.sendAll(1);
  await deliveries.expectAll(system);
});
