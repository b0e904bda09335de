import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, openSync, readSync, unlinkSync, type WriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryBytes, type KeyedValue, lengthOf, previousOf, writeEntry } from './entry.ts';

/** Entries that are not in the file yet. */
type Chunk = { readonly start: number; readonly bytes: Buffer; used: number };

const NONE = -1;
/** Bytes of the first read of an entry in the file: most are not larger. */
const READ_BYTES = 4096;
/** Chunks that another thread writes, above which `room` asks to wait. */
const MANY_WRITING = 8;
/** Memory that is kept for the next chunks: page faults of fresh memory cost as much as the copy into it. */
const MOST_SPARE = 2;

const firstRead = Buffer.allocUnsafeSlow(READ_BYTES);

/**
 * Entries by owner, appended: the newest in memory, the rest in a private temporary file. It has no name once it is open, so that
 * it disappears with the process however that ends. Reads are synchronous, from the page cache; a write of 1 MiB takes 0.4
 * to 2 ms and runs on another thread.
 */
export class SpillLog {
  readonly #chunkBytes: number;
  /** Position of the last entry, by owner: some 40 bytes an owner. */
  readonly #last = new Map<number, number>();
  /** Oldest first; the last one is appended to. */
  readonly #chunks: Chunk[] = [];
  readonly #spare: Buffer[] = [];
  #file: WriteStream | null = null;
  /** The error of a failed write. */
  #failure: Error | null = null;
  #used = 0;
  #live = 0;

  constructor(chunkBytes: number) {
    this.#chunkBytes = chunkBytes;
  }

  /** The owners that have entries. */
  get owners(): ReadonlyMap<number, unknown> {
    return this.#last;
  }

  /** Bytes of all entries. */
  get used(): number {
    return this.#used;
  }

  /** Bytes of the entries of its owners: the rest was removed. */
  get live(): number {
    return this.#live;
  }

  /** Copies records `from` to `to` of a list behind the owner's entries. Throws the error of an earlier write. */
  append(owner: number, records: readonly KeyedValue[], from: number, to: number): void {
    const bytes = entryBytes(records, from, to);
    const chunk = this.#chunkFor(bytes);
    const position = chunk.start + chunk.used;
    chunk.used = writeEntry(chunk.bytes, chunk.used, this.#last.get(owner) ?? NONE, records, from, to);
    this.#last.set(owner, position);
    this.#used += bytes;
    this.#live += bytes;
  }

  /** Copies of the owner's entries, the last one first; null without one. */
  entries(owner: number): Buffer[] | null {
    const last = this.#last.get(owner);
    if (last === undefined) return null;
    const entries: Buffer[] = [];
    for (let position = last; position !== NONE; ) {
      const entry = this.#entryAt(position);
      entries.push(entry);
      position = previousOf(entry);
    }
    return entries;
  }

  /** Removes the owner, which has these entries. */
  remove(owner: number, entries: readonly Buffer[]): void {
    this.#last.delete(owner);
    for (const { length } of entries) this.#live -= length;
  }

  /** A promise to wait for before more is appended, so that pending writes stay bounded; undefined where they do. */
  room(): Promise<void> | undefined {
    const file = this.#file;
    if (this.#failure !== null || file?.writableNeedDrain !== true) return undefined;
    const settled = () => {};
    return Promise.race([once(file, 'drain'), once(file, 'close')]).then(settled, settled);
  }

  /** A write under way keeps the file open. */
  close(): void {
    this.#file?.destroy();
    this.#chunks.length = 0;
    this.#last.clear();
  }

  #chunkFor(bytes: number): Chunk {
    const current = this.#chunks.at(-1);
    if (current !== undefined && current.used + bytes <= current.bytes.length) return current;
    if (current !== undefined) this.#write(current);
    const size = Math.max(bytes, this.#chunkBytes);
    const spare = size === this.#chunkBytes ? this.#spare.pop() : undefined;
    const next = { start: this.#used, bytes: spare ?? Buffer.allocUnsafeSlow(size), used: 0 };
    this.#chunks.push(next);
    return next;
  }

  #write(chunk: Chunk): void {
    if (this.#failure !== null) throw this.#failure;
    this.#file ??= this.#open();
    this.#file.write(chunk.bytes.subarray(0, chunk.used), (error) => {
      if (error != null) return;
      this.#chunks.splice(this.#chunks.indexOf(chunk), 1);
      if (chunk.bytes.length === this.#chunkBytes && this.#spare.length < MOST_SPARE)
        this.#spare.push(chunk.bytes);
    });
  }

  #open(): WriteStream {
    const path = join(tmpdir(), `touchline-spill-${randomUUID()}`);
    const fd = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    const highWaterMark = MANY_WRITING * this.#chunkBytes;
    // Not closed by an error: what was written before it is still read.
    const file = createWriteStream(path, { fd, autoClose: false, highWaterMark });
    return file.on('error', (error) => {
      this.#failure = error;
    });
  }

  #entryAt(position: number): Buffer {
    const chunk = this.#chunks.find(({ start, used }) => start <= position && position < start + used);
    if (chunk !== undefined) {
      const at = position - chunk.start;
      return Buffer.from(chunk.bytes.subarray(at, at + lengthOf(chunk.bytes, at)));
    }
    const { fd } = this.#file as WriteStream & { readonly fd: number };
    readSync(fd, firstRead, 0, READ_BYTES, position);
    const entry = Buffer.allocUnsafe(lengthOf(firstRead, 0));
    const known = firstRead.copy(entry);
    if (known < entry.length) readSync(fd, entry, known, entry.length - known, position + known);
    return entry;
  }
}
