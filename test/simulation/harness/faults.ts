import { positionsTopic } from '#streams/runtime/positions.ts';
import type { Cluster, Partition } from '../broker/cluster.ts';
import { endOf } from '../broker/partition-log.ts';
import type { Random } from '../world/random.ts';
import type { Checks } from './checks.ts';
import { APPLICATION, TOPICS } from './counting.ts';
import type { ProcessorProcess } from './processor-process.ts';

/** What faults are done to. */
export type Faulty = {
  readonly cluster: Cluster;
  readonly processes: readonly ProcessorProcess[];
  readonly checks: Checks;
  readonly partitions: number;
};

type Fault = (on: Faulty, random: Random) => void;

/** Exactly-once and progress hold through all of these. */
const HARMLESS: readonly (readonly [weight: number, fault: Fault])[] = [
  [6, kill],
  [5, pause],
  [3, stop],
  [2, stepClock],
  [4, ({ cluster }, random) => cluster.cutConnections(random.pick(cluster.brokers).id)],
  [3, ({ cluster }, random) => cluster.hang(random.pick(cluster.brokers).id, random.between(50, 4_000))],
  [1, ({ cluster }, random) => cluster.hang(random.pick(cluster.brokers).id, random.between(4_000, 20_000))],
  [3, restartBroker],
  [4, ({ cluster }, random) => cluster.moveCoordinators(random.between(0, 800))],
  [4, moveLeader],
  [3, takeLeader],
];

/** Of these the runtime may refuse to go on. */
const LOSSES: readonly Fault[] = [
  loseChangelog,
  loseChangelog,
  loseInput,
  loseInput,
  losePositions,
  removeInput,
  recreateChangelog,
  recreateInput,
];

/** One fault, by chance. */
export function injectFault(on: Faulty, random: Random): void {
  const total = HARMLESS.reduce((sum, [weight]) => sum + weight, 0);
  let at = random.int(1, total);
  for (const [weight, fault] of HARMLESS) {
    at -= weight;
    if (at > 0) continue;
    fault(on, random);
    return;
  }
}

export function injectLoss(on: Faulty, random: Random): void {
  random.pick(LOSSES)(on, random);
}

/** Everything runs again: from now on nothing keeps a partition from being processed. */
export function heal({ cluster, processes }: Faulty, random: Random): void {
  cluster.world.note('world', 'heals');
  for (const broker of cluster.brokers) {
    broker.hangsUntil = 0;
    if (!broker.isUp) cluster.restart(broker.id);
  }
  for (const partition of cluster.partitions()) if (partition.leader === null) cluster.elect(partition);
  for (const process of processes) process.start();
  if (random.chance(0.05)) cluster.loseForGood(cluster.partition({ topic: TOPICS.letters, partition: 0 }));
}

function kill({ processes, cluster }: Faulty, random: Random): void {
  const process = random.pick(processes);
  process.kill();
  cluster.world.after(random.chance(0.5) ? random.between(20, 500) : random.between(500, 9_000), () =>
    process.start(),
  );
}

function pause({ processes }: Faulty, random: Random): void {
  const ms = random.chance(0.5) ? random.between(5, 400) : random.between(400, 12_000);
  const process = random.pick(processes);
  // An answer that comes during a pause is old when it is read.
  if (random.chance(0.5)) process.pause(ms);
  else process.pauseAtRequest(ms, random.chance(0.5) ? 'Heartbeat' : null);
}

function stop({ processes, cluster }: Faulty, random: Random): void {
  const process = random.pick(processes);
  process.stop();
  cluster.world.after(random.between(100, 4_000), () => {
    process.kill();
    process.start();
  });
}

function stepClock({ processes }: Faulty, random: Random): void {
  random.pick(processes).stepClock(random.between(-600_000, 600_000));
}

function restartBroker({ cluster }: Faulty, random: Random): void {
  const { id, isUp } = random.pick(cluster.brokers);
  if (!isUp) return;
  cluster.stop(id);
  cluster.world.after(random.between(50, 3_000), () => cluster.restart(id));
}

function moveLeader({ cluster }: Faulty, random: Random): void {
  cluster.elect(random.pick([...cluster.partitions()]));
}

