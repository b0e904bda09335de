import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '#service/metrics.ts';
import { serve } from '../../../test/support/listen.ts';
import { gatewayMetrics } from '../metrics.ts';
import { LIMITS } from './server.ts';
import { mcpStreams } from './sessions.ts';

const CALLER = { tokenId: 't', clientId: 1 };
/** More than the buffers between two local sockets hold. */
const MUCH = Buffer.alloc(64 * 1024 * 1024);

test('closes a stream once its reader has read nothing for the limit, and no sooner', async () => {
  let now = 0;
  const metrics = createMetrics('tool-gateway');
  const streams = mcpStreams({ limits: LIMITS, metrics: gatewayMetrics(metrics, () => 0), now: () => now });
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const url = await serve((_request, answering) => resolve(answering));
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.pause().write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const response = await promise;
  streams.add(CALLER, response, () => true);
  const sweepAt = (at: number): boolean => {
    now = at;
    streams.sweep();
    return response.destroyed;
  };
  expect(sweepAt(0)).toBe(false);
  response.write(MUCH);
  expect(sweepAt(1_000)).toBe(false);
  expect(sweepAt(1_000 + LIMITS.streamStallMs - 1)).toBe(false);
  expect(sweepAt(1_000 + LIMITS.streamStallMs)).toBe(true);
  await expect.poll(() => metrics.metrics()).toMatch(/touchline_mcp_streams\S* 0/);
  expect(await metrics.metrics()).toMatch(/touchline_mcp_ended_total\{reason="stream_stalled".*\} 1/);
});
