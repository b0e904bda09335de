import type { SignatureCheck } from '#signing/signing.ts';

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
    if (this.#isWhole(chunk)) return overhead + chunk.length;
    let bytes = overhead;
    for (let rest = chunk.length - this.#room, at = this.length + this.#room; rest > 0; ) {
      const size = this.#blockSize(at);
      bytes += size;
      rest -= size;
      at += size;
    }
    return bytes;
  }

  /** Stores a part of the body. */
  add(chunk: Buffer): void {
    this.#check.update(chunk);
    if (this.#isWhole(chunk)) {
      this.#blocks.push(chunk);
      this.length = chunk.length;
      return;
    }
    for (let at = 0; at < chunk.length; ) {
      if (this.#room === 0) {
        this.#room = this.#blockSize(this.length);
        this.#blocks.push(Buffer.allocUnsafeSlow(this.#room));
      }
      const block = this.#blocks.at(-1) as Buffer;
      const copied = chunk.copy(block, block.length - this.#room, at);
      at += copied;
      this.#room -= copied;
      this.length += copied;
    }
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

  /** The size of the block for byte `at`. */
  #blockSize(at: number): number {
    const size = Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, at));
    return this.#announced === null ? size : Math.min(size, this.#announced - at);
  }
}

/** Why a request is refused before its sender is known. */
export type OverloadReason =
  /** More connections than `maxConnections`. */
  | 'connections'
  /** More bytes of bodies without a proven signature than `maxUnprovenBytes`. */
  | 'unproven_bytes';

/** Limits for senders that have not proven to be the provider. */
export type AdmissionLimits = {
  readonly maxConnections: number;
  /** Bytes of received bodies whose signature is not proven yet. */
  readonly maxUnprovenBytes: number;
};

/** One connection, as seen by the admission. */
export class AdmittedConnection {
  /** Ends the connection with an answer that names the reason. */
  readonly refuse: (reason: OverloadReason) => void;
  /** Whether this connection has brought an authentic delivery. */
  proven = false;
  /** Bytes held of the body in progress. */
  bytes = 0;
  /** When the head of that request was read, on the clock of `performance.now`. */
  since = 0;

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
  readonly #unproven = new Set<AdmittedConnection>();
  readonly #proven = new Set<AdmittedConnection>();
  /** Connections with held bytes. */
  readonly #holders = new Set<AdmittedConnection>();
  #bytes = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Open connections. */
  get connections(): number {
    return this.#unproven.size + this.#proven.size;
  }

  /** Bytes held for bodies whose signature is not proven yet. */
  get unprovenBytes(): number {
    return this.#bytes;
  }

  /** A connection was opened. Refuses the oldest unproven one above the limit, or the new one where all others are proven. */
  enter(connection: AdmittedConnection): void {
    this.#unproven.add(connection);
    if (this.connections <= this.#limits.maxConnections) return;
    const [oldest = connection] = this.#unproven;
    this.#refuse(oldest, 'connections');
  }

  /** Reserves `bytes` more for the body of a connection. False where the connection was refused for that. */
  hold(connection: AdmittedConnection, bytes: number, now: number): boolean {
    connection.bytes += bytes;
    this.#bytes += bytes;
    this.#holders.add(connection);
    while (this.#bytes > this.#limits.maxUnprovenBytes)
      this.#refuse(this.#mostLasting(now), 'unproven_bytes');
    return connection.bytes > 0;
  }

  /** A connection's body holds no bytes any more: it is proven, refused, or dropped. */
  release(connection: AdmittedConnection): void {
    this.#bytes -= connection.bytes;
    connection.bytes = 0;
    this.#holders.delete(connection);
  }

  /** A delivery of this connection was authentic. */
  prove(connection: AdmittedConnection): void {
    if (connection.proven || !this.#unproven.delete(connection)) return;
    connection.proven = true;
    this.#proven.add(connection);
  }

  /** A connection was closed. */
  leave(connection: AdmittedConnection): void {
    this.release(connection);
    this.#unproven.delete(connection);
    this.#proven.delete(connection);
  }

  #refuse(connection: AdmittedConnection, reason: OverloadReason): void {
    this.leave(connection);
    connection.refuse(reason);
  }

  /** The connection to refuse: the unproven one with the most bytes times milliseconds; a proven one if there is no other. */
  #mostLasting(now: number): AdmittedConnection {
    let found: AdmittedConnection | undefined;
    let most = -1;
    for (const connection of this.#holders) {
      if (found !== undefined && !found.proven && connection.proven) continue;
      const weight = connection.bytes * (now - connection.since + 1);
      if (found !== undefined && found.proven === connection.proven && weight <= most) continue;
      found = connection;
      most = weight;
    }
    if (found === undefined) throw new Error('counted bytes without a holder');
    return found;
  }
}
