import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { promisify } from 'node:util';
import { deliveryId } from '#ingestion/delivery.ts';
import { createHttpServer, rawAnswer, refuseWith } from '#service/http-server.ts';
import type { Logger } from '#service/logger.ts';
import { serverTlsFiles } from '#service/server-tls.ts';
import {
  checkSignature,
  SIGNATURE_HEADER,
  type SignatureCheck,
  type SignatureFault,
  TIMESTAMP_HEADER,
} from '#signing/signing.ts';
import { PublishError } from '#streams/errors.ts';
import type { ReceiverConfig } from './config.ts';
import {
  type BodyCharset,
  type ContentCodings,
  charsetOf,
  checkCharset,
  codingsOf,
  decodeBody,
} from './content-coding.ts';
import type { ReceiverMetrics } from './metrics.ts';
import { ANSWERS, DeliveryRefusedError, FAULT_TEXTS, type ReceiverAnswer } from './refusal.ts';
import type { SourceStatus } from './source-status.ts';
import { IncomingBody, UnprovenBodies } from './unproven-bodies.ts';

export type ReceiverAppOptions = {
  readonly config: Parameters<typeof serverTlsFiles>[0] &
    Pick<
      ReceiverConfig,
      | 'WEBHOOK_SECRET'
      | 'BODY_LIMIT'
      | 'PATIENCE_MS'
      | 'WEBHOOK_MAX_CONNECTIONS'
      | 'WEBHOOK_MAX_UNPROVEN_BYTES'
    >;
  /** Resolves when all records are on the topics. Rejects with `PublishError`, `DeliveryRefusedError`. `traceparent`: the sender's. */
  readonly store: (body: Buffer, waitedMs: number, traceparent?: string) => Promise<void>;
  readonly metrics: ReceiverMetrics;
  readonly status: SourceStatus;
  readonly log: Logger;
};

const PATHS: readonly string[] = ['/webhook', '/webhook/'];

type DeliveryHead = {
  readonly check: SignatureCheck;
  readonly codings: ContentCodings;
  readonly charset: BodyCharset;
  readonly traceparent: string | undefined;
};

