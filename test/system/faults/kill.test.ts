import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { disturbed, expectSame, FAULT_TIMEOUT_MS, times, undisturbed } from '../../support/harness.ts';

const place = backbone();
const KILLS = times(30, 3);

test(
  `${KILLS} times kill -9 of a running processor under load: no loss, no duplicates`,
  async () => {
    const expected = await undisturbed({ ...place, prefix: `${place.prefix}calm.` });
    const actual = await disturbed({
      place: { ...place, prefix: `${place.prefix}killed.` },
      processors: 2,
      count: KILLS,
      async disturb({ processors, pipeline, random }) {
        // Some while the victim claims its partitions, some in the middle of its transactions.
        await delay(random() * 2_500);
        const victim = Math.floor(random() * processors.length);
        await processors[victim]?.kill();
        // Under the name of the one that was killed, or as one on another host, while the group waits for the former.
        const name = random() < 0.5 ? {} : { GROUP_INSTANCE_ID: `processor-${victim}` };
        processors[victim] = pipeline.startProcessor(name);
      },
    });
    expectSame(actual, expected);
  },
  FAULT_TIMEOUT_MS,
);
