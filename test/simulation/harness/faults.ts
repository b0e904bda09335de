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
  const total = HARMLESS.reduce((sum, [weight]) => sum + weight, 0);
  let at = random.int(1, total);
  for (const [weight, fault] of HARMLESS) {
    at -= weight;
    if (at > 0) continue;
    fault(on, random);
    return;
  }
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

function loseChangelog({ cluster, checks, partitions }: FaultTargets, random: Random): void {
  const partition = cluster.partition({ topic: TOPICS.counts, partition: random.int(0, partitions - 1) });
  const to = someBatchOf(partition, random);
  if (to === null) return;
  checks.excuse(partition.partition, 'CHANGELOG_TRUNCATED', 'HANGING_TRANSACTION');
  cluster.loseEnd(partition, to);
}

/** Removes the beginning of a changelog, as retention does while its topic is not compacted. */
function cutChangelog({ cluster, checks, partitions }: FaultTargets, random: Random): void {
  const partition = cluster.partition({ topic: TOPICS.counts, partition: random.int(0, partitions - 1) });
  checks.excuse(partition.partition, 'CHANGELOG_TRUNCATED');
  removeBefore(cluster, partition, endOfSomeBatch(partition, random));
}

/**
 * Loses positions. The task notices by the records that it committed with them. When the marker of an aborted position is lost, the
 * next transaction commits that position, and the records that were aborted with it are missing.
 */
function losePositions({ cluster, checks, partitions }: FaultTargets, random: Random): void {
  const of = { topic: positionsTopic(APPLICATION), partition: random.int(0, partitions - 1) };
  const partition = cluster.partition(of);
  const to = someBatchOf(partition, random);
  if (to === null) return;
  checks.excuse(of.partition, 'POSITION_TRUNCATED', 'POSITION_MISSING', 'HANGING_TRANSACTION');
  checks.excuse(of.partition, 'OUTPUT_TRUNCATED', 'CHANGELOG_TRUNCATED');
  cluster.loseEnd(partition, to);
}

function loseInput({ cluster, checks, partitions }: FaultTargets, random: Random): void {
  const partition = cluster.partition({ topic: TOPICS.input, partition: random.int(0, partitions - 1) });
  const to = someBatchOf(partition, random);
  if (to === null) return;
  checks.beforeInputLoss(partition.partition, to);
  if (checks.positionOf(partition.partition) > to)
    checks.excuse(partition.partition, 'INPUT_TRUNCATED', 'POSITION_BEYOND_END');
  cluster.loseEnd(partition, to);
}

/** Removes input before it is processed, as a short retention does. */
function removeInput({ cluster, checks, partitions }: FaultTargets, random: Random): void {
  const partition = cluster.partition({ topic: TOPICS.input, partition: random.int(0, partitions - 1) });
  const to = endOfSomeBatch(partition, random);
  if (to > checks.positionOf(partition.partition)) checks.excuse(partition.partition, 'INPUT_LOST');
  checks.beforeInputLoss(partition.partition, null);
  removeBefore(cluster, partition, to);
}

function recreateChangelog(on: FaultTargets): void {
  for (let partition = 0; partition < on.partitions; partition += 1)
    on.checks.excuse(partition, 'CHANGELOG_RECREATED', 'CHANGELOG_TRUNCATED', 'PARTITIONS_DIFFER');
  recreate(on, TOPICS.counts);
}

function recreateInput(on: FaultTargets): void {
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

function recreate({ cluster, partitions }: FaultTargets, topic: string): void {
  cluster.world.note('cluster', `${topic} is deleted`);
  cluster.deleteTopic(topic);
  cluster.world.note('cluster', `${topic} is created`);
  cluster.createTopic(topic, partitions);
}

function removeBefore({ world }: Cluster, { topic, partition, log }: Partition, to: number): void {
  world.note('cluster', `${topic}-${partition} loses its records before ${to}`);
  log.removeBefore(to);
}

function endOfSomeBatch({ log }: Partition, random: Random): number {
  return random.pick([...log.batches.map(endOf), log.end]);
}

/** Returns an offset to cut the end of a log at: the start of one of its last batches; null for an empty log. */
function someBatchOf({ log }: Partition, random: Random): number | null {
  const { batches } = log;
  if (batches.length === 0) return null;
  return batches[random.int(Math.max(0, batches.length - 6), batches.length - 1)]?.base ?? null;
}

export const EVERY_TOPIC = [TOPICS.input, TOPICS.counts, TOPICS.output, positionsTopic(APPLICATION)] as const;
