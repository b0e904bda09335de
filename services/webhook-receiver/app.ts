import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { deliveryId } from '#ingestion/delivery.ts';
import { createHttpServer, TEXT_HEADERS } from '#service/http-server.ts';
import type { Logger } from '#service/logger.ts';
import type { ServerTlsFiles } from '#service/server-tls.ts';
import { checkSignature, SIGNATURE_HEADER, type SignatureFault, TIMESTAMP_HEADER } from '#signing/signing.ts';
import { PublishError } from '#streams/errors.ts';
import {
  type Admission,
  type AdmissionLimits,
  IncomingBody,
  RETRY_AFTER_SECONDS,
  type SenderConnection,
  SenderConnections,
} from './admission.ts';
import type { RequestOutcome, RequestTally } from './tally.ts';

export type ReceiverAppOptions = {
  readonly secrets: readonly string[];
  /** Largest accepted body, bytes. */
  readonly bodyLimit: number;
  /** Longest time from the head of a request to its end, milliseconds. */
  readonly answerTimeoutMs: number;
  readonly limits: AdmissionLimits;
  /** Null: plain HTTP. */
  readonly tls?: ServerTlsFiles | null;
  /**
   * Resolves when all records of an authentic delivery are on the topics; rejects with `PublishError` at the deadline,
   * counted from `waitedMs` ago. `from`: the sender's trace (W3C Trace Context).
   */
  readonly store: (body: Buffer, waitedMs: number, from?: string) => Promise<void>;
  readonly tally: RequestTally;
  readonly log: Logger;
};

const PATH = '/webhook';

/** The answer's text for a delivery that is not authentic. */
const FAULTS: Readonly<Record<SignatureFault, string>> = {
  timestamp_missing: `The header ${TIMESTAMP_HEADER} is missing.`,
  timestamp_malformed: `The header ${TIMESTAMP_HEADER} is not a positive whole number.`,
  timestamp_expired: 'The signature has expired.',
  timestamp_too_far: 'The signature expires too far in the future.',
  signature_missing: `The header ${SIGNATURE_HEADER} is missing.`,
  signature_malformed: `The header ${SIGNATURE_HEADER} is not 64 lower-case hex digits.`,
  signature_mismatch: 'The signature does not match.',
};

/**
 * The HTTP side of the receiver. `POST /webhook` (spec, "Events"): 200 `Accepted` once all records of the delivery are on the
 * topics, and never before. Checks in this order: the announced size (413), expiration and form of the signature (401), both before
 * the body is read; then the received size (413) and the signature (401); the body is parsed only after that. 503 where the broker
 * has not acknowledged all records in time, or where too many unproven bytes arrive at once: the sender repeats the delivery. Every
 * other answer leaves nothing on a topic. Bodies of answers are one line of text.
 */
export class ReceiverApp {
  readonly #options: ReceiverAppOptions;
  readonly #server: Server;
  readonly #connections: SenderConnections;
  #draining = false;

  constructor(options: ReceiverAppOptions) {
    this.#options = options;
    const { answerTimeoutMs, limits, tally, tls = null } = options;
    const server = { requestMs: answerTimeoutMs, maxConnections: null, ownHeaders: true, tls };
    this.#server = createHttpServer(server);
    this.#connections = new SenderConnections(this.#server, limits, tally);
    this.#server.on('request', (request, response) => this.#handle(request, response, false));
    this.#server.on('checkContinue', (request, response) => this.#handle(request, response, true));
  }

