import type { SignatureCheck } from '#signing/signing.ts';

/** Blocks grow with the body, from and to these sizes. */
const SMALLEST_BLOCK = 4 * 1024;
const LARGEST_BLOCK = 64 * 1024;
/** Memory of a body beside its bytes: its objects, and the state of its signature. */
const OVERHEAD = 1024;

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
