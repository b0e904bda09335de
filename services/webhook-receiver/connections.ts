import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { rawAnswer } from '#service/http-server.ts';
import { Admission, type AdmissionLimits, AdmittedConnection, type OverloadReason } from './admission.ts';
import type { RequestOutcome, RequestTally } from './tally.ts';

/** How long a refused sender may continue to send before its connection is cut: a cut discards the answer. */
const LINGER_MS = 1_000;

/** Connections of TLS, those in a handshake included, for each that is admitted. */
const HANDSHAKES = 2;

/** Retry-After of a refusal, seconds. */
export const RETRY_AFTER_SECONDS = 1;

const OVERLOADED = 'Overloaded, repeat it.';

/** One connection to the receiver. */
export class Connection {
  readonly admitted: AdmittedConnection;
  /** Whether its last answer was given, except for the current request: nothing more of it is read. */
  refused = false;
  /** Whether the body of an unanswered request is being read. */
  reading = false;
  /** Whether the last request was answered before its whole body was received. */
  answeredEarly = false;
  /** Requests read and not answered yet. */
  waiting = 0;
  /** Requests whose head was read. */
  requests = 0;
  /** Drops the body in progress. */
  drop: () => void = () => {};

  constructor(refuse: (reason: OverloadReason) => void) {
    this.admitted = new AdmittedConnection(refuse);
  }
}

/** The connections of a server, within the limits, and the answers that end one early. */
export class SenderConnections {
  readonly admission: Admission;
  readonly #tally: RequestTally;
  readonly #limits: AdmissionLimits;
  readonly #open = new WeakMap<Socket, Connection>();
  /** Refused, and not closed by their senders yet. */
  readonly #lingering = new Set<Socket>();

  constructor(server: Server, limits: AdmissionLimits, tally: RequestTally) {
    this.admission = new Admission(limits);
    this.#limits = limits;
    this.#tally = tally;
    // With TLS requests come over the socket of TLS; those in a handshake are limited by number and time.
    const isTls = server instanceof TlsServer;
    if (isTls) server.maxConnections = limits.maxConnections * HANDSHAKES;
    server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => this.#enter(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.#failed(error, socket));
  }

  of(socket: Socket): Connection {
    const connection = this.#open.get(socket);
    if (connection === undefined) throw new Error('a request of a connection that was never opened');
    return connection;
  }

  /** Cuts the connections that only wait for their senders to close them. */
  close(): void {
    for (const socket of this.#lingering) socket.destroy();
  }

  #enter(socket: Socket): void {
    const connection = new Connection((reason) => this.#overloaded(socket, connection, reason));
    this.#open.set(socket, connection);
    socket.on('close', () => {
      this.#lingering.delete(socket);
      this.admission.leave(connection.admitted);
      connection.drop();
    });
    this.admission.enter(connection.admitted);
  }

  #overloaded(socket: Socket, connection: Connection, reason: OverloadReason): void {
    this.#tally.count('overloaded', reason);
    // Between two requests an answer would be taken for that of the next one.
    const idle = !connection.reading && connection.requests > 0;
    if (idle || connection.waiting > 0) this.#cut(socket, connection);
    else this.#end(socket, connection, 'overloaded', '503 Service Unavailable', OVERLOADED);
  }

  /** Answers what is no request: too slow, or not HTTP. */
  #failed(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.refused || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const slow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (connection.waiting > 0 || (slow && connection.answeredEarly)) this.#cut(socket, connection);
    else if (slow) this.#end(socket, connection, 'too_slow', '408 Request Timeout', 'Too slow.');
    else this.#end(socket, connection, 'bad_request', '400 Bad Request', 'Bad request.');
  }

  #cut(socket: Socket, connection: Connection): void {
    connection.refused = true;
    connection.drop();
    socket.destroy();
  }

  /** The last answer of a connection, whatever is being read. Later bytes are dropped. */
  #end(socket: Socket, connection: Connection, outcome: RequestOutcome, status: string, text: string): void {
    this.#tally.count('answered', outcome);
    if (!socket.writable || this.#lingering.size >= this.#limits.maxConnections) {
      this.#cut(socket, connection);
      return;
    }
    connection.refused = true;
    connection.drop();
    this.admission.leave(connection.admitted);
    const headers = outcome === 'overloaded' ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {};
    socket.end(rawAnswer(status, text, { 'content-type': 'text/plain; charset=utf-8', ...headers }));
    this.#lingering.add(socket);
    const cut = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.on('end', () => socket.destroy()).on('close', () => clearTimeout(cut));
    socket.resume();
  }
}
