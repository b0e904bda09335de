import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { behindOf } from '#cluster/logs.ts';
import { httpUrl, list } from '#service/config.ts';
import { StreamError } from '#streams/errors.ts';
import { findTopics } from '#topics/admin.ts';
import { TopicAdminError } from '#topics/errors.ts';
import { PROCESSOR_NAMES, type ProcessorName } from '#topics/processors.ts';
import type { TopicCluster } from '#topics/read-values.ts';
import { findCluster } from '../../cluster.ts';
import { type ArgumentsOf, UsageError } from '../../command.ts';
import { processorProgress } from '../../progress.ts';
import { drawWhile } from '../../screen.ts';
import { terminalColumns } from '../../table.ts';
import { untilStopped } from '../../terminal.ts';
import type { command } from './command.ts';
import { Health, OpenLetters } from './followed.ts';
import { askProcess } from './processes.ts';
import { type ProcessorStatus, renderStatus, type SystemStatus } from './render.ts';

const EVERY_MS = 2_000;

export async function run(given: ArgumentsOf<typeof command>): Promise<number> {
  const { watch, json, metrics } = parse(given);
  const cluster = findCluster(process.env);
  const followed = { letters: new OpenLetters(cluster), health: new Health(cluster) };
  await untilStopped(async (signal) => {
    const take = () => statusOf(cluster, followed, metrics, signal);
    if (watch && !json && process.stdout.isTTY) return live(take, followed.health, signal);
    const taken = await take();
    const text = json ? JSON.stringify(taken, null, 2) : renderStatus(taken, terminalColumns()).join('\n');
    process.stdout.write(`${text}\n`);
  });
  return 0;
}

/** Feeds are judged with each draw: a broker that does not answer keeps all else waiting, and its silence is what must be shown. */
async function live(take: () => Promise<SystemStatus>, health: Health, signal: AbortSignal): Promise<void> {
  let latest = await take();
  const taking = async (): Promise<void> => {
    while (!signal.aborted) {
      await delay(EVERY_MS, undefined, { signal }).catch(() => {});
      // Keeps the last values with their age, so that the command survives restarts of its broker.
      latest = await take().catch((error: unknown) => {
        // Questions about topics and those about records fail with errors of their own.
        if (error instanceof StreamError || error instanceof TopicAdminError) return latest;
        throw error;
      });
    }
  };
  await drawWhile(Promise.race([taking(), once(signal, 'abort')]), () => {
    const shown = { ...latest, sources: health.sources() };
    return renderStatus(shown, process.stdout.columns - 1, Date.now());
  });
}

async function statusOf(
  cluster: TopicCluster,
  { letters, health }: { readonly letters: OpenLetters; readonly health: Health },
  metrics: readonly string[],
  signal: AbortSignal,
): Promise<SystemStatus> {
  const prefix = cluster.prefix;
  const topics = await findTopics({ brokers: cluster.brokers, prefix });
  const [processors, deadLetters, sources, processes] = await Promise.all([
    Promise.all(PROCESSOR_NAMES.map((name) => processorStatus(cluster, name))),
    topics.has('dead-letters') ? letters.known(signal).then(() => letters.count) : null,
    topics.has('feed-health') ? health.known(signal).then(() => health.sources()) : [],
    Promise.all(metrics.map((url) => askProcess(url, signal))),
  ]);
  return { at: Date.now(), prefix, processors, deadLetters, sources, processes };
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
      behind: behindOf(partitions),
      outside: outside.map(({ partition }) => partition),
    },
  };
}

const addresses = list(httpUrl());

function parse({ values }: ArgumentsOf<typeof command>) {
  const { watch, json, metrics } = values;
  if (metrics === undefined) return { watch, json, metrics: [] };
  const parsed = addresses.safeParse(metrics);
  if (!parsed.success) throw new UsageError('--metrics takes http addresses, with commas between several');
  return { watch, json, metrics: parsed.data };
}
