import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { describeCluster } from '#cluster/describe.ts';
import type { FeedHealth } from '#records/types.ts';
import type { Brokers } from '#security/brokers.ts';
import { sleep } from '#timing/clock.ts';
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
  /** A gauge of the published records of sources, or of matches. */
  const gaugeOf = <L extends string>(
    of: 'source' | 'match',
    name: string,
    help: string,
    labelNames: L[],
    read: (gauge: Gauge<L | 'source'>, record: FeedHealth) => void,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['source', ...labelNames],
      registers,
      collect() {
        this.reset();
        for (const record of latest.values())
          if ((record.event_id === null) === (of === 'source')) read(this, record);
      },
    });
  gaugeOf(
    'source',
    'touchline_feed_source_state',
    '1 for the current state of a source, 0 for the others.',
    ['state'],
    (gauge, { source, state: current }) => {
      for (const state of STATES) gauge.set({ source, state }, state === current ? 1 : 0);
    },
  );
  gaugeOf(
    'match',
    'touchline_feed_matches',
    'Matches of a source, by state.',
    ['state'],
    (gauge, { source, state }) => gauge.inc({ source, state }),
  );
  gaugeOf(
    'source',
    'touchline_feed_delay_seconds',
    'Age of the newest content of a source when it was received; below 0: its clock is so far ahead of ours that the age is unknown.',
    [],
    (gauge, { source, delay }) => {
      if (delay !== null) gauge.set({ source }, delay / 1_000);
    },
  );
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
      const known = latest.get(key);
      latest.delete(key);
      if (record === null) return;
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
  const gauge = <L extends string = string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const reachable = gauge('touchline_brokers_reachable', 'Brokers of the cluster that answer.');
  const impaired = gauge('touchline_topics_impaired', 'Topics that lack a leader or a copy.', 'lack');
  const disk = gauge('touchline_broker_disk_bytes', 'Size of the disks of a broker.', 'broker');
  const free = gauge('touchline_broker_disk_free_bytes', 'Free space on the disks of a broker.', 'broker');
  const names = TOPIC_NAMES.map((topic) => topicName(prefix, topic));
  while (!signal.aborted) {
    const facts = await describeCluster(brokers, names).catch(() => null);
    for (const one of [impaired, disk, free]) one.reset();
    reachable.set(facts === null ? 0 : facts.brokers.length - facts.unreachable.length);
    if (facts !== null) {
      impaired.set({ lack: 'leader' }, 0);
      impaired.set({ lack: 'copies' }, 0);
      for (const { leaderless, inSync, replicas } of facts.topics.values()) {
        if (leaderless > 0) impaired.inc({ lack: 'leader' });
        if (inSync < replicas) impaired.inc({ lack: 'copies' });
      }
      for (const { broker, freeBytes, totalBytes } of facts.disks) {
        disk.set({ broker }, totalBytes);
        free.set({ broker }, freeBytes);
      }
    }
    await sleep(DESCRIBE_MS, signal);
  }
}
