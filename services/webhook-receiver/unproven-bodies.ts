import type { SignatureCheck } from '#signing/signing.ts';

/** Bytes counted for the objects of each chunk. */
const CHUNK_BYTES = 512;

/** A body in progress. Hashes its bytes as they arrive; memory follows the received bytes, never the announced length. */
export class IncomingBody {
  length = 0;
  /** When its head was read, on the clock of `performance.now`. */
  readonly arrivedAt = performance.now();
  /** Answers that the body is dropped. */
  readonly refuse: () => void;
  readonly check: SignatureCheck;
  readonly #chunks: Buffer[] = [];

  constructor(check: SignatureCheck, refuse: () => void) {
    this.check = check;
    this.refuse = refuse;
  }

  /** Bytes counted for it in memory. */
  get held(): number {
    return this.length + CHUNK_BYTES * this.#chunks.length;
  }

  add(chunk: Buffer): void {
    this.check.update(chunk);
    this.#chunks.push(chunk);
    this.length += chunk.length;
  }

  drop(): void {
    this.#chunks.length = 0;
    this.length = 0;
  }

  /** Returns the received bytes, proven or not. */
  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** Limits the memory of unverified bodies (docs/decisions/0007): above it, that with the most bytes times milliseconds is refused. */
export class UnprovenBodies {
  readonly #maxBytes: number;
  readonly #bodies = new Set<IncomingBody>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Stores the next chunk of a body, which may be refused for it. */
  add(body: IncomingBody, chunk: Buffer): void {
    this.#bodies.add(body);
    body.add(chunk);
    this.#bytes += chunk.length + CHUNK_BYTES;
    while (this.#bytes > this.#maxBytes) {
      const now = performance.now();
      const weight = ({ held, arrivedAt }: IncomingBody): number => held * (now - arrivedAt + 1);
      const heaviest = [...this.#bodies].reduce((found, one) => (weight(one) > weight(found) ? one : found));
      this.release(heaviest);
      heaviest.refuse();
    }
  }

  /** Drops a body, which was verified or refused, or whose connection is closed. */
  release(body: IncomingBody): void {
    if (!this.#bodies.delete(body)) return;
    this.#bytes -= body.held;
    body.drop();
  }
}
