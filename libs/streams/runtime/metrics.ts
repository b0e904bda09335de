import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { countFromZero, DEAD_LETTER_CODES, ERRORS } from '#errors/catalogue.ts';
import { TASK_STATES, type TaskState } from './task-state.ts';

/** Every code of `touchline_task_failures_total`. */
const FAILURE_CODES = [
  ...Object.keys(ERRORS.StreamError),
  ...Object.keys(ERRORS.RefusedError),
  ...Object.keys(ERRORS.FolderError),
  'PROCESSING_FAILED',
];

/** The runtime's metrics. The label `partition` is the input partition. */
export type StreamMetrics = ReturnType<typeof streamMetrics>;

/** Creates the metrics in `registry`. `tasks` returns the current state of each task; it is called on each scrape. */
export function streamMetrics(registry: Registry, tasks: () => Iterable<TaskState>) {
  const registers = [registry];
  const ofPartition = { labelNames: ['partition'], registers } as const;
  const counter = (name: string, help: string) => new Counter({ name, help, ...ofPartition });
  const gauge = (name: string, help: string) => new Gauge({ name, help, ...ofPartition });
  const total = (name: string, help: string) => new Counter({ name, help, registers });
  const byCode = (name: string, help: string) => new Counter({ name, help, labelNames: ['code'], registers });
  const deadLetters = byCode('touchline_dead_letters_total', 'Records sent to the dead letters, by reason.');
  const failures = byCode(
    'touchline_task_failures_total',
    'Failures and refusals after which a partition is claimed again, by reason.',
  );
  // Computed on each scrape: no event would update it while no broker responds.
  new Gauge({
    name: 'touchline_tasks',
    help: 'Partitions held, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of TASK_STATES) this.set({ state }, 0);
      for (const state of tasks()) this.inc({ state });
    },
  });
  countFromZero(deadLetters, DEAD_LETTER_CODES);
  countFromZero(failures, FAILURE_CODES);
  return {
    deadLetters,
    failures,
    records: counter('touchline_records_total', 'Input records committed.'),
    transactions: counter('touchline_transactions_total', 'Transactions committed.'),
    commitSeconds: new Histogram({
      name: 'touchline_commit_seconds',
      help: 'Time from the first record sent to the commit of a transaction.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
      registers,
    }),
    lag: gauge('touchline_lag_records', 'Input records between the position and the end of the partition.'),
    undecided: gauge('touchline_undecided_records', 'Input records that wait behind an open transaction.'),
    undecidedSeconds: gauge(
      'touchline_undecided_seconds',
      'Time since the last stable offset moved while records follow it.',
    ),
    restoredRecords: total('touchline_restore_records_total', 'Changelog records read to rebuild state.'),
    restoreSeconds: total(
      'touchline_restore_seconds',
      'Time spent rebuilding state, summed over partitions.',
    ),
    keptStates: counter(
      'touchline_kept_states_total',
      'Claims that kept the state in memory, as no other process had written.',
    ),
    stateSize: gauge('touchline_state_entries', 'Number of state entries.'),
    lostRecords: counter(
      'touchline_lost_records_total',
      'Input records that were removed before they were processed.',
    ),
    claims: counter(
      'touchline_claims_total',
      'Claims of a partition: when it is assigned, and after each failure.',
    ),
  };
}
