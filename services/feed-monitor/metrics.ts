import type { Gauge, Registry } from 'prom-client';
import { describeCluster } from '#cluster/describe.ts';
import type { FeedHealth } from '#records/types.ts';
import type { Brokers } from '#security/brokers.ts';
import { metersOf } from '#service/meters.ts';
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
  const { counter, gauge, histogram, sampled } = metersOf(registry);
  const latest = new Map<string, FeedHealth>();
  /** A gauge of the published records of sources, or of matches. */
  const gaugeOf = <L extends string>(
    of: 'source' | 'match',
    name: string,
    help: string,
    labelNames: L[],
    read: (gauge: Gauge<L | 'source'>, record: FeedHealth) => void,
  ) =>
    sampled(name, help, ['source', ...labelNames], (into) => {
      into.reset();
      for (const record of latest.values())
        if ((record.event_id === null) === (of === 'source')) read(into, record);
    });
  gaugeOf(
    'source',
    'touchline_feed_source_state',
    '1 for the current state of a source, 0 for the others.',
    ['state'],
    (into, { source, state: current }) => {
      for (const state of STATES) into.set({ source, state }, state === current ? 1 : 0);
    },
  );
  gaugeOf(
    'match',
    'touchline_feed_matches',
    'Matches of a source, by state.',
    ['state'],
    (into, { source, state }) => into.inc({ source, state }),
  );
  gaugeOf(
    'source',
    'touchline_feed_delay_seconds',
    'Age of the newest content of a source when it was received; below 0: its clock is so far ahead of ours that the age is unknown.',
    [],
    (into, { source, delay }) => {
      if (delay !== null) into.set({ source }, delay / 1_000);
    },
  );
  const gaps = counter(
    'touchline_feed_gaps_total',
    'Gaps that began since the process started, of sources and of matches, by cause.',
    'source',
    'of',
    'reason',
  );
  return {
    leader: gauge('touchline_monitor_leader', '1 when this process is the one that decides feed health.'),
    publishSeconds: histogram(
      'touchline_monitor_publish_seconds',
      'Time until the records of one evaluation are acknowledged.',
      [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    ),
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
  const { gauge } = metersOf(registry);
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
