import { once } from 'node:events';
import { totalLag } from '#cluster/logs.ts';
import { httpUrl, list } from '#service/config.ts';
import { StreamError } from '#streams/errors.ts';
import { machineClock } from '#timing/clock.ts';
import { findTopics } from '#topics/admin.ts';
import { TopicAdminError } from '#topics/errors.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { PROCESSOR_NAMES, type ProcessorName } from '#topics/processors.ts';
import { HealthTable } from '#trading/feed-status.ts';
import { findCluster, type OpenCluster } from '../../cluster.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { machineNow, StatusTopic } from '../../followed-topics.ts';
import { processorProgress } from '../../processor-progress.ts';
import { drawWhile } from '../../screen.ts';
import { terminalColumns } from '../../table.ts';
import { printLine, untilStopped } from '../../terminal.ts';
import { findUnreadable, unreadableText } from '../../unreadable.ts';
import type { command } from './command.ts';
import { readProcessStatus } from './processes.ts';
import { readRefusedLists } from './refused-lists.ts';
import { type ProcessorStatus, renderStatus, type SystemStatus } from './render.ts';

const INTERVAL_MS = 2_000;

/** A system whose status is shown: its cluster, followed topics, and addresses of metrics. */
type ShownSystem = {
  readonly cluster: OpenCluster;
  readonly letters: StatusTopic<'dead-letters'>;
  /** The ids of the open dead letters. */
  readonly open: ReadonlySet<string>;
  readonly feeds: StatusTopic<'feed-health'>;
  readonly health: HealthTable;
  readonly metrics: readonly string[];
  /** Records that nobody can read, looked for once. */
  readonly unreadable: Promise<readonly string[]>;
};

export async function run(
  ...[{ watch, json, metrics: addresses }]: GivenTo<typeof command>
): Promise<number> {
  const { success, data: metrics } = list(httpUrl()).default([]).safeParse(addresses);
  if (!success) throw new UsageError('--metrics takes http addresses, separated by commas');
  const cluster = findCluster(process.env);
  const [open, health] = [new Set<string>(), new HealthTable()];
  const unreadable = findUnreadable(cluster).then((records) => records.map(unreadableText));
  // Awaited with the other facts, where a failure of the broker is one.
  unreadable.catch(() => {});
  const system: ShownSystem = {
    cluster,
    letters: new StatusTopic('dead-letters', cluster, ({ key, value }) =>
      value === null ? open.delete(key) : open.add(key),
    ),
    open,
    feeds: new StatusTopic('feed-health', cluster, ({ key, value }) =>
      health.apply(key, value, performance.now()),
    ),
    health,
    metrics,
    unreadable,
  };
  await untilStopped(async (signal) => {
    if (watch && !json && process.stdout.isTTY) return redraw(system, signal);
    const status = await readStatus(system, signal);
    printLine(json ? JSON.stringify(status, null, 2) : renderStatus(status, terminalColumns()).join('\n'));
  });
  return 0;
}

/** Redraws the screen until `signal`. Feed health is current at each drawing, even while the broker does not answer. */
async function redraw(system: ShownSystem, signal: AbortSignal): Promise<void> {
  let latest = await readStatus(system, signal);
  const reading = async (): Promise<void> => {
    while (!signal.aborted) {
      await machineClock.sleep(INTERVAL_MS, signal);
      // Keeps the last values with their age, so that the command survives restarts of its broker.
      latest = await readStatus(system, signal).catch((error: unknown) => {
        // Requests about topics fail with `TopicAdminError`, those about records with `StreamError`.
        if (error instanceof StreamError || error instanceof TopicAdminError) return latest;
        throw error;
      });
    }
  };
  await drawWhile(Promise.race([reading(), once(signal, 'abort')]), () => {
    const shown = { ...latest, sources: system.health.sources(machineNow()) };
    return renderStatus(shown, process.stdout.columns - 1, Date.now());
  });
}

async function readStatus(
  { cluster, letters, open, feeds, health, metrics, unreadable }: ShownSystem,
  signal: AbortSignal,
): Promise<SystemStatus> {
  const topics = await findTopics(cluster);
  const [processors, deadLetters, sources, refusedLists, processes] = await Promise.all([
    Promise.all(PROCESSOR_NAMES.map((name) => processorStatus(cluster, name))),
    topics.has('dead-letters') ? letters.untilRead(signal).then(() => open.size) : null,
    topics.has('feed-health') ? feeds.untilRead(signal).then(() => health.sources(machineNow())) : [],
    topics.has('ingress-status') ? readRefusedLists(cluster, signal) : [],
    Promise.all(metrics.map((url) => readProcessStatus(url, signal))),
  ]);
  return {
    at: Date.now(),
    prefix: cluster.prefix,
    processors,
    deadLetters,
    unreadable: await unreadable,
    sources,
    refusedLists,
    processes,
  };
}

async function processorStatus(cluster: TopicCluster, processor: ProcessorName): Promise<ProcessorStatus> {
  const progress = await processorProgress(cluster, processor);
  if (progress === null) return { processor, state: null };
  const { members, partitions } = progress;
  const outside = partitions.filter(
    ({ position, start, end }) => position !== null && (position < start || position > end),
  );
  return {
    processor,
    state: {
      processes: members,
      partitions: partitions.length,
      behind: totalLag(partitions),
      outside: outside.map(({ partition }) => partition),
    },
  };
}
