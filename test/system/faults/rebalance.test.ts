import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { disturbed, expectSame, FAULT_TIMEOUT_MS, times, undisturbed } from '../../support/harness.ts';

const place = backbone();
const REBALANCES = times(10, 2);

test(
  `${REBALANCES} rebalances between 1 and 3 processors under load: no loss, no duplicates`,
  async () => {
    const expected = await undisturbed({ ...place, prefix: `${place.prefix}calm.` });
    const actual = await disturbed({
      place: { ...place, prefix: `${place.prefix}rebalanced.` },
      processors: 1,
      count: REBALANCES,
      async disturb({ step, processors, pipeline, random }) {
        await delay(random() * 1_000);
        const growing = processors.length === 1 || (processors.length === 2 && step % 4 < 2);
        if (growing) {
          const joined = pipeline.startProcessor();
          processors.push(joined);
          await joined.ready();
        } else {
          expect(await processors.shift()?.stop(), 'it leaves in good order').toBe(0);
        }
      },
    });
    expectSame(actual, expected);
  },
  FAULT_TIMEOUT_MS,
);