  /** Resolves to the port once it listens. */
  async listen(options: ListenOptions): Promise<number> {
    await once(this.#server.listen(options), 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on each answer ends its connection. */
  drain(): void {
    this.#draining = true;
  }

  /** Stops listening, and resolves when every pending request is answered. */
  async close(): Promise<void> {
    this.drain();
    const closed = once(this.#server.close(), 'close');
    this.#connections.close();
    await closed;
  }

  /** Which connections and bodies it holds. */
  get admission(): Admission {
    return this.#connections.admission;
  }

  #handle(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const connection = this.#connections.of(request.socket);
    if (connection.refused) return;
    connection.requests += 1;
    connection.answeredEarly = false;
    this.#receive(request, response, connection, expectsContinue);
    connection.answeredEarly = response.writableEnded;
  }

  /** Answers where the head of a request is enough, else reads the body. */
  #receive(
    request: IncomingMessage,
    response: ServerResponse,
    connection: SenderConnection,
    expectsContinue: boolean,
  ): void {
    const { shouldKeepAlive } = response;
    // A sender refused before `100 Continue` may send the body or another request next: they look alike.
    if (expectsContinue) response.shouldKeepAlive = false;
    if (request.method !== 'POST' || pathOf(request) !== PATH) {
      this.#elsewhere(request, response);
      return;
    }
    const { headers } = request;
    const length = headers['content-length'];
    const announced = length === undefined ? null : Number(length);
    if (announced !== null && announced > this.#options.bodyLimit) {
      this.#tooLarge(response);
      return;
    }
    const signature = {
      timestamp: text(headers[TIMESTAMP_HEADER]),
      signature: text(headers[SIGNATURE_HEADER]),
    };
    const check = checkSignature(signature, this.#options.secrets, Date.now());
    if (typeof check === 'string') {
      this.#notAuthentic(response, check);
      return;
    }
    if (expectsContinue) {
      response.shouldKeepAlive = shouldKeepAlive;
      response.writeContinue();
    }
    this.#read(request, response, connection, new IncomingBody(check, announced));
  }

  /** Reads the body, and stores it once it is proven. */
  #read(
    request: IncomingMessage,
    response: ServerResponse,
    connection: SenderConnection,
    incoming: IncomingBody,
  ): void {
    const { admission } = this;
    const arrivedAt = performance.now();
    let body: IncomingBody | null = incoming;
    const done = (): void => {
      admission.release(connection);
      connection.reading = false;
      body = null;
    };
    connection.since = arrivedAt;
    connection.reading = true;
    connection.drop = done;
    request.on('data', (chunk: Buffer) => {
      if (body === null) return;
      if (body.length + chunk.length > this.#options.bodyLimit) {
        done();
        connection.answeredEarly = true;
        this.#tooLarge(response);
      } else if (admission.hold(connection, body.cost(chunk), performance.now())) body.add(chunk);
    });
    request.on('end', () => {
      if (body === null) return;
      const proven = body.proven();
      done();
      if (proven === null) {
        this.#notAuthentic(response, 'signature_mismatch');
        return;
      }
      connection.proven = true;
      void this.#store(proven, arrivedAt, response, connection, text(request.headers.traceparent));
    });
  }

  async #store(
    body: Buffer,
    arrivedAt: number,
    response: ServerResponse,
    connection: SenderConnection,
    from: string | undefined,
  ): Promise<void> {
    connection.waiting += 1;
    try {
      await this.#options.store(body, performance.now() - arrivedAt, from);
      this.#answer(response, 200, 'accepted', 'Accepted');
    } catch (error) {
      this.#failed(error, response, body);
    } finally {
      connection.waiting -= 1;
    }
  }

  #failed(error: unknown, response: ServerResponse, body: Buffer): void {
    const { log } = this.#options;
    const delivery_id = deliveryId(body);
    if (error instanceof PublishError) {
      log.warn({ delivery_id, code: error.code, err: error }, 'a delivery could not be stored');
      response.setHeader('retry-after', String(RETRY_AFTER_SECONDS));
      this.#answer(response, 503, 'not_stored', 'Not stored, repeat it.');
    } else {
      log.error({ delivery_id, err: error }, 'a delivery failed');
      this.#answer(response, 500, 'failed', 'Failed, repeat it.');
    }
  }

  #notAuthentic(response: ServerResponse, fault: SignatureFault): void {
    this.#options.tally.count('refused', fault);
    this.#answer(response, 401, 'not_authentic', FAULTS[fault]);
  }

  #tooLarge(response: ServerResponse): void {
    this.#answer(response, 413, 'too_large', `The body is larger than ${this.#options.bodyLimit} bytes.`);
  }

  /** Another path or another method. The answer repeats nothing of the address. */
  #elsewhere(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request);
    if (!isEncoded(path)) this.#answer(response, 400, 'bad_request', 'Bad request.');
    else if (path !== PATH) this.#answer(response, 404, 'not_found', 'Not found.');
    else {
      response.setHeader('allow', 'POST');
      this.#answer(response, 405, 'method_not_allowed', 'Only POST is allowed.');
    }
  }

  /**
   * Answers a request. Reads and drops the rest of its body until the request's time is up: closing the connection at once
   * would discard the answer on the sender's side.
   */
  #answer(response: ServerResponse, status: number, outcome: RequestOutcome, line: string): void {
    this.#options.tally.count('answered', outcome);
    // A connection that is kept open would delay the end of the server until it times out.
    if (this.#draining) response.setHeader('connection', 'close');
    response.writeHead(status, {
      ...TEXT_HEADERS,
      'content-type': 'text/plain; charset=utf-8',
      'content-length': line.length,
    });
    response.end(line);
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** A repeated header arrives as one text with a comma, which is valid in neither of the two. */
function text(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

function isEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
