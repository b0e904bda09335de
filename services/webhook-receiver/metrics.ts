import type { Registry } from 'prom-client';
import { type CodeOf, countFromZero, DEAD_LETTER_CODES } from '#errors/catalogue.ts';
import { metersOf } from '#service/meters.ts';
import { stageLatencies } from '#service/stage-latency.ts';

const AUTHENTIC_REFUSALS = [
  'timestamp_expired',
  'decoded_too_large',
  'undecodable',
  'charset',
  'too_many_messages',
] as const satisfies readonly ('timestamp_expired' | Lowercase<CodeOf<'DeliveryRefusedError'>>)[];

type Held = {
  readonly pendingBytes: () => number;
  readonly connections: () => Promise<number>;
  readonly unprovenBytes: () => number;
};

export type ReceiverMetrics = ReturnType<typeof receiverMetrics>;

export function receiverMetrics(registry: Registry, held: Held) {
  const { counter, gauge, histogram, measure } = metersOf(registry);
  measure(
    'touchline_webhook_pending_bytes',
    'Bytes of records that the broker has not acknowledged yet.',
    held.pendingBytes,
  );
  measure('touchline_webhook_connections', 'Open connections.', held.connections);
  measure(
    'touchline_webhook_unproven_bytes',
    'Bytes held of bodies whose signature is not verified yet.',
    held.unprovenBytes,
  );
  const refusedAuthentic = counter(
    'touchline_webhook_refused_authentic_total',
    'Authentic deliveries refused, which their sender keeps, by reason.',
    'reason',
  );
  for (const reason of AUTHENTIC_REFUSALS) refusedAuthentic.inc({ reason }, 0);
  const deadLetters = counter(
    'touchline_webhook_dead_letters_total',
    'Messages and bodies sent to dead letters, by reason.',
    'code',
  );
  countFromZero(deadLetters, DEAD_LETTER_CODES);
  const storeSeconds = histogram(
    'touchline_webhook_store_seconds',
    'Time until deliveries are stored.',
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
  );
  const stages = stageLatencies(registry, ['provider_to_received', 'received_to_published']);
  return {
    requests: counter('touchline_webhook_requests_total', 'Requests answered, by outcome.', 'outcome'),
    refused: counter(
      'touchline_webhook_refused_total',
      'Requests that are not authentic, by the first failed check.',
      'check',
    ),
    refusedAuthentic,
    clockBehind: gauge(
      'touchline_webhook_clock_behind_seconds',
      'How far the newest ut of the last delivery was ahead of the clock of this machine; 0 when it was not.',
    ),
    overloaded: counter(
      'touchline_webhook_overloaded_total',
      'Bodies refused above a limit, by limit.',
      'reason',
    ),
    messages: counter(
      'touchline_webhook_messages_total',
      'Messages accepted, by type; "unknown" counts all unused types.',
      'type',
    ),
    deadLetters,
    unread: counter(
      'touchline_unread_fields_total',
      'Fields that could not be read and count as left out, by path.',
      'path',
    ),
    providerToReceived: stages.provider_to_received,
    /** Observes the time until a delivery was stored, milliseconds. */
    stored(ms: number): void {
      storeSeconds.observe(ms / 1_000);
      stages.received_to_published(ms);
    },
  };
}
