/** Limits the connections and the body memory of senders that have not sent an authentic delivery yet. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { rawAnswer } from '#service/http-server.ts';
import type { SignatureCheck } from '#signing/signing.ts';
import type { OverloadReason, RequestOutcome, RequestTally } from './tally.ts';

/** Sizes of a body's blocks, bytes: a block is as large as the body so far, within these limits. */
const MIN_BLOCK_BYTES = 4 * 1024;
const MAX_BLOCK_BYTES = 64 * 1024;
/** Bytes counted for the objects of a body and the state of its signature check. */
const OBJECT_BYTES = 1024;
/** Maximum number of bytes held for a body in addition to its length: its objects, and the free part of its last block. */
export const MAX_OVERHEAD_BYTES = OBJECT_BYTES + MAX_BLOCK_BYTES;

/**
 * A body in progress. Hashes its bytes as they arrive and copies them into blocks, so that the memory held matches the
 * count even when chunks are tiny. Memory follows the received bytes, never the announced length.
 */
export class IncomingBody {
  /** Bytes received. */
  length = 0;
  readonly #check: SignatureCheck;
  /** The `content-length`; null when the sender did not announce it. */
  readonly #announced: number | null;
  readonly #blocks: Buffer[] = [];
  /** Free bytes of the last block. */
  #room = 0;

  constructor(check: SignatureCheck, announced: number | null) {
    this.#check = check;
    this.#announced = announced;
  }

  /** Returns how many bytes storing `chunk` allocates. */
  cost(chunk: Buffer): number {
    const overhead = this.length === 0 ? OBJECT_BYTES : 0;
    return overhead + (this.#isWhole(chunk) ? chunk.length : this.#blockFor(chunk.length));
  }

  /** Stores the next chunk of the body. */
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

  /** Returns the whole body when its signature matches, else null. Call it once. */
  proven(): Buffer | null {
    return this.#check.matches() ? this.bytes() : null;
  }

  /** Whether the signature matches these bytes, another form of the body. */
  provesInstead(bytes: Buffer): boolean {
    return this.#check.matchesInstead(bytes);
  }

  /** Returns the whole body, proven or not. */
  bytes(): Buffer {
    const [only] = this.#blocks;
    if (only !== undefined && this.#blocks.length === 1) return only.subarray(0, this.length);
    return Buffer.concat(this.#blocks, this.length);
  }

  /** Whether the chunk is the whole body, as with most deliveries: it is stored without a copy. */
  #isWhole(chunk: Buffer): boolean {
    return this.length === 0 && chunk.length === this.#announced;
  }

  /** Returns the size of the next block when `bytes` more exceed the free room of the last one; 0 when they fit. */
  #blockFor(bytes: number): number {
    const rest = bytes - this.#room;
    if (rest <= 0) return 0;
    const at = this.length + this.#room;
    const grown = Math.min(MAX_BLOCK_BYTES, Math.max(MIN_BLOCK_BYTES, at));
    const left = this.#announced === null ? grown : Math.min(grown, this.#announced - at);
    return Math.max(rest, left);
  }
}

/** Limits on what senders hold. */
export type AdmissionLimits = {
  /** Maximum number of open connections. */
  readonly maxConnections: number;
  /** Maximum number of bytes held for bodies whose signature is not verified yet. */
  readonly maxUnprovenBytes: number;
};

/** One connection to the receiver. */
export class SenderConnection {
  /** Ends the connection, with an answer when one can still be sent. */
  readonly refuse: (reason: OverloadReason) => void;
  /** Whether this connection has brought an authentic delivery. */
  proven = false;
  /** Bytes held for the body in progress. */
  bytes = 0;
  /** When the head of the current request was read, on the clock of `performance.now`. */
  headReadAt = 0;
  /** Whether the connection was refused: later requests on it are ignored. */
  refused = false;
  /** Whether the body of an unanswered request is being read. */
  readingBody = false;
  /** Whether the last request was answered before its whole body was received. */
  answeredEarly = false;
  /** Number of deliveries that are being stored and not answered yet. */
  pending = 0;
  /** Number of requests whose head was read. */
  requests = 0;
  /** Drops the body in progress. */
  drop: () => void = () => {};

