import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type KafkaCluster, startKafkaCluster } from '#embedded/kafka.ts';
import { QUICK_REJOIN, QUICK_START } from '#embedded/settings.ts';
import { backbone } from '../../setup/backbone.ts';
import { atEnd } from '../../support/at-end.ts';
import {
  expectSame,
  FAULT_TIMEOUT_MS,
  PARTITIONS,
  settledOrLogs,
  times,
  undisturbed,
} from '../../support/harness.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { seeded } from '../../support/seed.ts';
import { workload } from '../../support/workload.ts';
import { SteadyLoad } from './steady-load.ts';
import { TransitionLatency } from './transition-latency.ts';

const place = backbone();
const PER_SECOND = 150;
const CALM_MS = times(30_000, 2_000);
const KILL_EVERY_MS = 10_000;
const KILLING_MS = times(180_000, 8_000);
/** More messages than can be sent in the time of the test: those sent determine the expected output. */
const MESSAGES = workload({ events: 200, perEvent: times(600, 60), seed: 11 });

test(
  `three brokers, one of them killed every ${KILL_EVERY_MS / 1_000} s for ${KILLING_MS / 1_000} s: the same output`,
  async () => {
    const cluster = await startCluster();
    const on = {
      ...place,
      brokers: cluster.brokers,
      prefix: `${place.prefix}killed.`,
      replicationFactor: 3,
      partitions: PARTITIONS,
    };
    const pipeline = await Pipeline.create(on);
    const processors = [pipeline.startProcessor(), pipeline.startProcessor()];
    await Promise.all(processors.map((processor) => processor.ready()));
    const random = seeded();
    const latency = await TransitionLatency.start(on);
    const load = await SteadyLoad.open(on, MESSAGES);
    const under = (phase: string, done: Promise<unknown>) =>
      load.during(PER_SECOND, done, ({ message_id }) => latency.sent(message_id, phase));

    await under('warming up', delay(CALM_MS));
    await under('before', delay(CALM_MS));
    const killed = killInTurns(cluster, random);
    await under('during', killed);
    await under('after', delay(CALM_MS));
    await load.close();
    await settledOrLogs(pipeline, processors);
    const actual = await pipeline.output();
    await latency.close();
    process.stderr.write(`brokers killed: ${await killed}\n${latency.summary}\n`);

    const expected = await undisturbed({ ...place, prefix: `${place.prefix}calm.` }, [...load.sent]);
    expect(await killed).toBeGreaterThan(0);
    expectSame(actual, expected, { offsets: false });
  },
  FAULT_TIMEOUT_MS,
);

async function startCluster(): Promise<KafkaCluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'touchline-killed-'));
  atEnd(() => rm(dataDir, { recursive: true, force: true }));
  const cluster = await startKafkaCluster({
    dataDir,
    brokers: 3,
    settings: QUICK_REJOIN,
    jvmArgs: QUICK_START,
    heapMb: 512,
  });
  atEnd(() => cluster.stop());
  return cluster;
}

/** Kills one broker after the other and starts it again, the next one once it answers; gives how many. */
async function killInTurns({ nodes }: KafkaCluster, random: () => number): Promise<number> {
  const until = performance.now() + KILLING_MS;
  let killed = 0;
  for (let next = performance.now(); next < until; next = Math.max(next + KILL_EVERY_MS, performance.now())) {
    await delay(Math.max(0, next - performance.now()));
    const node = nodes[killed % nodes.length];
    await node?.kill('SIGKILL');
    killed += 1;
    await delay(random() * 2_000);
    await node?.start();
  }
  return killed;
}
