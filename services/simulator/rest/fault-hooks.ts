import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { RestError } from '#contract/rest/errors.ts';
import type { RestFaults } from './faults.ts';

/** Number of consecutive answers 500. */
const BURST = { min: 2, max: 6 } as const;

/**
 * Injects the faults of connections and whole answers: no answer, late, 500, broken JSON, cut body. Faults of the content
 * are injected by the provider's data. `slowMs`: maximum delay of an answer, real milliseconds.
 */
export function addFaultHooks(app: FastifyInstance, faults: RestFaults, slowMs: number): void {
  let burst = 0;
  app.addHook('onRequest', async (_request, reply) => {
    if (faults.strikes('timeout')) {
      // Sends no answer: the connection stays open until the client or the server closes it.
      reply.hijack();
      return;
    }
    if (faults.strikes('slow')) await sleep(faults.int('slow', Math.ceil(slowMs / 4), slowMs));
    if (burst > 0) {
      burst--;
      faults.count('server_error');
      throw new RestError('INTERNAL');
    }
    if (faults.strikes('server_error')) {
      burst = faults.int('server_error', BURST.min, BURST.max) - 1;
      throw new RestError('INTERNAL');
    }
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.statusCode !== 200 || !(typeof payload === 'string' || Buffer.isBuffer(payload)))
      return payload;
    const body = Buffer.from(payload);
    if (faults.strikes('broken_json')) {
      const half = body.subarray(0, body.length >> 1);
      reply.header('content-length', half.length);
      return half;
    }
    if (faults.strikes('cut_body')) {
      reply.header('content-length', body.length);
      return failingAfter(body.subarray(0, body.length >> 1));
    }
    return payload;
  });
}

/** Returns a stream of these bytes that then fails, which ends the connection. */
function failingAfter(bytes: Buffer): Readable {
  return Readable.from(
    (async function* () {
      yield bytes;
      // The bytes must be sent before the connection ends.
      await sleep(5);
      throw new Error('the connection ends by an injected fault');
    })(),
  );
}
