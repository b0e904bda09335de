import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { KafkaCluster } from '#embedded/kafka.ts';
import { BrokerConnections } from '#streams/client/platformatic/connections.ts';
import { backbone } from '../../setup/backbone.ts';
import {
  expectSame,
  FAULT_TIMEOUT_MS,
  PARTITIONS,
  settledOrLogs,
  times,
  undisturbed,
} from '../../support/harness.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { workload } from '../../support/workload.ts';
import { startCluster } from './killed-cluster.ts';
import { SteadyLoad } from './steady-load.ts';

const place = backbone();
const MOVES = times(20, 2);
const PER_SECOND = 100;
const MESSAGES = workload({ events: 200, perEvent: times(400, 60), seed: 5 });
const BETWEEN_MS = 1_000;
/** Longer than a cluster takes to name another coordinator: nothing here is due to the end of a session. */
const SESSION_TIMEOUT_MS = '30000';

test(
  `the group's coordinator moves ${MOVES} times under load: the same output, and no partition moves`,
  async () => {
    const cluster = await startCluster();
    const on = {
      ...place,
      brokers: cluster.brokers,
      prefix: `${place.prefix}moved.`,
      replicationFactor: 3,
      partitions: PARTITIONS,
    };
    const pipeline = await Pipeline.create(on);
    const processors = [1, 2].map(() => pipeline.startProcessor({ SESSION_TIMEOUT_MS }));
    await untilTrue('they share', async () => {
      const tasks = await Promise.all(
        processors.map((one) => one.metric('touchline_tasks', 'state="running"')),
      );
      return tasks.every((count) => count === PARTITIONS / processors.length);
    });
    const before = processors.map(held);
    const load = await SteadyLoad.open(on, MESSAGES);
    await load.during(PER_SECOND, moveCoordinator(cluster, `${on.prefix}match-processor`), () => {});
    await load.close();
    await settledOrLogs(pipeline, processors);
    const actual = await pipeline.output();

    expect(processors.map(held)).toEqual(before);
    for (const processor of processors) {
      const claims = await processor.metric('touchline_claims_total');
      const failures = await processor.metric('touchline_task_failures_total');
      expect(claims, 'no claim without a failure that asks for it').toBeLessThanOrEqual(
        PARTITIONS + failures,
      );
      expect(await processor.metric('touchline_task_failures_total', 'code="FENCED"')).toBe(0);
    }
    const expected = await undisturbed({ ...place, prefix: `${place.prefix}calm.` }, [...load.sent]);
    expectSame(actual, expected, { offsets: false });
  },
  FAULT_TIMEOUT_MS,
);

/** The partitions that a processor was assigned last. */
function held({ lines }: TestService): readonly number[] {
  const line = lines.findLast((one) => one.includes('partitions assigned'));
  return line === undefined ? [] : JSON.parse(line).partitions;
}

/** Kills the coordinator of the group, waits for the next one, and starts the former again. */
async function moveCoordinator({ brokers, nodes }: KafkaCluster, group: string): Promise<void> {
  for (let move = 0; move < MOVES; move += 1) {
    const port = await coordinatorPort(brokers, group);
    const node = nodes.find((one) => one.port === port);
    if (node === undefined) throw new Error(`no broker has the port ${port}`);
    await node.kill('SIGKILL');
    await until('another coordinator', async () => {
      const next = await coordinatorPort(brokers, group).catch(() => port);
      return next === port ? undefined : next;
    });
    await node.start();
    await delay(BETWEEN_MS);
  }
}

async function coordinatorPort(brokers: readonly string[], group: string): Promise<number | undefined> {
  const connections = new BrokerConnections(brokers, 'test-coordinator');
  try {
    return (await connections.coordinator('group', group)).port;
  } finally {
    await connections.close();
  }
}
