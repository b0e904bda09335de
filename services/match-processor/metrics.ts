import { Gauge, type Registry } from 'prom-client';
import { stageLatencies } from '#service/stage-latency.ts';
import { type FlagCounts, MATCH_FLAGS } from './match-flags.ts';

/** What a commit has made visible. */
export type Committed = {
  /** When the messages that changed a match were received, Unix milliseconds. */
  readonly receivedAt: readonly number[];
  /** Matches in memory, by what is wrong with them. */
  readonly flagged: FlagCounts;
};

/** Makes the processor's own metrics in a registry; returns a function that adds a commit. `now`: Unix milliseconds. */
export function commitMetrics(
  registry: Registry,
  now: () => number,
): (partition: number, committed: Committed) => void {
  const { received_to_state } = stageLatencies(registry, ['received_to_state']);
  const matches = new Gauge({
    name: 'touchline_flagged_matches',
    help: 'Matches in memory that are wrong, or cannot be judged in full, by reason.',
    labelNames: ['partition', 'reason'],
    registers: [registry],
  });
  return (partition, { receivedAt, flagged }) => {
    const committedAt = now();
    for (const at of receivedAt) received_to_state(committedAt - at);
    for (const reason of MATCH_FLAGS) matches.set({ partition, reason }, flagged[reason]);
  };
}
