import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { deliveryId } from '#ingestion/delivery.ts';
import { createHttpServer } from '#service/http-server.ts';
import type { Logger } from '#service/logger.ts';
import type { ServerTlsFiles } from '#service/server-tls.ts';
import { checkSignature, type SignatureFault } from '#signing/signing.ts';
import { PublishError } from '#streams/errors.ts';
import {
  type Admission,
  type AdmissionLimits,
  IncomingBody,
  OVERLOADED,
  RETRY_AFTER_SECONDS,
  type SenderConnection,
  SenderConnections,
} from './admission.ts';
import {
  ACCEPTED_CODINGS,
  type BodyCharset,
  type ContentCodings,
  charsetOf,
  checkCharset,
  codingsOf,
  decodeBody,
} from './content-coding.ts';
import { DeliveryRefusedError, FAULT_TEXTS } from './refusal.ts';
import { headerText, isDecodable, pathOf, signatureOf } from './request-head.ts';
import type { RequestOutcome, RequestTally } from './tally.ts';
import { UnprovenDecoding } from './unproven-decoding.ts';

export type ReceiverAppOptions = {
  readonly secrets: readonly string[];
  /** Largest accepted body, bytes. */
  readonly bodyLimit: number;
  /** Timeout of receiving a request, milliseconds. */
  readonly answerTimeoutMs: number;
  readonly limits: AdmissionLimits;
  /** Null: plain HTTP. */
  readonly tls?: ServerTlsFiles | null;
  /**
   * Stores an authentic delivery. Resolves when all its records are on the topics; rejects with `PublishError` at the
   * deadline, of whose timeout `waitedMs` have passed, and with `DeliveryRefusedError`. `traceparent`: the sender's trace
   * (W3C Trace Context).
   */
  readonly store: (body: Buffer, waitedMs: number, traceparent?: string) => Promise<void>;
  readonly tally: RequestTally;
  readonly log: Logger;
};

const PATHS: readonly string[] = ['/webhook', '/webhook/'];

