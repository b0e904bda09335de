import { positionsTopic } from '#streams/runtime/positions.ts';
import type { Cluster, Partition } from '../broker/cluster.ts';
import { endOf } from '../broker/partition-log.ts';
import type { Random } from '../world/random.ts';
import type { Checks } from './checks.ts';
import { APPLICATION, TOPICS } from './counting.ts';
import type { ProcessorProcess } from './processor-process.ts';

/** The parts of a run that faults act on. */
export type FaultTargets = {
  readonly cluster: Cluster;
  readonly processes: readonly ProcessorProcess[];
  readonly checks: Checks;
  readonly partitions: number;
};

type Fault = (on: FaultTargets, random: Random) => void;

/** Faults, with weights, through which exactly-once and progress must hold. */
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

/** Losses after which the runtime may refuse partitions. */
const LOSSES: readonly Fault[] = [
  loseChangelog,
  loseChangelog,
  cutChangelog,
  loseInput,
  loseInput,
  losePositions,
  removeInput,
  recreateChangelog,
  recreateInput,
];

/** Injects one random fault without a loss. */
export function injectFault(on: FaultTargets, random: Random): void {
  const faults = HARMLESS.flatMap(([weight, fault]) => Array.from({ length: weight }, () => fault));
  random.pick(faults)(on, random);
}

/** Injects one random loss of a log. */
export function injectLoss(on: FaultTargets, random: Random): void {
  random.pick(LOSSES)(on, random);
}

/** Ends all faults, so that every partition can be processed; rarely leaves the shared partition without a leader. */
export function heal({ cluster, processes }: FaultTargets, random: Random): void {
  cluster.world.note('world', 'heals');
  for (const broker of cluster.brokers) {
    broker.hangsUntil = 0;
    if (!broker.isUp) cluster.restart(broker.id);
  }
  for (const partition of cluster.partitions()) if (partition.leader === null) cluster.elect(partition);
  for (const process of processes) process.start();
  if (random.chance(0.05)) cluster.loseForGood(cluster.partition({ topic: TOPICS.letters, partition: 0 }));
}

function kill({ processes, cluster }: FaultTargets, random: Random): void {
  const process = random.pick(processes);
  process.kill();
  cluster.world.after(random.chance(0.5) ? random.between(20, 500) : random.between(500, 9_000), () =>
    process.start(),
  );
}

function pause({ processes }: FaultTargets, random: Random): void {
  const ms = random.chance(0.5) ? random.between(5, 400) : random.between(400, 12_000);
  const process = random.pick(processes);
  // A response that arrives during a pause is read late.
  if (random.chance(0.5)) process.pause(ms);
  else process.pauseAtRequest(ms, random.chance(0.5) ? 'Heartbeat' : null);
}

function stop({ processes, cluster }: FaultTargets, random: Random): void {
  const process = random.pick(processes);
  process.stop();
  cluster.world.after(random.between(100, 4_000), () => {
    process.kill();
    process.start();
  });
}

function stepClock({ processes }: FaultTargets, random: Random): void {
  random.pick(processes).stepClock(random.between(-600_000, 600_000));
}

function restartBroker({ cluster }: FaultTargets, random: Random): void {
  const { id, isUp } = random.pick(cluster.brokers);
  if (!isUp) return;
  cluster.stop(id);
  cluster.world.after(random.between(50, 3_000), () => cluster.restart(id));
}

function moveLeader({ cluster }: FaultTargets, random: Random): void {
  cluster.elect(random.pick([...cluster.partitions()]));
}

function takeLeader({ cluster }: FaultTargets, random: Random): void {
  const partition = random.pick([...cluster.partitions()]);
  cluster.unseat(partition);
  cluster.world.after(random.between(20, random.chance(0.3) ? 8_000 : 600), () => {
    if (partition.leader === null) cluster.elect(partition);
  });
}

function loseChangelog(on: FaultTargets, random: Random): void {
  loseEnd(on, random, TOPICS.counts, (partition) =>
    on.checks.excuse(partition, 'CHANGELOG_TRUNCATED', 'HANGING_TRANSACTION'),
  );
}

