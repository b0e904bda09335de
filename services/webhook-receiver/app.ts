import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { promisify } from 'node:util';
import { deliveryId } from '#ingestion/delivery.ts';
import { createHttpServer, rawAnswer, refuseWith } from '#service/http-server.ts';
import type { Logger } from '#service/logger.ts';
import type { ServerTlsFiles } from '#service/server-tls.ts';
import { checkSignature, type SignatureCheck, type SignatureFault } from '#signing/signing.ts';
import { PublishError } from '#streams/errors.ts';
import {
  ACCEPTED_CODINGS,
  type BodyCharset,
  type ContentCodings,
  charsetOf,
  checkCharset,
  codingsOf,
  decodeBody,
} from './content-coding.ts';
import type { ReceiverMetrics } from './metrics.ts';
import { DeliveryRefusedError, FAULT_TEXTS, type RequestOutcome } from './refusal.ts';
import { headerText, isDecodable, pathOf, signatureOf } from './request-head.ts';
import type { SourceStatus } from './source-status.ts';
import { IncomingBody, UnprovenBodies } from './unproven-bodies.ts';

export type ReceiverAppOptions = {
  readonly secrets: readonly string[];
  /** Largest accepted body, bytes. */
  readonly bodyLimit: number;
  /** Timeout of receiving a request, milliseconds. */
  readonly answerTimeoutMs: number;
  readonly maxConnections: number;
  /** Maximum number of bytes held for bodies whose signature is not verified yet. */
  readonly maxUnprovenBytes: number;
  /** Null: plain HTTP. */
  readonly tls?: ServerTlsFiles | null;
  /** Resolves when all records are on the topics. Rejects with `PublishError`, `DeliveryRefusedError`. `traceparent`: the sender's. */
  readonly store: (body: Buffer, waitedMs: number, traceparent?: string) => Promise<void>;
  readonly metrics: ReceiverMetrics;
  readonly status: SourceStatus;
  readonly log: Logger;
};

/** `Retry-After` of a refusal, seconds. */
const RETRY_AFTER_SECONDS = 1;

const PATHS: readonly string[] = ['/webhook', '/webhook/'];

type IncomingDelivery = {
  readonly codings: ContentCodings;
  readonly charset: BodyCharset;
  readonly traceparent: string | undefined;
  /** When its head was read, on the clock of `performance.now`. */
  readonly arrivedAt: number;
  readonly response: ServerResponse<IncomingMessage>;
};

/**
 * The HTTP side of the receiver: `POST /webhook` (spec, "Events"). Answers 200 `Accepted` only after all records of the
 * delivery are on the topics. Before reading the body it checks the announced size (413), then the expiration and form of
 * the signature (401), then encoding and charset (415). Then it checks the received size (413) and the signature (401),
 * and only then decodes and parses the body; see `#proveDecoded` for senders that sign it before they compress it.
 * Answers 503 when the broker has not acknowledged all records in time, or when too many unproven bytes are held: the
 * sender repeats the delivery. Every answer but 200 and such a timeout leaves no record. Each answer is one line of text.
 */
export class ReceiverApp {
  readonly #options: ReceiverAppOptions;
  readonly #server: Server;
  readonly #unproven: UnprovenBodies;
  /** Connections whose last request was answered before its body was received. */
  readonly #answeredEarly = new WeakSet<Socket>();
  /** Resolves when no body is being decoded before its proof. */
  #decoding: Promise<unknown> = Promise.resolve();
  #draining = false;

