import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Kafka, startKafka } from '#embedded/kafka.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { FAULT_TIMEOUT_MS, times } from '../../support/harness.ts';
import type { PipelineOutput } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { startService } from '../../support/processes.ts';
import { seeded } from '../../support/seed.ts';
import { logged, System, WEBHOOK_SECRET } from '../../support/system.ts';
import {
  startComposer,
  startDispatcher,
  startFaultyReceiver,
  statesOf,
  subscribe,
} from '../../support/webhooks.ts';

const MATCHES = times(64, 6);
const SECONDS = times(240, 15);
const KILLS = times(20, 4);
const RESTARTS = times(2, 0);
/** Of attempts, in each of nine ways. */
const RATE = 0.05;
const DEADLINE_MS = times(FAULT_TIMEOUT_MS, 150_000);

/** The broker to restart; none where it is not restarted. */
async function ownBroker(): Promise<Kafka | null> {
  if (RESTARTS === 0) return null;
  const dataDir = await mkdtemp(join(tmpdir(), 'touchline-webhooks-'));
  const kafka = await startKafka({ dataDir, jvmArgs: QUICK_START });
  onTestFinished(async () => {
    await kafka.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  return kafka;
}

/** Waits until a system has the states of another; reports the differences where it does not. */
async function expectSameStates(b: System, wanted: object, ignoring: Parameters<typeof statesOf>[1] = []) {
  const states = async () => statesOf(await b.output(), ignoring);
  await untilTrue(
    'B has the state of A',
    async () => JSON.stringify(await states()) === JSON.stringify(wanted),
    DEADLINE_MS,
  ).catch(() => {});
  expect(await states()).toEqual(wanted);
}

test(
  `a system fed by webhooks of another has its match state although ${Math.round(RATE * 900)} % of attempts fail in nine ways, with ${KILLS} kill -9 and ${RESTARTS} restarts of the broker`,
  async () => {
    const random = seeded();
    const kafka = await ownBroker();
    const brokers = kafka?.brokers;
    const [a, b] = [await System.create(brokers), await System.create(brokers)];
    const [intoA, intoB] = [await a.startReceiver(), await b.startReceiver()];
    const way = await startFaultyReceiver(() => intoB.url, RATE, random);
    const { place } = a.pipeline;
    await subscribe(place, { url: way.url, secret: WEBHOOK_SECRET });
    const composers = [startComposer(place)];
    const dispatchers = [await startDispatcher(place), await startDispatcher(place)];
    await Promise.all([...composers, ...dispatchers].map((service) => service.ready()));

    const simulator = startService('simulator', {
      WEBHOOK_URL: intoA.url,
      WEBHOOK_SECRET,
      SEED: '1',
      FAULTS: 'many',
      MATCHES: String(MATCHES),
      DURATION: String(SECONDS),
    });
    for (let kill = 0; kill < KILLS; kill++) {
      await delay(random() * ((2 * SECONDS * 1_000) / KILLS));
      const victim = kill % 3;
      if (victim === 2) {
        await composers[0]?.kill();
        composers[0] = startComposer(place);
      } else {
        await dispatchers[victim]?.kill();
        dispatchers[victim] = await startDispatcher(place);
      }
      if (kafka !== null && kill % Math.ceil(KILLS / RESTARTS) === 5) {
        // By turns as a crash and in good order.
        await kafka.kill(kill === 5 ? 'SIGKILL' : 'SIGTERM');
        await delay(random() * 3_000);
        await kafka.start();
      }
    }
    await logged(simulator, 'all was played', FAULT_TIMEOUT_MS);
    const wanted = statesOf(await a.output());
    expect(Object.keys(wanted)).toHaveLength(MATCHES);
    await expectSameStates(b, wanted);
    for (const [fault, count] of Object.entries(way.counts)) expect(count, fault).toBeGreaterThan(0);
  },
  FAULT_TIMEOUT_MS,
);

const REST_SECRET = 'a-secret-of-the-simulator';
const POLLED_MATCHES = times(64, 4);
const DAY_SECONDS = 86_400;

/** Incidents whose removal was known by absence from a list alone. */
function vanished({ transitions }: PipelineOutput): number {
  return transitions.filter(
    ({ kind, incident_presence }) => kind === 'incident_removed' && incident_presence?.incident != null,
  ).length;
}

test(
  'a system fed by webhooks of one that only polls has its match state, including incidents that only vanished from lists',
  async () => {
    const random = seeded();
    const [a, b] = [await System.create(), await System.create()];
    const intoB = await b.startReceiver();
    const way = await startFaultyReceiver(() => intoB.url, 0.05, random);
    const { place } = a.pipeline;
    await subscribe(place, { url: way.url, secret: WEBHOOK_SECRET });
    const services = [startComposer(place), await startDispatcher(place)];
    await Promise.all(services.map((service) => service.ready()));
    const simulator = startService('simulator', {
      REST_PORT: '0',
      REST_SECRET_KEY: REST_SECRET,
      REST_FAULTS: 'vanish=1',
      FAULTS: 'many',
      SEED: '3',
      MATCHES: String(POLLED_MATCHES),
      DURATION: String(times(240, 30)),
    });
    const { port } = await logged(simulator, 'REST is served');
    const poller = a.startPoller(
      { url: `http://127.0.0.1:${port}`, client: { id: '1', secret: REST_SECRET } },
      // Few windows for the month before: the poller must see incidents before they vanish, also on a busy machine.
      {
        FEED_WINDOW_SECONDS: String(7 * DAY_SECONDS),
        FEED_INITIAL_SECONDS: String(30 * DAY_SECONDS),
        FEED_PERIOD_MS: '200',
      },
    );
    await poller.ready();
    await untilTrue(
      'every match is over and verified',
      async () => {
        const { states } = await a.output();
        const all = [...states.values()];
        return (
          all.length === POLLED_MATCHES && all.every(({ verified_result }) => verified_result === '"yes"')
        );
      },
      DEADLINE_MS,
    );
    await poller.stop();
    const output = await a.output();
    expect(vanished(output)).toBeGreaterThan(0);
    // A receiver of webhooks has no lists.
    await expectSameStates(b, statesOf(output, ['snapshot_at']), ['snapshot_at']);
  },
  FAULT_TIMEOUT_MS,
);
