import type { Socket } from 'node:net';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import type { Logger } from '#service/logger.ts';
import { SIGNATURE_HEADER, type SignatureFault, TIMESTAMP_HEADER, verify } from '#signing/signing.ts';
import { PublishError } from '#streams/publish-error.ts';
import type { Outcome, Tally } from './tally.ts';

/** What the HTTP side of the receiver works with. */
export type AppOptions = {
  readonly secrets: readonly string[];
  /** Largest body that is taken, in bytes. */
  readonly bodyLimit: number;
  /** Longest time from the head of a request to its end, in milliseconds. */
  readonly patienceMs: number;
  /**
   * Resolves when all of an authentic delivery is on the topics; rejects with `PublishError` where it
   * is not in time, counted from `waitedMs` ago.
   */
  readonly store: (body: Buffer, waitedMs: number) => Promise<void>;
  readonly tally: Tally;
  readonly log: Logger;
};

const PATH = '/webhook';
const ANY_TYPE = 'application/octet-stream';

/** What a sender is told whose delivery is not authentic. */
const FAULTS: Readonly<Record<SignatureFault, string>> = {
  timestamp_missing: `The header ${TIMESTAMP_HEADER} is missing.`,
  timestamp_malformed: `The header ${TIMESTAMP_HEADER} is not a positive whole number.`,
  timestamp_expired: 'The signature has expired.',
  signature_missing: `The header ${SIGNATURE_HEADER} is missing.`,
  signature_malformed: `The header ${SIGNATURE_HEADER} is not 64 lower-case hex digits.`,
  signature_mismatch: 'The signature does not match.',
};

declare module 'fastify' {
  interface FastifyRequest {
    /** When the head of the request was read, on the clock of `performance.now`. */
    arrivedAt: number;
  }
}

/**
 * `POST /webhook` (spec, "Events"): 200 `Accepted` once everything of the delivery is on the topics, and never before.
 * Checked in this order: size (413), expiration and then signature (401); only after that is the body looked at.
 * 503 where the broker has not acknowledged all of it in time: the sender repeats it. Every other answer leaves
 * nothing on a topic. Bodies of answers are one line of text.
 */
export function createApp(options: AppOptions): FastifyInstance {
  const { secrets, bodyLimit, patienceMs, store, tally, log } = options;
  let closing = false;
  const answer = (reply: FastifyReply, status: number, outcome: Outcome, text: string): FastifyReply => {
    tally.answered(outcome);
    // A connection that is kept open would hold up the end of the server until it times out.
    if (closing) reply.header('connection', 'close');
    return reply.code(status).type('text/plain; charset=utf-8').send(text);
  };
  const app = fastify({
    bodyLimit,
    // What has not arrived as a whole by then is answered 408.
    requestTimeout: patienceMs,
    http: { headersTimeout: patienceMs, connectionsCheckingInterval: Math.ceil(patienceMs / 20) },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, tally),
    // A path that cannot be decoded: the answer of Fastify's own would repeat it.
    frameworkErrors: (_error, _request: FastifyRequest, reply: FastifyReply) => {
      answer(reply, 400, 'bad_request', 'Bad request.');
    },
  });

  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.decorateRequest('arrivedAt', 0);
  app.addHook('onRequest', (request, _reply, done) => {
    request.arrivedAt = performance.now();
    // The body is bytes under a signature, whatever a sender calls it; a type that is no type is not refused either.
    request.raw.headers['content-type'] = ANY_TYPE;
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.post(PATH, async (request, reply) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const verdict = verify(body, signatureHeaders(request), secrets, Date.now());
    if (verdict !== 'ok') {
      tally.refused(verdict);
      return answer(reply, 401, 'not_authentic', FAULTS[verdict]);
    }
    await store(body, performance.now() - request.arrivedAt);
    return answer(reply, 200, 'accepted', 'Accepted');
  });

  app.setNotFoundHandler((request, reply) => {
    if (request.url.split('?', 1)[0] !== PATH) return answer(reply, 404, 'not_found', 'Not found.');
    return answer(reply.header('allow', 'POST'), 405, 'method_not_allowed', 'Only POST is allowed.');
  });

  app.setErrorHandler((error: FastifyError | PublishError, _request, reply) => {
    if (error instanceof PublishError) {
      log.warn({ code: error.code, err: error }, 'a delivery could not be stored');
      return answer(reply.header('retry-after', '1'), 503, 'not_stored', 'Not stored, repeat it.');
    }
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
      // Closing the connection at once would take the answer from a client that is still sending. What it sends is
      // read and dropped until the request timeout.
      reply.removeHeader('connection');
      return answer(reply, 413, 'too_large', `The body is larger than ${bodyLimit} bytes.`);
    }
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return answer(reply, error.statusCode, 'bad_request', 'Bad request.');
    }
    log.error({ err: error }, 'a delivery failed');
    return answer(reply, 500, 'failed', 'Failed, repeat it.');
  });
  return app;
}

function signatureHeaders({ headers }: FastifyRequest): {
  timestamp: string | undefined;
  signature: string | undefined;
} {
  // A header that is there twice comes as one text with a comma, which neither of the two may hold.
  return { timestamp: text(headers[TIMESTAMP_HEADER]), signature: text(headers[SIGNATURE_HEADER]) };
}

function text(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

/** Answers what did not become a request: it came too slowly, or is not HTTP. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket, tally: Tally): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const slow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  tally.answered(slow ? 'too_slow' : 'bad_request');
  const [status, line] = slow ? ['408 Request Timeout', 'Too slow.'] : ['400 Bad Request', 'Bad request.'];
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${line.length}\r\nConnection: close\r\n\r\n${line}`,
    () => socket.destroy(),
  );
}
