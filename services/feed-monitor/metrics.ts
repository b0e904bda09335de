import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { FeedHealth, HealthState } from '#records/types.ts';

export type MonitorMetrics = ReturnType<typeof monitorMetrics>;

const STATES: readonly HealthState[] = [
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