  constructor(refuse: (reason: OverloadReason) => void) {
    this.refuse = refuse;
  }
}

/**
 * Decides which connections are refused above a limit (docs/decisions/0007). Connections that brought an authentic
 * delivery are refused last. Of the others, a new connection replaces the oldest one, and new bytes replace the body with
 * the most bytes times milliseconds: an honest sender soon finishes its body and releases its bytes.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  /** In order of arrival. */
  readonly #open = new Set<SenderConnection>();
  #bytes = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#open.size;
  }

  /** Bytes held for bodies whose signature is not verified yet. */
  get unprovenBytes(): number {
    return this.#bytes;
  }

  /** Admits a new connection. Above the limit, refuses the oldest unproven one, or the new one when all others are proven. */
  enter(connection: SenderConnection): void {
    this.#open.add(connection);
    if (this.#open.size <= this.#limits.maxConnections) return;
    const oldest = this.#open.values().find(({ proven }) => !proven);
    this.#refuse(oldest ?? connection, 'connections');
  }

  /** Reserves `bytes` more for the body of a connection. Returns false when this made it refuse the connection. */
  reserve(connection: SenderConnection, bytes: number, now: number): boolean {
    connection.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#limits.maxUnprovenBytes) this.#refuse(this.#heaviest(now), 'unproven_bytes');
    return connection.bytes > 0;
  }

  /** Releases the bytes of a connection's body, which was verified, refused or dropped. */
  release(connection: SenderConnection): void {
    this.#bytes -= connection.bytes;
    connection.bytes = 0;
  }

  /** Forgets a closed connection. */
  leave(connection: SenderConnection): void {
    this.release(connection);
    this.#open.delete(connection);
  }

  #refuse(connection: SenderConnection, reason: OverloadReason): void {
    this.leave(connection);
    connection.refuse(reason);
  }

  /** Returns the unproven connection with the most bytes times milliseconds; a proven one when no other holds bytes. */
  #heaviest(now: number): SenderConnection {
    const weight = ({ bytes, headReadAt }: SenderConnection): number => bytes * (now - headReadAt + 1);
    const candidates = [...this.#open].filter(({ bytes }) => bytes > 0);
    return candidates.reduce((found, one) => {
      if (found.proven !== one.proven) return found.proven ? one : found;
      return weight(one) > weight(found) ? one : found;
    });
  }
}

/** Time in which a refused sender can read its answer before the connection is destroyed, which would discard the answer. */
const LINGER_MS = 1_000;

/** Maximum number of TCP connections for each admitted TLS connection: the others are in a handshake. */
const TCP_PER_TLS_CONNECTION = 2;

/** `Retry-After` of a refusal, seconds. */
export const RETRY_AFTER_SECONDS = 1;

/** Text of a refusal above a limit. */
export const OVERLOADED = 'Overloaded, repeat it.';

/** The connections of a server. Keeps them within the limits, and answers those that it ends early. */
export class SenderConnections {
  readonly admission: Admission;
  readonly #tally: RequestTally;
  readonly #limits: AdmissionLimits;
  readonly #open = new WeakMap<Socket, SenderConnection>();
  /** Refused connections whose senders have not closed them yet. */
  readonly #lingering = new Set<Socket>();

  constructor(server: Server, limits: AdmissionLimits, tally: RequestTally) {
    this.admission = new Admission(limits);
    this.#limits = limits;
    this.#tally = tally;
    // With TLS, requests arrive on the TLS socket; connections still in a handshake have their own limit and timeout.
    const isTls = server instanceof TlsServer;
    if (isTls) server.maxConnections = limits.maxConnections * TCP_PER_TLS_CONNECTION;
    server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => this.#enter(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
      this.#onClientError(error, socket),
    );
  }

  /** Returns the connection of a request's socket. */
  of(socket: Socket): SenderConnection {
    const connection = this.#open.get(socket);
    if (connection === undefined) throw new Error('a request arrived on an unknown connection');
    return connection;
  }

  /** Destroys the refused connections that their senders have not closed yet. */
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
    // Between two requests, the sender would take an answer for that of its next request.
    const idle = !connection.readingBody && connection.requests > 0;
    if (idle || connection.pending > 0) this.#cut(socket, connection);
    else this.#end(socket, connection, 'overloaded', '503 Service Unavailable', OVERLOADED);
  }

  /** Answers 408 to a request that is too slow, and 400 to bytes that are not HTTP. */
  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.refused || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const slow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (connection.pending > 0 || (slow && connection.answeredEarly)) this.#cut(socket, connection);
    else if (slow) this.#end(socket, connection, 'too_slow', '408 Request Timeout', 'Too slow.');
    else this.#end(socket, connection, 'bad_request', '400 Bad Request', 'Bad request.');
  }

  #cut(socket: Socket, connection: SenderConnection): void {
    connection.refused = true;
    connection.drop();
    socket.destroy();
  }

  /** Sends the last answer of a connection, even in the middle of a request. Drops the bytes that still arrive. */
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