type IncomingDelivery = Omit<DeliveryHead, 'check'> & {
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
  readonly #tooLarge: ReceiverAnswer;
  /** Connections whose last request was answered before its body was received. */
  readonly #answeredEarly = new WeakSet<Socket>();
  /** Resolves when no body is being decoded before its proof. */
  #decoding: Promise<unknown> = Promise.resolve();
  #draining = false;

  constructor(options: ReceiverAppOptions) {
    this.#options = options;
    const { config, log } = options;
    const { PATIENCE_MS: requestMs, WEBHOOK_MAX_CONNECTIONS: maxConnections } = config;
    this.#unproven = new UnprovenBodies(config.WEBHOOK_MAX_UNPROVEN_BYTES);
    const text = `The body is larger than ${config.BODY_LIMIT} bytes.`;
    this.#tooLarge = { status: 413, outcome: 'too_large', text };
    this.#server = createHttpServer({ requestMs, maxConnections, tls: serverTlsFiles(config), log })
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
    const head = this.#headOf(request);
    if ('status' in head) this.#answer(response, head);
    else {
      if (expectsContinue) {
        response.shouldKeepAlive = shouldKeepAlive;
        response.writeContinue();
      }
      this.#read(request, head.check, { ...head, arrivedAt: performance.now(), response });
    }
  }

  /** Returns what the head of a delivery says, or the answer to it. */
  #headOf(request: IncomingMessage): DeliveryHead | ReceiverAnswer {
    const { headers, method, url = '' } = request;
    if (!PATHS.includes(url.split('?', 1)[0] as string)) return ANSWERS.not_found;
    if (method !== 'POST') return ANSWERS.method_not_allowed;
    if (Number(headers['content-length'] ?? 0) > this.#options.config.BODY_LIMIT) return this.#tooLarge;
    const check = this.#checkOf(headers, Date.now());
    if (typeof check === 'string') {
      if (check === 'timestamp_expired') this.#countIfAuthentic(request);
      return this.#notAuthentic(check);
    }
    const codings = codingsOf(headers['content-encoding']);
    if (codings === null) return ANSWERS.unknown_coding;
    const charset = charsetOf(headers['content-type']);
    if (charset === 'other') return ANSWERS.not_utf8;
    return { check, codings, charset, traceparent: headers.traceparent?.toString() };
  }

  #read(request: IncomingMessage, check: SignatureCheck, delivery: IncomingDelivery): void {
    const { response, codings } = delivery;
    const unproven = this.#unproven;
    const body = new IncomingBody(check, () => this.#overloaded(response, 'unproven_bytes'));
    request.on('data', (chunk: Buffer) => {
      if (response.writableEnded) return;
      if (body.length + chunk.length > this.#options.config.BODY_LIMIT) {
        unproven.release(body);
        this.#answer(response, this.#tooLarge);
      } else unproven.add(body, chunk);
    });
    request.on('end', () => {
      if (response.writableEnded) return;
      if (check.matches()) {
        const received = body.bytes();
        unproven.release(body);
        void this.#store(received, delivery);
      } else if (codings.length > 0) void this.#proveDecoded(body, delivery);
      else {
        unproven.release(body);
        this.#answer(response, this.#notAuthentic('signature_mismatch'));
      }
    });
    request.on('close', () => {
      if (!request.complete) unproven.release(body);
    });
  }

  /** Stores a compressed body whose decoded form is signed. One at a time: a few bytes decode to the limit. */
  async #proveDecoded(body: IncomingBody, delivery: IncomingDelivery): Promise<void> {
    const { response, codings, arrivedAt } = delivery;
    const { BODY_LIMIT, PATIENCE_MS } = this.#options.config;
    const isGone = () => response.writableEnded || response.destroyed;
    const turn = this.#decoding.then(async (): Promise<Buffer | DeliveryRefusedError | 'late'> => {
      if (isGone() || performance.now() - arrivedAt > PATIENCE_MS) return 'late';
      return decodeBody(body.bytes(), codings, BODY_LIMIT).catch((refusal: DeliveryRefusedError) => refusal);
    });
    this.#decoding = turn;
    const decoded = await turn;
    this.#unproven.release(body);
    if (isGone()) return;
    if (decoded === 'late') this.#overloaded(response, 'decoding');
    else if (Buffer.isBuffer(decoded) && body.check.matchesInstead(decoded))
      await this.#store(decoded, { ...delivery, codings: [] });
    else if (decoded instanceof DeliveryRefusedError && decoded.code === 'DECODED_TOO_LARGE')
      this.#answer(response, decoded.answer);
    else this.#answer(response, this.#notAuthentic('signature_mismatch'));
  }

  async #store(received: Buffer, delivery: IncomingDelivery): Promise<void> {
    const { codings, charset, traceparent, arrivedAt, response } = delivery;
    let body = received;
    try {
      if (codings.length > 0) body = await decodeBody(received, codings, this.#options.config.BODY_LIMIT);
      checkCharset(body, charset);
      await this.#options.store(body, performance.now() - arrivedAt, traceparent);
      this.#options.status.accepted(Date.now());
      this.#answer(response, ANSWERS.accepted);
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
      this.#answer(response, error.answer);
    } else if (error instanceof PublishError) {
      log.warn({ delivery_id, code: error.code, err: error }, 'a delivery could not be stored');
      this.#answer(response, ANSWERS.not_stored);
    } else {
      log.error({ delivery_id, err: error }, 'a delivery failed');
      this.#answer(response, ANSWERS.failed);
    }
  }

  /** Counts an expired delivery whose signature matches: our clock is ahead, or it is late. Hashes its bytes as they are dropped. */
  #countIfAuthentic(request: IncomingMessage): void {
    const { config, metrics, status } = this.#options;
    // At the time 0 nothing has expired.
    const check = this.#checkOf(request.headers, 0);
    if (typeof check === 'string') return;
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= config.BODY_LIMIT) check.update(chunk);
    });
    request.on('end', () => {
      if (length > config.BODY_LIMIT || !check.matches()) return;
      metrics.refusedAuthentic.inc({ reason: 'timestamp_expired' });
      status.expired();
    });
  }

  #checkOf(headers: IncomingHttpHeaders, now: number): SignatureCheck | SignatureFault {
    // A repeated header is one text with a comma, which is valid in neither.
    const [timestamp, signature] = [TIMESTAMP_HEADER, SIGNATURE_HEADER].map((name) =>
      headers[name]?.toString(),
    );
    return checkSignature({ timestamp, signature }, this.#options.config.WEBHOOK_SECRET, now);
  }

  #overloaded(response: ServerResponse<IncomingMessage>, reason: 'unproven_bytes' | 'decoding'): void {
    this.#options.metrics.overloaded.inc({ reason });
    this.#answer(response, ANSWERS.overloaded);
  }

  #notAuthentic(fault: SignatureFault): ReceiverAnswer {
    this.#options.metrics.refused.inc({ check: fault });
    if (fault === 'signature_mismatch') this.#options.status.forged();
    return { status: 401, outcome: 'not_authentic', text: FAULT_TEXTS[fault] };
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
    { status, outcome, text, headers }: ReceiverAnswer,
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
      'content-length': text.length,
      ...headers,
    });
    response.end(text);
  }
}
