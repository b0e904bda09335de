import type { Registry } from 'prom-client';
import { metersOf } from '#service/meters.ts';

const BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
/** Of the tool endpoint (`touchline_mcp_…`), which answers from memory. */
const SHORT_BUCKETS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5];

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>;

/** Registers the metrics of a tool gateway: none names a client, an id, an address or a token. `tokens`: returns their number. */
export function gatewayMetrics(registry: Registry, tokens: () => number) {
  const { counter, gauge, histogram, measure } = metersOf(registry);
  measure(
    'touchline_access_tokens',
    'Known access tokens, including those revoked or expired in the last 30 days.',
    tokens,
  );
  return {
    exchangeSeconds: histogram(
      'touchline_exchange_seconds',
      'Time until an exchange is answered, by outcome: issued, or the error.',
      BUCKETS,
      'outcome',
    ),
    upstreamSeconds: histogram(
      'touchline_exchange_upstream_seconds',
      'Time of a credential check, by the status of its answer, or the reason why there is none.',
      BUCKETS,
      'outcome',
    ),
    requestSeconds: histogram(
      'touchline_mcp_request_seconds',
      'Time from a request to its answer, or to the start of its stream, by method and status.',
      SHORT_BUCKETS,
      'method',
      'status',
    ),
    callSeconds: histogram(
      'touchline_mcp_call_seconds',
      'Time of a tool call, by tool and outcome: ok, or the code of its error.',
      SHORT_BUCKETS,
      'tool',
      'outcome',
    ),
    refused: counter(
      'touchline_mcp_refused_total',
      'Requests of the tool endpoint that were refused before they were parsed, by reason.',
      'reason',
    ),
    notifications: counter(
      'touchline_mcp_notifications_total',
      'Notifications sent, of changed resources and lists.',
    ),
    ended: counter(
      'touchline_mcp_ended_total',
      'Sessions and streams ended by the server, by reason.',
      'reason',
    ),
    sessions: gauge('touchline_mcp_sessions', 'Open sessions of clients of revisions before 2026-07-28.'),
    streams: gauge('touchline_mcp_streams', 'Open streams of notifications.'),
  };
}
