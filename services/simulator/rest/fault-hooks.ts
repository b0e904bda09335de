import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { RestError } from '#contract/rest/errors.ts';
import type { RestFaults } from './faults.ts';

/** Answers 500 in a row. */
const BURST = { min: 2, max: 6 } as const;

/**
 * Makes the faults of the connection and of the answer as a whole: no answer, late, 500, broken JSON, cut body. Those
 * of what is in an answer are the data's. `slowMs` is how late an answer is at most, in real milliseconds.
 */
export function addFaultHooks(app: FastifyInstance, faults: RestFaults, slowMs: number): void {
  let burst = 0;
  app.addHook('onRequest', async (_request, reply) => {
    if (faults.strikes('timeout')) {
      // No answer follows: the connection stays open until the client or the server closes it.
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
      return breaksOff(body.subarray(0, body.length >> 1));
    }
    return payload;
  });
}

/** A stream that gives these bytes and then fails, which ends the connection. */
function breaksOff(bytes: Buffer): Readable {
  return Readable.from(
    (async function* () {
      yield bytes;
      // The bytes are on their way before the connection ends.
      await sleep(5);
      throw new Error('the connection breaks off, as ordered');
    })(),
  );
}
