import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { receiverMetrics } from './metrics.ts';
import { RequestTally } from './tally.ts';

test('adds latencies and unread fields with each report', async () => {
  const registry = new Registry();
  const source = { report: async () => {}, total: () => 0 };
  const add = receiverMetrics(registry, source);
  const tally = new RequestTally();
  const state = { pendingBytes: 0, connections: 0, unprovenBytes: 0, healthy: true };
  for (const ms of [250, 1_250]) tally.received(ms);
  tally.count('refusedAuthentic', 'undecodable');
  tally.stored(0.25);
  tally.count('unread', 'event.latency', 2);
  // Deliveries stored in one turn of the event loop add one value.
  await new Promise((resolve) => setImmediate(resolve));
  add({ ...tally.drain(), ...state });
  add({ ...tally.drain(), ...state });
  const text = await registry.metrics();
  for (const line of [
    'touchline_stage_latency_seconds_sum{stage="provider_to_received"} 1.5',
    'touchline_stage_latency_seconds_count{stage="provider_to_received"} 2',
    'touchline_stage_latency_seconds_sum{stage="received_to_published"} 0.25',
    'touchline_stage_latency_seconds_count{stage="received_to_published"} 1',
    'touchline_webhook_dead_letters_total{code="not_json"} 0',
    'touchline_webhook_refused_authentic_total{reason="undecodable"} 1',
    'touchline_webhook_refused_authentic_total{reason="timestamp_expired"} 0',
    'touchline_webhook_clock_behind_seconds 0',
    'touchline_unread_fields_total{path="event.latency"} 2',
  ])
    expect(text).toContain(`${line}\n`);
  tally.received(-2_500);
  add({ ...tally.drain(), ...state });
  expect(await registry.metrics()).toContain('touchline_webhook_clock_behind_seconds 2.5\n');
});
