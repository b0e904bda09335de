import { Cluster } from '../broker/cluster.ts';
import { clusters } from '../client/network.ts';
import { World } from '../world/world.ts';
import { Checks } from './checks.ts';
import { TOPICS } from './counting.ts';
import { EVERY_TOPIC, type FaultTargets, heal, injectFault, injectLoss } from './faults.ts';
import { Input } from './input.ts';
import { MembershipChecks } from './membership-checks.ts';
import { ProcessorProcess, SESSION_MS } from './processor-process.ts';

/** The result of a seed. */
type SeedRun = {
  readonly seed: number;
  /** The broken invariant; null when all held. */
  readonly violation: string | null;
  readonly steps: number;
  /** Virtual time, milliseconds. */
  readonly ms: number;
  /** The lines of the history; null unless requested. */
  readonly history: readonly string[] | null;
};

const PROCESSES = 3;
/** Virtual time after the last fault within which all input must be processed. */
const PROGRESS_MS = 120_000;
const POLL_MS = 40;

/** Runs one seed to its end. The seed and the code determine everything that happens. */
export async function runSeed(
  seed: number,
  { records, dropsMarkers }: { readonly records: boolean; readonly dropsMarkers: boolean },
): Promise<SeedRun> {
  const world = new World(seed, records);
  const { random } = world;
  const partitions = random.int(2, 4);
  const cluster = new Cluster(world);
  clusters.set(world, cluster);
  for (const topic of EVERY_TOPIC) cluster.createTopic(topic, partitions);
  cluster.createTopic(TOPICS.letters, 1);
  cluster.dropsMarkers = random.chance(0.1) || dropsMarkers;
  const checks = new Checks(cluster, partitions);
  const of = { isStatic: random.chance(0.5), isKept: random.chance(0.5) };
  const group = { sessionMs: SESSION_MS, processes: PROCESSES, isStatic: of.isStatic };
  const membership = new MembershipChecks(cluster, group, (violation) => checks.fail(violation));
  const processes = Array.from(
    { length: PROCESSES },
    (_, n) => new ProcessorProcess(`p${n + 1}`, cluster, { checks, membership, ...of }),
  );
  for (const process of processes) world.after(random.between(0, 400), () => process.start());
  const faultsUntil = random.between(1_500, 10_000);
  const input = new Input(cluster, partitions, faultsUntil);
  const on: FaultTargets = { cluster, processes, checks, partitions };
  const everyMs = random.pick([150, 400, 1_000, 2_500]);
  const lossAt = random.chance(0.25) ? random.between(500, faultsUntil) : null;
  if (lossAt !== null) world.after(lossAt, () => injectLoss(on, random));
  let healedAt: number | null = null;
  const inject = (): void => {
    if (healedAt !== null) return;
    injectFault(on, random);
    world.after(random.between(everyMs * 0.2, everyMs * 2), inject);
  };
  world.after(random.between(100, 1_000), inject);
  world.after(faultsUntil, () => {
    healedAt = world.now;
    heal(on, random);
  });
  let isDone = false;
  const checkProgress = (): void => {
    const isLate = healedAt !== null && world.now > healedAt + PROGRESS_MS;
    const why = healedAt === null || !input.isWritten ? 'faults' : unfinishedWork(on);
    isDone = why === null || isLate;
    if (isLate && why !== null)
      checks.fail(`no progress ${PROGRESS_MS / 1_000} s after the last fault: ${why}`);
    if (!isDone) world.after(POLL_MS, checkProgress);
  };
  world.after(faultsUntil, checkProgress);
  await world.run(() => isDone || checks.violation !== null);
  return { seed, violation: checks.violation, steps: world.steps, ms: world.now, history: world.history };
}

/** Returns why the run is not finished; null when all input is processed and all processes are ready. */
function unfinishedWork({ checks, partitions, processes }: FaultTargets): string | null {
  let excused = false;
  for (let partition = 0; partition < partitions; partition += 1) {
    if (checks.isExcused(partition)) {
      excused = true;
      continue;
    }
    const why = checks.unfinished(partition);
    if (why !== null) return why;
  }
  if (!excused && !processes.every(({ isReady }) => isReady)) return 'a process is not ready';
  return null;
}