  constructor(options: ReceiverAppOptions) {
    this.#options = options;
    const { answerTimeoutMs, maxConnections, maxUnprovenBytes, tls = null, log } = options;
    this.#unproven = new UnprovenBodies(maxUnprovenBytes);
    this.#server = createHttpServer({ requestMs: answerTimeoutMs, maxConnections, tls, log })
      .on('request', (request, response) => this.#receive(request, response, false))
      .on('checkContinue', (request, response) => this.#receive(request, response, true))
      .on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
        this.#onClientError(error, socket),
      );
  }

  async listen(options: ListenOptions): Promise<number> {
    await once(this.#server.listen(options), 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Makes each further answer end its connection. */
  drain(): void {
    this.#draining = true;
  }

  /** Stops listening. Resolves when every pending request is answered. */
  async close(): Promise<void> {
    this.drain();
    await promisify(this.#server.close).call(this.#server);
  }

  connections(): Promise<number> {
    return promisify(this.#server.getConnections).call(this.#server);
  }

  /** Bytes held for bodies whose signature is not verified yet. */
  get unprovenBytes(): number {
    return this.#unproven.bytes;
  }

  /** Answers when the head of the request suffices, else reads the body. */
  #receive(
    request: IncomingMessage,
    response: ServerResponse<IncomingMessage>,
    expectsContinue: boolean,
  ): void {
    this.#answeredEarly.delete(request.socket);
    const { shouldKeepAlive } = response;
    // A sender refused before `100 Continue` may send its body or another request next; the two cannot be told apart.
    if (expectsContinue) response.shouldKeepAlive = false;
    if (request.method !== 'POST' || !PATHS.includes(pathOf(request))) {
      this.#wrongTarget(request, response);
      return;
    }
    const { headers } = request;
    const length = headers['content-length'];
    const announced = length === undefined ? null : Number(length);
    if (announced !== null && announced > this.#options.bodyLimit) {
      this.#tooLarge(response);
      return;
    }
    const signature = signatureOf(headers);
    const check = checkSignature(signature, this.#options.secrets, Date.now());
    if (typeof check === 'string') {
      if (check === 'timestamp_expired') this.#countIfAuthentic(request);
      this.#notAuthentic(response, check);
      return;
    }
    const codings = codingsOf(headerText(headers['content-encoding']));
    if (codings === null) {
      response.setHeader('accept-encoding', ACCEPTED_CODINGS);
      this.#answer(response, 415, 'unsupported', 'This Content-Encoding is not supported.');
      return;
    }
    const charset = charsetOf(headers['content-type']);
    if (charset === 'other') {
      this.#answer(response, 415, 'unsupported', 'The body must be UTF-8.');
      return;
    }
    if (expectsContinue) {
      response.shouldKeepAlive = shouldKeepAlive;
      response.writeContinue();
    }
    const traceparent = headerText(headers.traceparent);
    this.#read(request, check, { codings, charset, traceparent, arrivedAt: performance.now(), response });
  }

  #read(request: IncomingMessage, check: SignatureCheck, delivery: IncomingDelivery): void {
    const { response, codings } = delivery;
    const unproven = this.#unproven;
    const body = new IncomingBody(check, () => this.#overloaded(response, 'unproven_bytes'));
    request.on('data', (chunk: Buffer) => {
      if (response.writableEnded) return;
      if (body.length + chunk.length > this.#options.bodyLimit) {
        unproven.release(body);
        this.#tooLarge(response);
      } else unproven.add(body, chunk);
    });
    request.on('end', () => {
      if (response.writableEnded) return;
      if (body.isProven()) {
        const received = body.bytes();
        unproven.release(body);
        void this.#store(received, delivery);
      } else if (codings.length > 0) void this.#proveDecoded(body, delivery);
      else {
        unproven.release(body);
        this.#notAuthentic(response, 'signature_mismatch');
      }
    });
    request.on('close', () => {
      if (!request.complete) unproven.release(body);
    });
  }

  /** Stores a compressed body whose decoded form is signed. One at a time: a few bytes decode to the limit. */
  async #proveDecoded(body: IncomingBody, delivery: IncomingDelivery): Promise<void> {
    const { response, codings, arrivedAt } = delivery;
    const { bodyLimit, answerTimeoutMs } = this.#options;
    const isGone = () => response.writableEnded || response.destroyed;
    const turn = this.#decoding.then(async (): Promise<Buffer | DeliveryRefusedError | 'late'> => {
      if (isGone() || performance.now() - arrivedAt > answerTimeoutMs) return 'late';
      return decodeBody(body.bytes(), codings, bodyLimit).catch((refusal: DeliveryRefusedError) => refusal);
    });
    this.#decoding = turn;
    const decoded = await turn;
    this.#unproven.release(body);
    if (isGone()) return;
    if (decoded === 'late') this.#overloaded(response, 'decoding');
    else if (Buffer.isBuffer(decoded) && body.provesInstead(decoded))
      await this.#store(decoded, { ...delivery, codings: [] });
    else if (decoded instanceof DeliveryRefusedError && decoded.code === 'DECODED_TOO_LARGE')
      this.#refuse(response, decoded);
    else this.#notAuthentic(response, 'signature_mismatch');
  }

  async #store(received: Buffer, delivery: IncomingDelivery): Promise<void> {
    const { codings, charset, traceparent, arrivedAt, response } = delivery;
    let body = received;
    try {
      if (codings.length > 0) body = await decodeBody(received, codings, this.#options.bodyLimit);
      checkCharset(body, charset);
      await this.#options.store(body, performance.now() - arrivedAt, traceparent);
      this.#options.status.accepted(Date.now());
      this.#answer(response, 200, 'accepted', 'Accepted');
    } catch (error) {
      this.#failed(error, response, body);
    }
  }

  #failed(error: unknown, response: ServerResponse<IncomingMessage>, body: Buffer): void {
    const { log, metrics } = this.#options;
    const delivery_id = deliveryId(body);
    if (error instanceof DeliveryRefusedError) {
      log.warn({ delivery_id, code: error.code, err: error }, 'a delivery was refused, its sender keeps it');
      metrics.refusedAuthentic.inc({ reason: error.published });
      this.#refuse(response, error);
    } else if (error instanceof PublishError) {
      log.warn({ delivery_id, code: error.code, err: error }, 'a delivery could not be stored');
      response.setHeader('retry-after', String(RETRY_AFTER_SECONDS));
      this.#answer(response, 503, 'not_stored', 'Not stored, repeat it.');
    } else {
      log.error({ delivery_id, err: error }, 'a delivery failed');
      this.#answer(response, 500, 'failed', 'Failed, repeat it.');
    }
  }

  /** Counts an expired delivery whose signature matches: our clock is ahead, or it is late. Hashes its bytes as they are dropped. */
  #countIfAuthentic(request: IncomingMessage): void {
    const { secrets, bodyLimit, metrics, status } = this.#options;
    // At the time 0 nothing has expired.
    const check = checkSignature(signatureOf(request.headers), secrets, 0);
    if (typeof check === 'string') return;
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bodyLimit) check.update(chunk);
    });
    request.on('end', () => {
      if (length > bodyLimit || !check.matches()) return;
      metrics.refusedAuthentic.inc({ reason: 'timestamp_expired' });
      status.expired();
    });
  }

  #refuse(
    response: ServerResponse<IncomingMessage>,
    { answer: { status, outcome, text } }: DeliveryRefusedError,
  ): void {
    this.#answer(response, status, outcome, text);
  }

  #overloaded(response: ServerResponse<IncomingMessage>, reason: 'unproven_bytes' | 'decoding'): void {
    this.#options.metrics.overloaded.inc({ reason });
    response.setHeader('retry-after', String(RETRY_AFTER_SECONDS));
    this.#answer(response, 503, 'overloaded', 'Overloaded, repeat it.');
  }

  #notAuthentic(response: ServerResponse<IncomingMessage>, fault: SignatureFault): void {
    this.#options.metrics.refused.inc({ check: fault });
    if (fault === 'signature_mismatch') this.#options.status.forged();
    this.#answer(response, 401, 'not_authentic', FAULT_TEXTS[fault]);
  }

  #tooLarge(response: ServerResponse<IncomingMessage>): void {
    this.#answer(response, 413, 'too_large', `The body is larger than ${this.#options.bodyLimit} bytes.`);
  }

  /** Answers a request for another path or method. The answer never contains the path: it may hold a secret. */
  #wrongTarget(request: IncomingMessage, response: ServerResponse<IncomingMessage>): void {
    const path = pathOf(request);
    if (!isDecodable(path)) this.#answer(response, 400, 'bad_request', 'Bad request.');
    else if (!PATHS.includes(path)) this.#answer(response, 404, 'not_found', 'Not found.');
    else {
      response.setHeader('allow', 'POST');
      this.#answer(response, 405, 'method_not_allowed', 'Only POST is allowed.');
    }
  }

  /** Answers 408 to a request that is too slow, and 400 to bytes that are not HTTP. */
  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    // The sender would take a second answer for that of its next request.
    if (isSlow && this.#answeredEarly.has(socket)) socket.destroy();
    else
      refuseWith(error, socket, () => {
        this.#options.metrics.requests.inc({ outcome: isSlow ? 'too_slow' : 'bad_request' });
        const [status, text] = isSlow
          ? ['408 Request Timeout', 'Too slow.']
          : ['400 Bad Request', 'Bad request.'];
        return rawAnswer(status, text, { 'content-type': 'text/plain; charset=utf-8' });
      });
  }

  /** Answers a request, and drops the rest of its body until the timeout: a closed connection would discard the answer. */
  #answer(
    response: ServerResponse<IncomingMessage>,
    status: number,
    outcome: RequestOutcome,
    line: string,
  ): void {
    this.#options.metrics.requests.inc({ outcome });
    const { req } = response;
    if (!req.complete) {
      this.#answeredEarly.add(req.socket);
      req.resume();
    }
    // A kept-alive connection would delay the close of the server until it times out.
    if (this.#draining) response.setHeader('connection', 'close');
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': line.length,
    });
    response.end(line);
  }
}