/** A delivery whose body is read. */
type IncomingDelivery = {
  readonly codings: ContentCodings;
  readonly charset: BodyCharset;
  readonly traceparent: string | undefined;
  /** When its head was read, on the clock of `performance.now`. */
  readonly arrivedAt: number;
  readonly response: ServerResponse;
  readonly connection: SenderConnection;
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
  readonly #connections: SenderConnections;
  #draining = false;
  readonly #unproven: UnprovenDecoding;

  constructor(options: ReceiverAppOptions) {
    this.#options = options;
    const { answerTimeoutMs, bodyLimit, limits, tally, tls = null } = options;
    this.#unproven = new UnprovenDecoding(bodyLimit, answerTimeoutMs);
    this.#server = createHttpServer({ requestMs: answerTimeoutMs, maxConnections: null, tls });
    this.#connections = new SenderConnections(this.#server, limits, tally);
    this.#server.on('request', (request, response) => this.#handle(request, response, false));
    this.#server.on('checkContinue', (request, response) => this.#handle(request, response, true));
  }

  /** Starts listening. Resolves to the port. */
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
    const closed = once(this.#server.close(), 'close');
    this.#connections.close();
    await closed;
  }

  /** The open connections and the bytes that they hold. */
  get admission(): Admission {
    return this.#connections.admission;
  }

  #handle(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const connection = this.#connections.of(request.socket);
    if (connection.refused) return;
    if (connection.readingBody) {
      // The body before is still being decoded, and memory is counted by connection. The sender repeats both.
      request.socket.destroy();
      return;
    }
    connection.requests += 1;
    connection.answeredEarly = false;
    this.#receive(request, response, connection, expectsContinue);
    connection.answeredEarly = response.writableEnded;
  }

  /** Answers when the head of the request suffices, else reads the body. */
  #receive(
    request: IncomingMessage,
    response: ServerResponse,
    connection: SenderConnection,
    expectsContinue: boolean,
  ): void {
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
    const arrivedAt = performance.now();
    const delivery = { codings, charset, traceparent, arrivedAt, response, connection };
    this.#read(request, new IncomingBody(check, announced), delivery);
  }

  /** Reads the body, and stores it when its signature matches. */
  #read(request: IncomingMessage, incoming: IncomingBody, delivery: IncomingDelivery): void {
    const { admission } = this;
    const { connection, response, codings, arrivedAt } = delivery;
    let body: IncomingBody | null = incoming;
    const done = (): void => {
      admission.release(connection);
      connection.readingBody = false;
      body = null;
    };
    connection.headReadAt = arrivedAt;
    connection.readingBody = true;
    connection.drop = done;
    request.on('data', (chunk: Buffer) => {
      if (body === null) return;
      if (body.length + chunk.length > this.#options.bodyLimit) {
        done();
        connection.answeredEarly = true;
        this.#tooLarge(response);
      } else if (admission.reserve(connection, body.cost(chunk), performance.now())) body.add(chunk);
    });
    request.on('end', () => {
      if (body === null) return;
      const proven = body.proven();
      if (proven === null && codings.length > 0) {
        void this.#proveDecoded(body, delivery, () => body !== null, done);
        return;
      }
      done();
      if (proven === null) this.#notAuthentic(response, 'signature_mismatch');
      else void this.#store(proven, delivery);
    });
  }

  /**
   * Stores a compressed body when the signature matches its decoded form, which some senders sign. `isHeld`: whether the
   * connection still waits for an answer.
   */
  async #proveDecoded(
    incoming: IncomingBody,
    delivery: IncomingDelivery,
    isHeld: () => boolean,
    done: () => void,
  ): Promise<void> {
    const { response } = delivery;
    const decoded = await this.#unproven.decode(incoming, delivery, isHeld);
    if (!isHeld()) return;
    done();
    if (decoded === 'late') this.#overloaded(response);
    else if (Buffer.isBuffer(decoded) && incoming.provesInstead(decoded))
      await this.#store(decoded, { ...delivery, codings: [] });
    else if (decoded instanceof DeliveryRefusedError && decoded.code === 'DECODED_TOO_LARGE')
      this.#refuse(response, decoded);
    else this.#notAuthentic(response, 'signature_mismatch');
  }

  /** Decodes and stores an authentic body. */
  async #store(received: Buffer, delivery: IncomingDelivery): Promise<void> {
    const { codings, charset, traceparent, arrivedAt, response, connection } = delivery;
    let body = received;
    connection.proven = true;
    connection.pending += 1;
    try {
      if (codings.length > 0) body = await decodeBody(received, codings, this.#options.bodyLimit);
      checkCharset(body, charset);
      await this.#options.store(body, performance.now() - arrivedAt, traceparent);
      this.#answer(response, 200, 'accepted', 'Accepted');
    } catch (error) {
      this.#failed(error, response, body);
    } finally {
      connection.pending -= 1;
    }
  }

  #failed(error: unknown, response: ServerResponse, body: Buffer): void {
    const { log, tally } = this.#options;
    const delivery_id = deliveryId(body);
    if (error instanceof DeliveryRefusedError) {
      log.warn({ delivery_id, code: error.code, err: error }, 'a delivery was refused, its sender keeps it');
      tally.count('refusedAuthentic', error.published);
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

  /**
   * Counts an expired delivery whose signature matches: our clock is ahead, or the delivery late. It is answered already;
   * its bytes are hashed as they are dropped.
   */
  #countIfAuthentic(request: IncomingMessage): void {
    const { secrets, bodyLimit, tally } = this.#options;
    // At the time 0 nothing has expired.
    const check = checkSignature(signatureOf(request.headers), secrets, 0);
    if (typeof check === 'string') return;
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bodyLimit) check.update(chunk);
    });
    request.on('end', () => {
      if (length <= bodyLimit && check.matches()) tally.count('refusedAuthentic', 'timestamp_expired');
    });
  }

  #refuse(response: ServerResponse, { answer: { status, outcome, text } }: DeliveryRefusedError): void {
    this.#answer(response, status, outcome, text);
  }

  #overloaded(response: ServerResponse): void {
    this.#options.tally.count('overloaded', 'decoding');
    response.setHeader('retry-after', String(RETRY_AFTER_SECONDS));
    this.#answer(response, 503, 'overloaded', OVERLOADED);
  }

  #notAuthentic(response: ServerResponse, fault: SignatureFault): void {
    this.#options.tally.count('refused', fault);
    this.#answer(response, 401, 'not_authentic', FAULT_TEXTS[fault]);
  }

  #tooLarge(response: ServerResponse): void {
    this.#answer(response, 413, 'too_large', `The body is larger than ${this.#options.bodyLimit} bytes.`);
  }

  /** Answers a request for another path or method. The answer never contains the path: it may hold a secret. */
  #wrongTarget(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request);
    if (!isDecodable(path)) this.#answer(response, 400, 'bad_request', 'Bad request.');
    else if (!PATHS.includes(path)) this.#answer(response, 404, 'not_found', 'Not found.');
    else {
      response.setHeader('allow', 'POST');
      this.#answer(response, 405, 'method_not_allowed', 'Only POST is allowed.');
    }
  }

  /**
   * Answers a request. The rest of its body is read and dropped until the request times out: closing the connection at
   * once would discard the answer on the sender's side.
   */
  #answer(response: ServerResponse, status: number, outcome: RequestOutcome, line: string): void {
    this.#options.tally.count('answered', outcome);
    // A kept-alive connection would delay the close of the server until it times out.
    if (this.#draining) response.setHeader('connection', 'close');
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': line.length,
    });
    response.end(line);
  }
}
