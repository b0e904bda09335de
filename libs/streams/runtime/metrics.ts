import type { Registry } from 'prom-client';
import { countFromZero, DEAD_LETTER_CODES, ERRORS } from '#errors/catalogue.ts';
import { metersOf } from '#service/meters.ts';
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
  const meters = metersOf(registry);
  const counter = (name: string, help: string) => meters.counter(name, help, 'partition');
  const gauge = (name: string, help: string) => meters.gauge(name, help, 'partition');
  const dead = 'Records sent to the dead letters, by reason.';
  const deadLetters = meters.counter('touchline_dead_letters_total', dead, 'code');
  const failures = meters.counter(
    'touchline_task_failures_total',
    'Failures and refusals after which a partition is claimed again, by reason.',
    'code',
  );
  // Computed on each scrape: no event would update it while no broker responds.
  meters.sampled('touchline_tasks', 'Partitions held, by state.', ['state'], (held) => {
    for (const state of TASK_STATES) held.set({ state }, 0);
    for (const state of tasks()) held.inc({ state });
  });
  countFromZero(deadLetters, DEAD_LETTER_CODES);
  countFromZero(failures, FAILURE_CODES);
  return {
    deadLetters,
    failures,
    records: counter('touchline_records_total', 'Input records committed.'),
    transactions: counter('touchline_transactions_total', 'Transactions committed.'),
    commitSeconds: meters.histogram(
      'touchline_commit_seconds',
      'Time from the first record sent to the commit of a transaction.',
      [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
    ),
    lag: gauge('touchline_lag_records', 'Input records between the position and the end of the partition.'),
    undecided: gauge('touchline_undecided_records', 'Input records that wait behind an open transaction.'),
    undecidedSeconds: gauge(
      'touchline_undecided_seconds',
      'Time since the last stable offset moved while records follow it.',
    ),
    restoredRecords: meters.counter(
      'touchline_restore_records_total',
      'Changelog records read to rebuild state.',
    ),
    restoreSeconds: meters.counter(
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
