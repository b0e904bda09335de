import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { disturbed, expectSame, FAULT_TIMEOUT_MS, times, undisturbed } from '../../support/harness.ts';
import { startProxiedKafka } from '../../support/proxied-kafka.ts';

const place = backbone();
const DISTURBANCES = times(30, 3);
/** Frozen past the session timeout and, in full, past the time of a transaction as well. */
const MOST_FROZEN_MS = times(16_000, 4_000);
const MOST_SLOWED_MS = 400;

test(
  `${DISTURBANCES} times connections between processors and broker are cut, frozen, slowed: the same output`,
  async () => {
    const { proxy, brokers, directBrokers } = await startProxiedKafka();
    const expected = await undisturbed({ ...place, prefix: `${place.prefix}calm.` });
    const direct = { ...place, brokers: directBrokers, prefix: `${place.prefix}proxied.` };
    let cut = 0;
    const actual = await disturbed({
      place: direct,
      settings: { KAFKA_BROKERS: brokers.join(',') },
      processors: 2,
      count: DISTURBANCES,
      async disturb({ step, random }) {
        await delay(random() * 1_000);
        if (step % 3 === 0) {
          // By turns all of them and a single one.
          cut += proxy.cut(step % 2 === 0 ? undefined : Math.floor(random() * proxy.open));
          return;
        }
        if (step % 3 === 1) proxy.freeze();
        else proxy.slow(random() * MOST_SLOWED_MS);
        await delay(random() * MOST_FROZEN_MS);
        proxy.resume();
      },
    });
    expect(cut, 'connections were cut').toBeGreaterThan(0);
    expectSame(actual, expected);
  },
  FAULT_TIMEOUT_MS,
);
