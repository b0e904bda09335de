import { randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, write, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A private temporary file of slots of one size. It has no name once it is open, so that it disappears with the process
 * however that ends. Reads are synchronous, from the page cache. A write of 1 MiB takes 0.4 to 2 ms and can run on another
 * thread.
 */
export class SegmentFile {
  readonly #slotBytes: number;
  readonly #fd: number;
  /** Free slots below the end of the file. */
  readonly #free: number[] = [];
  #slots = 0;
  #writing = 0;
  #closed = false;

  constructor(slotBytes: number) {
    this.#slotBytes = slotBytes;
    const path = join(tmpdir(), `touchline-spill-${randomUUID()}`);
    this.#fd = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
  }

  /** Segments that another thread is writing. */
  get writing(): number {
    return this.#writing;
  }

  /** Allocates slots for a segment and returns the first; a segment larger than a slot has several in a row. */
  reserve(bytes: number): number {
    const count = this.#slotsOf(bytes);
    return count === 1 ? (this.#free.pop() ?? this.#atEnd(1)) : this.#atEnd(count);
  }

  /** Writes a segment. Throws errors of the disk. */
  writeNow(slot: number, bytes: Uint8Array): void {
    const start = slot * this.#slotBytes;
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at, bytes.length - at, start + at);
  }

  /** Writes a segment on another thread: do not change it before `done`, which is not called once the file is closed. */
  writeLater(slot: number, bytes: Uint8Array, done: (error: Error | null) => void): void {
    const start = slot * this.#slotBytes;
    this.#writing += 1;
    const end = (error: Error | null) => {
      this.#writing -= 1;
      if (!this.#closed) done(error);
      else if (this.#writing === 0) closeSync(this.#fd);
    };
    const writeFrom = (from: number) => {
      write(this.#fd, bytes, from, bytes.length - from, start + from, (error, count) => {
        if (error !== null) end(error);
        else if (from + count < bytes.length) writeFrom(from + count);
        else end(null);
      });
    };
    writeFrom(0);
  }

  /** Fills `into` from `offset` of a segment; leaves bytes beyond the end of the file as they are. */
  read(slot: number, offset: number, into: Uint8Array): void {
    const start = slot * this.#slotBytes + offset;
    for (let at = 0; at < into.length; ) {
      const count = readSync(this.#fd, into, at, into.length - at, start + at);
      if (count === 0) return;
      at += count;
    }
  }

  /** Frees the slots of a segment of this many bytes. */
  free(slot: number, bytes: number): void {
    for (let more = this.#slotsOf(bytes) - 1; more >= 0; more -= 1) this.#free.push(slot + more);
    if (this.#free.length < this.#slots) return;
    this.#free.length = 0;
    this.#slots = 0;
    ftruncateSync(this.#fd, 0);
  }

  /** Pending writes keep the file open. */
  close(): void {
    this.#closed = true;
    if (this.#writing === 0) closeSync(this.#fd);
  }

  #slotsOf(bytes: number): number {
    return Math.max(1, Math.ceil(bytes / this.#slotBytes));
  }

  #atEnd(count: number): number {
    const slot = this.#slots;
    this.#slots += count;
    return slot;
  }
}
