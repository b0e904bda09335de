import { setInterval } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { type ClusterFacts, describeCluster } from '#cluster/describe.ts';
import type { Brokers } from '#security/brokers.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';

/** Interval between descriptions of the cluster. */
const DESCRIBE_MS = 15_000;

/** Reports the state of the brokers as metrics until `signal` is aborted. One process does it for all services. */
export async function watchCluster(
  brokers: Brokers,
  prefix: string,
  registry: Registry,
  signal: AbortSignal,
): Promise<void> {
  const metrics = clusterMetrics(registry);
  const names = TOPIC_NAMES.map((topic) => topicName(prefix, topic));
  const update = async (): Promise<void> => {
    try {
      metrics.set(await describeCluster(brokers, names));
    } catch {
      metrics.unreachable();
    }
  };
  await update();
  try {
    for await (const _ of setInterval(DESCRIBE_MS, undefined, { signal, ref: false })) await update();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function clusterMetrics(registry: Registry) {
  const registers = [registry];
  const reachable = new Gauge({
    name: 'touchline_brokers_reachable',
    help: 'Brokers of the cluster that answer.',
    registers,
  });
  const topics = new Gauge({
    name: 'touchline_topics_impaired',
    help: 'Topics with a partition that lacks its leader or an in-sync copy.',
    labelNames: ['lack'],
    registers,
  });
  const disk = new Gauge({
    name: 'touchline_broker_disk_bytes',
    help: 'Size of the disks of a broker, when this service may query it.',
    labelNames: ['broker'],
    registers,
  });
  const free = new Gauge({
    name: 'touchline_broker_disk_free_bytes',
    help: 'Free space on the disks of a broker.',
    labelNames: ['broker'],
    registers,
  });
  return {
    set({ brokers, unreachable, disks, topics: all }: ClusterFacts): void {
      reachable.set(brokers.length - unreachable.length);
      const facts = [...all.values()];
      topics.set({ lack: 'leader' }, facts.filter(({ leaderless }) => leaderless > 0).length);
      topics.set({ lack: 'copies' }, facts.filter(({ inSync, replicas }) => inSync < replicas).length);
      disk.reset();
      free.reset();
      for (const { broker, freeBytes, totalBytes } of disks) {
        disk.set({ broker }, totalBytes);
        free.set({ broker }, freeBytes);
      }
    },
    /** Reports that no broker answers; all other gauges are reset. */
    unreachable(): void {
      reachable.set(0);
      for (const gauge of [topics, disk, free]) gauge.reset();
    },
  };
}
