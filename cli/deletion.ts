/** What an order deletes, and whether something still uses it. */
import { groupsWithMembers } from '#cluster/access.ts';
import { offsetsAt, topicBounds } from '#cluster/logs.ts';
import { partitionKey } from '#streams/client/port.ts';
import { poll } from '#timing/poll.ts';
import { findTopics, memberNames } from '#topics/admin.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { applicationOf, type ProcessorName } from '#topics/processors.ts';
import { topicName } from '#topics/topics.ts';
import { pausedServicesFile } from './backbone-file.ts';
import { dataDirWithPlatform } from './cluster.ts';
import { CommandError } from './command.ts';

/** An ingress service reports every three seconds; one that is silent for so long has ended. */
const REPORTED_WITHIN_MS = 15_000;

export async function requireStopped(
  cluster: TopicCluster,
  processors: readonly ProcessorName[],
): Promise<void> {
  const running = await runningOf(cluster, processors);
  if (running !== null) throw new CommandError(`${running} run on ${cluster.prefix}*: stop them first`);
}

async function runningOf({ brokers, prefix }: TopicCluster, processors: readonly ProcessorName[]) {
  for (const processor of processors) {
    const { length } = await memberNames(brokers, applicationOf(prefix, processor));
    if (length > 0) return `${length} processes of ${processor}`;
  }
  return null;
}

/** A process that ends by force stays in its group until its session expires. */
const STOPPED_WITHIN_MS = 60_000;

/**
 * Does work that needs some processors stopped. Where a `touchline up` on this machine runs them, it stops them meanwhile and
 * starts them again. Throws `CommandError` while processes run elsewhere, or another command has stopped some.
 */
export async function withStopped(
  cluster: TopicCluster,
  processors: readonly ProcessorName[],
  work: () => Promise<void>,
): Promise<void> {
  const dataDir = dataDirWithPlatform(process.env);
  if (dataDir === null) {
    await requireStopped(cluster, processors);
    return work();
  }
  const file = pausedServicesFile(dataDir);
  if (!file.claim())
    throw new CommandError('another command has stopped processors of touchline up: wait for its end');
  file.write({ services: processors });
  const onEnd = () => file.remove();
  process.once('exit', onEnd);
  try {
    const areStopped = async () => (await runningOf(cluster, processors)) === null;
    await poll(areStopped, { timeoutMs: STOPPED_WITHIN_MS, everyMs: 250 });
    await requireStopped(cluster, processors);
    await work();
  } finally {
    process.off('exit', onEnd);
    file.remove();
  }
}

/**
 * Throws `CommandError` while something of a prefix runs: a consumer group with its name has members, or an ingress service
 * reported moments ago. An api and a tool gateway leave no trace on the brokers.
 */
export async function requireNothingRuns(cluster: TopicCluster): Promise<void> {
  const { brokers, prefix } = cluster;
  const groups = (await groupsWithMembers(brokers))
    // Not those of a longer prefix, such as that of a replay.
    .filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes('.'))
    .sort();
  if (groups.length > 0)
    throw new CommandError(`${groups.join(', ')} run with the prefix ${prefix}: stop them first`);
  if (!(await findTopics(cluster)).has('ingress-status')) return;
  const topic = topicName(prefix, 'ingress-status');
  const recent = await offsetsAt({ brokers, topic, time: Date.now() - REPORTED_WITHIN_MS });
  const bounds = await topicBounds({ brokers, clientId: 'touchline-running' }, [topic]);
  if (bounds.some((of) => (recent.get(partitionKey(of)) ?? of.end) < of.end))
    throw new CommandError(`a receiver or poller with the prefix ${prefix} reported just now: stop it first`);
}

export async function recordCounts(
  cluster: TopicCluster,
  topics: readonly string[],
): Promise<Map<string, number>> {
  const { brokers } = cluster;
  const counts = new Map<string, number>();
  for (const { topic, start, end } of await topicBounds({ brokers, clientId: 'touchline-counts' }, topics))
    counts.set(topic, (counts.get(topic) ?? 0) + end - start);
  return new Map([...counts].filter(([, count]) => count > 0));
}

/** Returns the loss for an operator. Marks of transactions count as records. */
export function lossOf(counts: ReadonlyMap<string, number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const each = [...counts].map(([topic, count]) => `${count} of ${topic}`).join(', ');
  return `up to ${total} records would be deleted${each && ` (${each})`}`;
}
