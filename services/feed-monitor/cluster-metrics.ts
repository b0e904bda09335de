import { setInterval as every } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { type ClusterFacts, describeCluster } from '#cluster/describe.ts';
import type { Brokers } from '#security/brokers.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';

/** How often the cluster is described, milliseconds. */
const LOOK_MS = 15_000;

/** Describes the brokers periodically, as metrics, until `signal` is aborted: every service loses a broker that is lost here. */
export async function watchCluster(
  brokers: Brokers,
  prefix: string,
  registry: Registry,
  signal: AbortSignal,
): Promise<void> {
  const metrics = clusterMetrics(registry);
  const names = TOPIC_NAMES.map((topic) => topicName(prefix, topic));
  const look = async (): Promise<void> => {
    try {
      metrics.set(await describeCluster(brokers, names));
    } catch {
      metrics.unreachable();
    }
  };
  await look();
  try {
    for await (const _ of every(LOOK_MS, undefined, { signal, ref: false })) await look();
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
    help: 'Topics with a partition that lacks its leader, or a copy in sync.',
    labelNames: ['lack'],
    registers,
  });
  const disk = new Gauge({
    name: 'touchline_broker_disk_bytes',
    help: 'Size of the disks of a broker, where it may be asked.',
    labelNames: ['broker'],
    registers,
  });
  const free = new Gauge({
    name: 'touchline_broker_disk_free_bytes',
    help: 'What is free of them.',
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
    /** No broker answers, so nothing else is known. */
    unreachable(): void {
      reachable.set(0);
      for (const gauge of [topics, disk, free]) gauge.reset();
    },
  };
}
