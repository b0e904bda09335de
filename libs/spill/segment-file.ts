import { randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, write, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Pending segments above which `room` asks to wait, and above which the caller writes them itself. */
const MANY_WRITING = 2;
const MAX_WRITING = 8;

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
  /** Segments that another thread is writing. */
  #writing = 0;
  /** The error of a failed write. */
  #failure: Error | null = null;
  #waiting: PromiseWithResolvers<void> | null = null;
  #closed = false;

  constructor(slotBytes: number) {
    this.#slotBytes = slotBytes;
    const path = join(tmpdir(), `touchline-spill-${randomUUID()}`);
    this.#fd = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
  }

  /** A promise to wait for before more is written, so that pending writes stay bounded; undefined where they do. */
  room(): Promise<void> | undefined {
    if (this.#writing <= MANY_WRITING) return undefined;
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /**
   * Allocates slots for a segment and returns the first; a segment larger than a slot has several in a row. Throws the error
   * of a failed write.
   */
  reserve(bytes: number): number {
    if (this.#failure !== null) throw this.#failure;
    const count = this.#slotsOf(bytes);
    return count === 1 ? (this.#free.pop() ?? this.#atEnd(1)) : this.#atEnd(count);
  }

  /**
   * Writes a segment, on another thread unless many are pending: do not change it before `done`, which is not called once
   * the file is closed. Throws errors of the disk.
   */
  write(slot: number, bytes: Uint8Array, done: () => void): void {
    const start = slot * this.#slotBytes;
    if (this.#writing < MAX_WRITING) {
      this.#writeLater(start, bytes, done);
      return;
    }
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at, bytes.length - at, start + at);
    done();
  }

  #writeLater(start: number, bytes: Uint8Array, done: () => void): void {
    this.#writing += 1;
    const end = (error: Error | null) => {
      this.#writing -= 1;
      if (this.#closed) {
        if (this.#writing === 0) closeSync(this.#fd);
        return;
      }
      if (error === null) done();
      else this.#failure = error;
      if (this.#writing <= MANY_WRITING) this.#endWaiting();
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
    this.#endWaiting();
    if (this.#writing === 0) closeSync(this.#fd);
  }

  #endWaiting(): void {
    this.#waiting?.resolve();
    this.#waiting = null;
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
