import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { viewMetrics } from './metrics.ts';
import type { ViewRecord } from './records.ts';

test('observes the latency of applied match states since their message was received, and of no other record', async () => {
  const registry = new Registry();
  const state = sampleOf('match-state');
  const transition = sampleOf('match-transitions');
  const cause = { ...state.cause, received_at: 1_000 };
  const record = { partition: 0, offset: 0, key: '1' };
  const records: ViewRecord[] = [
    { ...record, topic: 'match-state', value: { ...state, cause } },
    { ...record, topic: 'match-state', value: null },
    { ...record, topic: 'match-transitions', value: { ...transition, cause } },
  ];
  viewMetrics(registry, 'api').applied(records, 1_750);
  const text = await registry.metrics();
  expect(text).toContain('touchline_stage_latency_seconds_sum{stage="received_to_view"} 0.75\n');
  expect(text).toContain('touchline_stage_latency_seconds_count{stage="received_to_view"} 1\n');
});
