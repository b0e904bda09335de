import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** Registers the metrics of a tool gateway: none names a client, an address or a token. `tokens`: returns their number. */
export function gatewayMetrics(registry: Registry, tokens: () => number) {
  const registers = [registry];
  new Gauge({
    name: 'touchline_access_tokens',
    help: 'Known access tokens, including those revoked or expired in the last 30 days.',
    registers,
    collect() {
      this.set(tokens());
    },
  });
  return {
    exchangeSeconds: new Histogram({
      name: 'touchline_exchange_seconds',
      help: 'Time until an exchange is answered, by outcome: issued, or the error.',
      labelNames: ['outcome'],
      buckets: BUCKETS,
      registers,
    }),
    upstreamSeconds: new Histogram({
      name: 'touchline_exchange_upstream_seconds',
      help: 'Time of a credential check, by the status of its answer, or the reason why there is none.',
      labelNames: ['outcome'],
      buckets: BUCKETS,
      registers,
    }),
  };
}

/** The metrics of the tool endpoint. None of them names an id, a client or a token. */
export type McpMetrics = ReturnType<typeof mcpMetrics>;

export function mcpMetrics(registry: Registry) {
  const registers = [registry];
  return {
    requestSeconds: new Histogram({
      name: 'touchline_mcp_request_seconds',
      help: 'Time from a request to its answer, or to the start of its stream, by method and status.',
      labelNames: ['method', 'status'],
      buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
      registers,
    }),
    callSeconds: new Histogram({
      name: 'touchline_mcp_call_seconds',
      help: 'Time of a tool call, by tool and outcome: ok, or the code of its error.',
      labelNames: ['tool', 'outcome'],
      buckets: [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
      registers,
    }),
    refused: new Counter({
      name: 'touchline_mcp_refused_total',
      help: 'Requests of the tool endpoint that were refused before they were parsed, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    notifications: new Counter({
      name: 'touchline_mcp_notifications_total',
      help: 'Notifications sent, of changed resources and lists.',
      registers,
    }),
    ended: new Counter({
      name: 'touchline_mcp_ended_total',
      help: 'Sessions and streams ended by the server, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    sessions: new Gauge({
      name: 'touchline_mcp_sessions',
      help: 'Open sessions of clients of revisions before 2026-07-28.',
      registers,
    }),
    streams: new Gauge({
      name: 'touchline_mcp_streams',
      help: 'Open streams of notifications.',
      registers,
    }),
  };
}
