/** What a sender may hold before it has proven to be the provider: a connection, and memory for a body. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { rawAnswer } from '#service/http-server.ts';
import type { SignatureCheck } from '#signing/signing.ts';
import type { OverloadReason, RequestOutcome, RequestTally } from './tally.ts';

/** Blocks grow with the body, from and to these sizes. */
const SMALLEST_BLOCK = 4 * 1024;
const LARGEST_BLOCK = 64 * 1024;
/** Memory of a body beside its bytes: its objects, and the state of its signature. */
const OVERHEAD = 1024;
/** Most bytes that are held for a body beside its own: its objects, and the rest of its last block. */
export const MOST_BESIDE_BODY = OVERHEAD + LARGEST_BLOCK;

/**
 * A body in progress: hashes its bytes as they arrive and copies them into blocks, so that the memory held matches the
 * count however small the parts are. Memory follows the received bytes, never the announced length.
 */
export class IncomingBody {
  /** Bytes received. */
  length = 0;
  readonly #check: SignatureCheck;
  /** Null where the sender did not announce it. */
  readonly #announced: number | null;
  readonly #blocks: Buffer[] = [];
  /** Free bytes of the last block. */
  #room = 0;

  constructor(check: SignatureCheck, announced: number | null) {
    this.#check = check;
    this.#announced = announced;
  }

  /** Bytes allocated once `chunk` is stored. */
  cost(chunk: Buffer): number {
    const overhead = this.length === 0 ? OVERHEAD : 0;
    return overhead + (this.#isWhole(chunk) ? chunk.length : this.#blockFor(chunk.length));
  }

  /** Stores a part of the body. */
  add(chunk: Buffer): void {
    this.#check.update(chunk);
    if (this.#isWhole(chunk)) this.#blocks.push(chunk);
    else {
      const size = this.#blockFor(chunk.length);
      const last = this.#blocks.at(-1);
      const copied = last === undefined ? 0 : chunk.copy(last, last.length - this.#room);
      this.#room -= copied;
      if (size > 0) {
        const block = Buffer.allocUnsafeSlow(size);
        this.#blocks.push(block);
        this.#room = size - chunk.copy(block, 0, copied);
      }
    }
    this.length += chunk.length;
  }

  /** The whole body where its signature matches, else null. Call it once. */
  proven(): Buffer | null {
    if (!this.#check.matches()) return null;
    const [only] = this.#blocks;
    if (only !== undefined && this.#blocks.length === 1) return only.subarray(0, this.length);
    return Buffer.concat(this.#blocks, this.length);
  }

  /** Most bodies have one part, which is stored without a copy. */
  #isWhole(chunk: Buffer): boolean {
    return this.length === 0 && chunk.length === this.#announced;
  }

  /** The size of the block for what of so many bytes has no room; 0 where all of it has. */
  #blockFor(bytes: number): number {
    const rest = bytes - this.#room;
    if (rest <= 0) return 0;
    const at = this.length + this.#room;
    const grown = Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, at));
    const left = this.#announced === null ? grown : Math.min(grown, this.#announced - at);
    return Math.max(rest, left);
  }
}

/** Limits for senders that have not proven to be the provider. */
export type AdmissionLimits = {
  readonly maxConnections: number;
  /** Bytes of received bodies whose signature is not proven yet. */
  readonly maxUnprovenBytes: number;
};

/** One connection to the receiver. */
export class SenderConnection {
  /** Ends the connection with an answer that names the reason. */
  readonly refuse: (reason: OverloadReason) => void;
  /** Whether this connection has brought an authentic delivery. */
  proven = false;
  /** Bytes held of the body in progress. */
  bytes = 0;
  /** When the head of that request was read, on the clock of `performance.now`. */
  since = 0;
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
    this.refuse = refuse;
  }
}

/**
 * Decides which connections are refused above the limits of connections or unproven bytes (docs/decisions/0007). Those
 * with a proven signature go last. Of the others, a new connection replaces the oldest one; more bytes replace those that
 * held most for longest: a sender that sends its announced body is soon done, and needs no room.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  /** In order of arrival. */
  readonly #open = new Set<SenderConnection>();
  #bytes = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Open connections. */
  get connections(): number {
    return this.#open.size;
  }

