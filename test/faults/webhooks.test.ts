import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { logged, System, WEBHOOK_SECRET } from '../chain/system.ts';
import { untilTrue } from '../support/poll.ts';
import { startService } from '../support/processes.ts';
import {
  startComposer,
  startDispatcher,
  startFaultyReceiver,
  statesOf,
  subscribe,
} from '../webhooks/support.ts';
import { FAULT_TIMEOUT_MS, seededRandom, times } from './harness.ts';

const MATCHES = times(64, 6);
const SECONDS = times(240, 15);
const KILLS = times(20, 4);
/** Of attempts, in each of nine ways. */
const RATE = 0.1;

test(
  `a system fed by webhooks of another has its match state, though ${Math.round(RATE * 900)} % of attempts fail in nine ways and ${KILLS} kill -9`,
  async () => {
    const random = seededRandom();
    const [a, b] = [await System.create(), await System.create()];
    const [intoA, intoB] = [await a.startReceiver(), await b.startReceiver()];
    const way = await startFaultyReceiver(() => intoB.url, RATE, random);
    const { place } = a.pipeline;
    await subscribe(place, { url: way.url, secret: WEBHOOK_SECRET });
    const composers = [startComposer(place)];
    const dispatchers = [await startDispatcher(place), await startDispatcher(place)];
    await Promise.all([...composers, ...dispatchers].map((service) => service.ready()));

    const simulator = startService('simulator', {
      ...{ WEBHOOK_URL: intoA.url, WEBHOOK_SECRET, SEED: '1', FAULTS: 'many' },
      ...{ MATCHES: String(MATCHES), DURATION: String(SECONDS) },
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
    }
    await logged(simulator, 'all was played', FAULT_TIMEOUT_MS);
    const wanted = statesOf(await a.output());
    expect(Object.keys(wanted)).toHaveLength(MATCHES);
    await untilTrue(
      'B has the state of A',
      async () => JSON.stringify(statesOf(await b.output())) === JSON.stringify(wanted),
      times(FAULT_TIMEOUT_MS, 120_000),
    ).catch(() => {});
    expect(statesOf(await b.output())).toEqual(wanted);
    for (const [fault, count] of Object.entries(way.counts)) expect(count, fault).toBeGreaterThan(0);
  },
  FAULT_TIMEOUT_MS,
);
