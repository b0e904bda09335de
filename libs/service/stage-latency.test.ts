import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { LATENCY_LIMIT_MS, stageLatencies } from './stage-latency.ts';

/** Observes latencies (milliseconds). Returns the sum and count of a stage, and the number of skipped records. */
async function observed(...elapsedMs: readonly number[]) {
  const registry = new Registry();
  const { received_to_state } = stageLatencies(registry, ['received_to_state', 'received_to_view']);
  elapsedMs.forEach(received_to_state);
  const text = await registry.metrics();
  const value = (name: string, stage = 'received_to_state'): number =>
    Number(text.split(`touchline_stage_${name}{stage="${stage}"} `)[1]?.split('\n')[0]);
  return {
    sum: value('latency_seconds_sum'),
    count: value('latency_seconds_count'),
    history: value('history_records_total'),
    other: value('latency_seconds_count', 'received_to_view'),
  };
}

test.each([
  ['measures seconds', [20, 1_480], { sum: 1.5, count: 2, history: 0 }],
  ['shows every stage before the first record', [], { sum: 0, count: 0, history: 0 }],
  ['counts a negative latency as zero', [-1, -30_000], { sum: 0, count: 2, history: 0 }],
  ['observes a latency at the limit', [LATENCY_LIMIT_MS], { sum: 600, count: 1, history: 0 }],
  [
    'skips old records, and clocks that are far apart',
    [LATENCY_LIMIT_MS + 1, 250_000_000_000, -LATENCY_LIMIT_MS - 1],
    { sum: 0, count: 0, history: 3 },
  ],
])('%s', async (_, elapsedMs, expected) => {
  expect(await observed(...elapsedMs)).toEqual({ ...expected, other: 0 });
});