/** Removes the beginning of a changelog, as retention does while its topic is not compacted. */
function cutChangelog(on: FaultTargets, random: Random): void {
  const partition = pickPartition(on, random, TOPICS.counts);
  on.checks.excuse(partition.partition, 'CHANGELOG_TRUNCATED');
  removeBefore(on.cluster, partition, endOfSomeBatch(partition, random));
}

/**
 * Loses positions. The task notices by the records that it committed with them. When the marker of an aborted position is lost, the
 * next transaction commits that position, and the records that were aborted with it are missing.
 */
function losePositions(on: FaultTargets, random: Random): void {
  loseEnd(on, random, positionsTopic(APPLICATION), (partition) => {
    on.checks.excuse(partition, 'POSITION_TRUNCATED', 'POSITION_MISSING', 'HANGING_TRANSACTION');
    on.checks.excuse(partition, 'OUTPUT_TRUNCATED', 'CHANGELOG_TRUNCATED');
  });
}

function loseInput(on: FaultTargets, random: Random): void {
  const { checks } = on;
  loseEnd(on, random, TOPICS.input, (partition, to) => {
    checks.beforeInputLoss(partition, to);
    if (checks.positionOf(partition) > to) checks.excuse(partition, 'INPUT_TRUNCATED', 'POSITION_BEYOND_END');
  });
}

/** Removes input before it is processed, as a short retention does. */
function removeInput(on: FaultTargets, random: Random): void {
  const { cluster, checks } = on;
  const partition = pickPartition(on, random, TOPICS.input);
  const to = endOfSomeBatch(partition, random);
  if (to > checks.positionOf(partition.partition)) checks.excuse(partition.partition, 'INPUT_LOST');
  checks.beforeInputLoss(partition.partition, null);
  removeBefore(cluster, partition, to);
}

function recreateChangelog(on: FaultTargets): void {
  recreate(on, TOPICS.counts, ['CHANGELOG_RECREATED', 'CHANGELOG_TRUNCATED']);
}

function recreateInput(on: FaultTargets): void {
  for (let partition = 0; partition < on.partitions; partition += 1) on.checks.beforeInputLoss(partition, 0);
  recreate(on, TOPICS.input, ['INPUT_RECREATED', 'INPUT_TRUNCATED', 'POSITION_BEYOND_END']);
}

function recreate({ cluster, checks, partitions }: FaultTargets, topic: string, codes: string[]): void {
  for (let partition = 0; partition < partitions; partition += 1)
    checks.excuse(partition, 'PARTITIONS_DIFFER', ...codes);
  cluster.world.note('cluster', `${topic} is deleted`);
  cluster.deleteTopic(topic);
  cluster.world.note('cluster', `${topic} is created`);
  cluster.createTopic(topic, partitions);
}

function pickPartition({ cluster, partitions }: FaultTargets, random: Random, topic: string): Partition {
  return cluster.partition({ topic, partition: random.int(0, partitions - 1) });
}

/** Loses the end of a log, unless it is empty; `before` that, the refusals that it justifies are excused. */
function loseEnd(
  on: FaultTargets,
  random: Random,
  topic: string,
  before: (partition: number, to: number) => void,
): void {
  const partition = pickPartition(on, random, topic);
  const { batches } = partition.log;
  if (batches.length === 0) return;
  // The start of one of the last batches.
  const to = batches[random.int(Math.max(0, batches.length - 6), batches.length - 1)]?.base ?? 0;
  before(partition.partition, to);
  on.cluster.loseEnd(partition, to);
}

function removeBefore({ world }: Cluster, { topic, partition, log }: Partition, to: number): void {
  world.note('cluster', `${topic}-${partition} loses its records before ${to}`);
  log.removeBefore(to);
}

function endOfSomeBatch({ log }: Partition, random: Random): number {
  return random.pick([...log.batches.map(endOf), log.end]);
}

export const EVERY_TOPIC = [TOPICS.input, TOPICS.counts, TOPICS.output, positionsTopic(APPLICATION)] as const;