  /** Bytes held for bodies whose signature is not proven yet. */
  get unprovenBytes(): number {
    return this.#bytes;
  }

  /** A connection was opened. Refuses the oldest unproven one above the limit, or the new one where all others are proven. */
  enter(connection: SenderConnection): void {
    this.#open.add(connection);
    if (this.#open.size <= this.#limits.maxConnections) return;
    const oldest = this.#open.values().find(({ proven }) => !proven);
    this.#refuse(oldest ?? connection, 'connections');
  }

  /** Reserves `bytes` more for the body of a connection. False where the connection was refused for that. */
  hold(connection: SenderConnection, bytes: number, now: number): boolean {
    connection.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#limits.maxUnprovenBytes)
      this.#refuse(this.#mostLasting(now), 'unproven_bytes');
    return connection.bytes > 0;
  }

  /** A connection's body holds no bytes any more: it is proven, refused, or dropped. */
  release(connection: SenderConnection): void {
    this.#bytes -= connection.bytes;
    connection.bytes = 0;
  }

  /** A connection was closed. */
  leave(connection: SenderConnection): void {
    this.release(connection);
    this.#open.delete(connection);
  }

  #refuse(connection: SenderConnection, reason: OverloadReason): void {
    this.leave(connection);
    connection.refuse(reason);
  }

  /** The connection to refuse: the unproven one with the most bytes times milliseconds; a proven one if there is no other. */
  #mostLasting(now: number): SenderConnection {
    const weight = ({ bytes, since }: SenderConnection): number => bytes * (now - since + 1);
    const holders = [...this.#open].filter(({ bytes }) => bytes > 0);
    return holders.reduce((found, one) => {
      if (found.proven !== one.proven) return found.proven ? one : found;
      return weight(one) > weight(found) ? one : found;
    });
  }
}

/** How long a refused sender may continue to send before its connection is cut: a cut discards the answer. */
const LINGER_MS = 1_000;

/** Connections of TLS, those in a handshake included, for each that is admitted. */
const HANDSHAKES = 2;

/** Retry-After of a refusal, seconds. */
export const RETRY_AFTER_SECONDS = 1;

const OVERLOADED = 'Overloaded, repeat it.';

/** The connections of a server, within the limits, and the answers that end one early. */
export class SenderConnections {
  readonly admission: Admission;
  readonly #tally: RequestTally;
  readonly #limits: AdmissionLimits;
  readonly #open = new WeakMap<Socket, SenderConnection>();
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

  of(socket: Socket): SenderConnection {
    const connection = this.#open.get(socket);
    if (connection === undefined) throw new Error('a request of a connection that was never opened');
    return connection;
  }

  /** Cuts the connections that only wait for their senders to close them. */
  close(): void {
    for (const socket of this.#lingering) socket.destroy();
  }

  #enter(socket: Socket): void {
    const connection = new SenderConnection((reason) => this.#overloaded(socket, connection, reason));
    this.#open.set(socket, connection);
    socket.on('close', () => {
      this.#lingering.delete(socket);
      this.admission.leave(connection);
      connection.drop();
    });
    this.admission.enter(connection);
  }

  #overloaded(socket: Socket, connection: SenderConnection, reason: OverloadReason): void {
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

  #cut(socket: Socket, connection: SenderConnection): void {
    connection.refused = true;
    connection.drop();
    socket.destroy();
  }

  /** The last answer of a connection, whatever is being read. Later bytes are dropped. */
  #end(
    socket: Socket,
    connection: SenderConnection,
    outcome: RequestOutcome,
    status: string,
    text: string,
  ): void {
    this.#tally.count('answered', outcome);
    if (!socket.writable || this.#lingering.size >= this.#limits.maxConnections) {
      this.#cut(socket, connection);
      return;
    }
    connection.refused = true;
    connection.drop();
    this.admission.leave(connection);
    const headers = outcome === 'overloaded' ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {};
    socket.end(rawAnswer(status, text, { 'content-type': 'text/plain; charset=utf-8', ...headers }));
    this.#lingering.add(socket);
    const cut = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.on('end', () => socket.destroy()).on('close', () => clearTimeout(cut));
    socket.resume();
  }
}
