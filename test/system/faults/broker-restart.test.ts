import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished, test } from 'vitest';
import { startKafka } from '#embedded/kafka.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { backbone } from '../../setup/backbone.ts';
import { disturbed, expectSame, FAULT_TIMEOUT_MS, times, undisturbed } from '../../support/harness.ts';
import { workload } from '../../support/workload.ts';

const place = backbone();
const RESTARTS = times(100, 2);
/** Enough load that every restart meets some of it. */
const LOAD = workload({ events: 40, perEvent: times(300, 20), seed: 7 });

test(
  `${RESTARTS} restarts of the broker under load: no loss, no duplicates`,
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'touchline-restart-'));
    const kafka = await startKafka({ dataDir, jvmArgs: QUICK_START });
    onTestFinished(async () => {
      await kafka.stop();
      await rm(dataDir, { recursive: true, force: true });
    });
    const own = { ...place, brokers: kafka.brokers };

    const expected = await undisturbed({ ...own, prefix: `${place.prefix}calm.` }, LOAD);
    const actual = await disturbed({
      place: { ...own, prefix: `${place.prefix}restarted.` },
      processors: 2,
      count: RESTARTS,
      load: LOAD,
      async disturb({ step, random }) {
        await delay(random() * 1_500);
        // By turns in good order and as a crash.
        await kafka.kill(step % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
        await delay(random() * 3_000);
        await kafka.start();
      },
    });
    expectSame(actual, expected, { offsets: false });
  },
  FAULT_TIMEOUT_MS,
);
