import { Counter, Gauge, type Registry } from 'prom-client';
import { REST_FAULT_NAMES, type RestFault } from './faults.ts';

/** Counts of the REST provider, for the summary and for the metrics. */
export function restMetrics(registry: Registry, now: () => number) {
  const registers = [registry];
  const answers = new Map<number, number>();
  const answersTotal = new Counter({
    name: 'touchline_simulator_rest_answers_total',
    help: 'Answers of the REST interface, by status.',
    labelNames: ['status'],
    registers,
  });
  const faultsTotal = new Counter({
    name: 'touchline_simulator_rest_faults_total',
    help: 'Faults of the REST interface and lost webhook deliveries, by name.',
    labelNames: ['fault'],
    registers,
  });
  for (const fault of REST_FAULT_NAMES) faultsTotal.inc({ fault }, 0);
  new Gauge({
    name: 'touchline_simulator_time_seconds',
    help: "The provider's clock, Unix seconds.",
    registers,
    collect() {
      this.set(now());
    },
  });
  return {
    onAnswer(status: number): void {
      answers.set(status, (answers.get(status) ?? 0) + 1);
      answersTotal.inc({ status });
    },
    onFault: (fault: RestFault): void => faultsTotal.inc({ fault }),
    /** Answers by status. */
    answers: (): Readonly<Record<string, number>> => Object.fromEntries(answers),
  };
}