function takeLeader({ cluster }: Faulty, random: Random): void {
  const partition = random.pick([...cluster.partitions()]);
  cluster.unseat(partition);
  cluster.world.after(random.between(20, random.chance(0.3) ? 8_000 : 600), () => {
    if (partition.leader === null) cluster.elect(partition);
  });
}

function loseChangelog({ cluster, checks, partitions }: Faulty, random: Random): void {
  const partition = cluster.partition({ topic: TOPICS.counts, partition: random.int(0, partitions - 1) });
  const to = someBatchOf(partition, random);
  if (to === null) return;
  checks.excuse(partition.partition, 'CHANGELOG_TRUNCATED', 'HANGING_TRANSACTION');
  cluster.loseEnd(partition, to);
}

/**
 * What the task has written with the lost positions says that they are gone. Where the marker of an aborted position is lost, the
 * next transaction commits it: then what was aborted with it is missing.
 */
function losePositions({ cluster, checks, partitions }: Faulty, random: Random): void {
  const of = { topic: positionsTopic(APPLICATION), partition: random.int(0, partitions - 1) };
  const partition = cluster.partition(of);
  const to = someBatchOf(partition, random);
  if (to === null) return;
  checks.excuse(of.partition, 'POSITION_TRUNCATED', 'POSITION_MISSING', 'HANGING_TRANSACTION');
  checks.excuse(of.partition, 'OUTPUT_TRUNCATED', 'CHANGELOG_TRUNCATED');
  cluster.loseEnd(partition, to);
}

function loseInput({ cluster, checks, partitions }: Faulty, random: Random): void {
  const partition = cluster.partition({ topic: TOPICS.input, partition: random.int(0, partitions - 1) });
  const to = someBatchOf(partition, random);
  if (to === null) return;
  checks.beforeInputLoss(partition.partition, to);
  if (checks.positionOf(partition.partition) > to)
    checks.excuse(partition.partition, 'INPUT_TRUNCATED', 'POSITION_BEYOND_END');
  cluster.loseEnd(partition, to);
}

/** Retention, faster than the processors. */
function removeInput({ cluster, checks, partitions }: Faulty, random: Random): void {
  const { log, partition } = cluster.partition({
    topic: TOPICS.input,
    partition: random.int(0, partitions - 1),
  });
  const to = random.pick([...log.batches.map(endOf), log.end]);
  if (to > checks.positionOf(partition)) checks.excuse(partition, 'INPUT_LOST');
  checks.beforeInputLoss(partition, null);
  cluster.world.note('cluster', `input-${partition} loses what is before ${to}`);
  log.removeBefore(to);
}

function recreateChangelog(on: Faulty): void {
  for (let partition = 0; partition < on.partitions; partition += 1)
    on.checks.excuse(partition, 'CHANGELOG_RECREATED', 'CHANGELOG_TRUNCATED', 'PARTITIONS_DIFFER');
  recreate(on, TOPICS.counts);
}

function recreateInput(on: Faulty): void {
  for (let partition = 0; partition < on.partitions; partition += 1) {
    on.checks.excuse(
      partition,
      'INPUT_RECREATED',
      'INPUT_TRUNCATED',
      'POSITION_BEYOND_END',
      'PARTITIONS_DIFFER',
    );
    on.checks.beforeInputLoss(partition, 0);
  }
  recreate(on, TOPICS.input);
}

function recreate({ cluster, partitions }: Faulty, topic: string): void {
  cluster.world.note('cluster', `${topic} is deleted`);
  cluster.deleteTopic(topic);
  cluster.world.note('cluster', `${topic} is created`);
  cluster.createTopic(topic, partitions);
}

/** Where the end of a log may be cut: before one of its last batches; null where it is empty. */
function someBatchOf({ log }: Partition, random: Random): number | null {
  const { batches } = log;
  if (batches.length === 0) return null;
  return batches[random.int(Math.max(0, batches.length - 6), batches.length - 1)]?.base ?? null;
}

export const EVERY_TOPIC = [TOPICS.input, TOPICS.counts, TOPICS.output, positionsTopic(APPLICATION)] as const;
