import { setInterval } from 'node:timers/promises';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type ClusterFacts, describeCluster } from '#cluster/describe.ts';
import type { FeedHealth } from '#records/types.ts';
import type { Brokers } from '#security/brokers.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';

export type MonitorMetrics = ReturnType<typeof monitorMetrics>;

const STATES: readonly FeedHealth['state'][] = [
  'alive',
  'stale',
  'down',
  'recovering',
  'recovered',
  'ended',
  'delayed',
];

/** Creates the monitor's metrics in a registry. */
export function monitorMetrics(registry: Registry) {
  const registers = [registry];
  const latest = new Map<string, FeedHealth>();
  new Gauge({
    name: 'touchline_feed_source_state',
    help: '1 for the current state of a source, 0 for the others.',
    labelNames: ['source', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { source, event_id, state } of latest.values())
        if (event_id === null)
          for (const one of STATES) this.set({ source, state: one }, one === state ? 1 : 0);
    },
  });
  new Gauge({
    name: 'touchline_feed_matches',
    help: 'Matches of a source, by state.',
    labelNames: ['source', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { source, event_id, state } of latest.values())
        if (event_id !== null) this.inc({ source, state });
    },
  });
  new Gauge({
    name: 'touchline_feed_delay_seconds',
    help: 'Age of the newest content of a source when it was received; below 0: its clock is so far ahead of ours that the age is unknown.',
    labelNames: ['source'],
    registers,
    collect() {
      this.reset();
      for (const { source, event_id, delay } of latest.values())
        if (event_id === null && delay !== null) this.set({ source }, delay / 1_000);
    },
  });
  const gaps = new Counter({
    name: 'touchline_feed_gaps_total',
    help: 'Gaps that began since the process started, of sources and of matches, by cause.',
    labelNames: ['source', 'of', 'reason'],
    registers,
  });
  return {
    leader: new Gauge({
      name: 'touchline_monitor_leader',
      help: '1 when this process is the one that decides feed health.',
      registers,
    }),
    publishSeconds: new Histogram({
      name: 'touchline_monitor_publish_seconds',
      help: 'Time until the records of one evaluation are acknowledged.',
      buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
      registers,
    }),
    /** Applies a published record; null deletes it. */
    published(key: string, record: FeedHealth | null): void {
      if (record === null) {
        latest.delete(key);
        return;
      }
      const known = latest.get(key);
      latest.set(key, record);
      const { source, event_id, gap_count, reason } = record;
      const of = event_id === null ? 'source' : 'match';
      const began = known === undefined ? 0 : gap_count - known.gap_count;
      if (began > 0) gaps.inc({ source, of, reason: reason ?? 'skipped' }, began);
    },
    /** Forgets all records: this process no longer leads. */
    reset(): void {
      latest.clear();
    },
  };
}

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
