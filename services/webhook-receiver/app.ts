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
  /** Timeout of receiving a request, milliseconds. */
  readonly answerTimeoutMs: number;
  readonly limits: AdmissionLimits;
  /** Null: plain HTTP. */
  readonly tls?: ServerTlsFiles | null;
  /**
   * Stores an authentic delivery. Resolves when all its records are on the topics; rejects with `PublishError` at the
   * deadline, of whose timeout `waitedMs` have passed. `traceparent`: the sender's trace (W3C Trace Context).
   */
  readonly store: (body: Buffer, waitedMs: number, traceparent?: string) => Promise<void>;
  readonly tally: RequestTally;
  readonly log: Logger;
};

const PATH = '/webhook';

/** Texts of the 401 answers. */
const FAULT_TEXTS: Readonly<Record<SignatureFault, string>> = {
  timestamp_missing: `The header ${TIMESTAMP_HEADER} is missing.`,
  timestamp_malformed: `The header ${TIMESTAMP_HEADER} is not a positive whole number.`,
  timestamp_expired: 'The signature has expired.',
  timestamp_too_far: 'The signature expires too far in the future.',
  signature_missing: `The header ${SIGNATURE_HEADER} is missing.`,
  signature_malformed: `The header ${SIGNATURE_HEADER} is not 64 lower-case hex digits.`,
  signature_mismatch: 'The signature does not match.',
};

/**
 * The HTTP side of the receiver: `POST /webhook` (spec, "Events"). Answers 200 `Accepted` only after all records of the
 * delivery are on the topics. Before reading the body it checks the announced size (413), then the expiration and form of
 * the signature (401). Then it checks the received size (413) and the signature (401), and only then parses the body.
 * Answers 503 when the broker has not acknowledged all records in time, or when too many unproven bytes are held: the
 * sender repeats the delivery. Every answer but 200 and such a timeout leaves no record. Each answer is one line of text.
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
    if (request.method !== 'POST' || pathOf(request) !== PATH) {
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
    const signature = {
      timestamp: headerText(headers[TIMESTAMP_HEADER]),
      signature: headerText(headers[SIGNATURE_HEADER]),
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

  /** Reads the body, and stores it when its signature matches. */
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
      done();
      if (proven === null) {
        this.#notAuthentic(response, 'signature_mismatch');
        return;
      }
      connection.proven = true;
      void this.#store(proven, arrivedAt, response, connection, headerText(request.headers.traceparent));
    });
  }

  async #store(
    body: Buffer,
    arrivedAt: number,
    response: ServerResponse,
    connection: SenderConnection,
    traceparent: string | undefined,
  ): Promise<void> {
    connection.pending += 1;
    try {
      await this.#options.store(body, performance.now() - arrivedAt, traceparent);
      this.#answer(response, 200, 'accepted', 'Accepted');
    } catch (error) {
      this.#failed(error, response, body);
    } finally {
      connection.pending -= 1;
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
    this.#answer(response, 401, 'not_authentic', FAULT_TEXTS[fault]);
  }

  #tooLarge(response: ServerResponse): void {
    this.#answer(response, 413, 'too_large', `The body is larger than ${this.#options.bodyLimit} bytes.`);
  }

  /** Answers a request for another path or method. The answer never contains the path: it may hold a secret. */
  #wrongTarget(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request);
    if (!isDecodable(path)) this.#answer(response, 400, 'bad_request', 'Bad request.');
    else if (path !== PATH) this.#answer(response, 404, 'not_found', 'Not found.');
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

/** Returns the value of a header. A repeated one becomes one text with a comma, which is valid in neither signature header. */
function headerText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
