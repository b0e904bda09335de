import type { SignatureCheck } from '#signing/signing.ts';

/** Blocks grow with the body, from and to these sizes. */
const SMALLEST_BLOCK = 4 * 1024;
const LARGEST_BLOCK = 64 * 1024;
/** What a body takes beside its bytes: its objects, and the state of its signature. */
const OVERHEAD = 1024;

/**
 * A body as it arrives: its signature is computed along, its bytes are kept in blocks, so that what is held is what was
 * counted however small its parts are. Memory follows what has arrived, never what a sender announces.
 */
export class IncomingBody {
  /** Bytes that have arrived. */
  length = 0;
  readonly #check: SignatureCheck;
  /** Null where the sender did not say. */
  readonly #announced: number | null;
  readonly #blocks: Buffer[] = [];
  /** Bytes that the last block has room for. */
  #room = 0;

  constructor(check: SignatureCheck, announced: number | null) {
    this.#check = check;
    this.#announced = announced;
  }

  /** Bytes that are allocated once `chunk` is kept. */
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

  /** Keeps a part of the body. */
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

  /** Most bodies are one part: it is kept as it is. */
  #isWhole(chunk: Buffer): boolean {
    return this.length === 0 && chunk.length === this.#announced;
  }

  /** The size of the block that begins with the byte `at`. */
  #blockSize(at: number): number {
    const size = Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, at));
    return this.#announced === null ? size : Math.min(size, this.#announced - at);
  }
}
