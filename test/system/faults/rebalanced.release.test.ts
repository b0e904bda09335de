/**
 * Starts and stops processors under load, and breaks their connections: the output must be that of an undisturbed
 * processor.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { disturbed, expectSame, FAULT_TIMEOUT_MS, times, undisturbed } from '../../support/harness.ts';
import type { PipelineOutput } from '../../support/pipeline.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';

const connection = backbone();
const REBALANCES = times(10, 2);
const DISTURBANCES = times(30, 3);
/** Maximum freeze: longer than the session timeout, and in the long variant than a transaction's timeout. */
const MOST_FROZEN_MS = times(16_000, 4_000);
const MOST_SLOWED_MS = 400;

let expected: PipelineOutput;

beforeAll(async () => {
  expected = await undisturbed({ ...connection, prefix: `${connection.prefix}calm.` });
}, FAULT_TIMEOUT_MS);

test(
  `${REBALANCES} rebalances between 1 and 3 processors under load: no loss, no duplicates`,
  async () => {
    const actual = await disturbed({
      connection: { ...connection, prefix: `${connection.prefix}rebalanced.` },
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

test(
  `${DISTURBANCES} times connections between processors and broker are cut, frozen, slowed: the same output`,
  async () => {
    const { proxy, brokers, directBrokers } = await restartableKafka();
    let cut = 0;
    const actual = await disturbed({
      connection: { ...connection, brokers: directBrokers, prefix: `${connection.prefix}proxied.` },
      settings: { KAFKA_BROKERS: brokers.join(',') },
      processors: 2,
      count: DISTURBANCES,
      async disturb({ step, random }) {
        await delay(random() * 1_000);
        if (step % 3 === 0) {
          // In turns all connections and a single one.
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
