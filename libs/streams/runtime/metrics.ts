import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { ERRORS } from '#errors/catalogue.ts';
import { DEAD_LETTER_CODES } from '#topics/vocabulary.ts';
import { countFromZero } from '../count-from-zero.ts';
import { TASK_STATES, type TaskState } from './task-state.ts';

/** Every code of `touchline_task_failures_total`. */
const FAILURE_CODES = [
  ...Object.keys(ERRORS.StreamError),
  ...Object.keys(ERRORS.RefusedError),
  'PROCESSING_FAILED',
];

/** The runtime's metrics. `partition` is the input partition; `tasks` gives the state of each task when metrics are read. */
export type StreamMetrics = ReturnType<typeof streamMetrics>;

export function streamMetrics(registry: Registry, tasks: () => Iterable<TaskState>) {
  const registers = [registry];
  const labelNames = ['partition'] as const;
  const deadLetters = new Counter({
    name: 'touchline_dead_letters_total',
    help: 'Records given up, by reason.',
    labelNames: ['code'],
    registers,
  });
  const failures = new Counter({
    name: 'touchline_task_failures_total',
    help: 'Failures and refusals after which a partition is claimed again, by reason.',
    labelNames: ['code'],
    registers,
  });
  // Asked for, not set: while no broker answers nothing happens here that could set it.
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
  countFromZero(deadLetters, Object.keys(DEAD_LETTER_CODES));
  countFromZero(failures, FAILURE_CODES);
  return {
    deadLetters,
    failures,
    records: new Counter({
      name: 'touchline_records_total',
      help: 'Input records committed.',
      labelNames,
      registers,
    }),
    transactions: new Counter({
      name: 'touchline_transactions_total',
      help: 'Transactions committed.',
      labelNames,
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'touchline_commit_seconds',
      help: 'Time from the first record sent to the commit of a transaction.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
      registers,
    }),
    lag: new Gauge({
      name: 'touchline_lag_records',
      help: 'Input records between the position and the end of the partition.',
      labelNames,
      registers,
    }),
    undecided: new Gauge({
      name: 'touchline_undecided_records',
      help: 'Input records that wait behind a transaction that is open.',
      labelNames,
      registers,
    }),
    undecidedSeconds: new Gauge({
      name: 'touchline_undecided_seconds',
      help: 'How long the last stable offset has not moved although records follow it.',
      labelNames,
      registers,
    }),
    restoredRecords: new Counter({
      name: 'touchline_restore_records_total',
      help: 'Changelog records read to rebuild state.',
      registers,
    }),
    restoreSeconds: new Counter({
      name: 'touchline_restore_seconds',
      help: 'Time spent rebuilding state, added over partitions.',
      registers,
    }),
    keptStates: new Counter({
      name: 'touchline_kept_states_total',
      help: 'Claims that went on with the state in memory, since nobody else had written.',
      labelNames,
      registers,
    }),
    stateSize: new Gauge({
      name: 'touchline_state_entries',
      help: 'Entries of state held.',
      labelNames,
      registers,
    }),
    lostRecords: new Counter({
      name: 'touchline_lost_records_total',
      help: 'Input records that were removed before they were processed.',
      labelNames,
      registers,
    }),
    claims: new Counter({
      name: 'touchline_claims_total',
      help: 'Claims of a partition: when it is assigned, and after each failure.',
      labelNames,
      registers,
    }),
  };
}
