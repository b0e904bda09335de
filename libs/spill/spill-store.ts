import { SegmentFile } from './segment-file.ts';

/** A record of a changelog, as stored. */
export type KeyedValue = { readonly key: Buffer; readonly value: Buffer };

export type SpillStoreOptions = {
  /** Bytes kept in memory, in whole segments and two of them at least; the rest is in a temporary file or being written. */
  readonly memoryBytes?: number;
  /** Size of a segment, a multiple of 8. */
  readonly segmentBytes?: number;
};

const MEMORY_BYTES = 2 * 1024 * 1024;
const SEGMENT_BYTES = 1024 * 1024;
/** Pending segments above which `room` asks to wait, and above which the caller writes them itself. */
const MANY_WRITING = 2;
const MAX_WRITING = 8;

/** Before the records of an entry: position of the owner's previous entry (8), owner (8), bytes (4), unused (4). */
const ENTRY_HEAD = 24;
/** Before each record: lengths of key and value. */
const RECORD_HEAD = 8;
/** Entries begin at multiples of this, so that their heads can be read as numbers. */
const ALIGN = 8;
const NONE = -1;
/** Bytes of the first read of an entry in the file: most are not larger. */
const READ_BYTES = 4096;

type Segment = {
  readonly number: number;
  readonly capacity: number;
  /** Bytes of its entries, and of the live ones. */
  used: number;
  live: number;
  /** Null once it is in the file. */
  memory: Memory | null;
  /** Its first slot in the file; undefined before it is written. */
  slot: number;
};

type Memory = { readonly bytes: Buffer; readonly numbers: Float64Array; readonly words: Uint32Array };

/**
 * Encoded records by owner (an event, a season), on disk except the newest. A log of segments: records are appended, an
 * index has the owner's last entry, and each entry the position of the previous one. So storing a changelog costs one
 * copy; superseded records are skipped on read. Lost with the process: the topics are the source of truth.
 */
export class SpillStore {
  readonly #segmentBytes: number;
  /** Positions within a segment. */
  readonly #units: number;
  readonly #memorySegments: number;
  /** Position of the last entry, by owner: some 40 bytes an owner. */
  readonly #last = new Map<number, number>();
  /** By number, oldest first. */
  readonly #segments = new Map<number, Segment>();
  /** Those in memory, oldest first; records are appended to the last. */
  readonly #inMemory: Segment[] = [];
  readonly #scratch = Buffer.allocUnsafeSlow(READ_BYTES);
  /** Memory for the next segments: page faults of fresh memory cost as much as the copy into it. */
  readonly #spare: Memory[] = [];
  #file: SegmentFile | null = null;
  #next = 0;
  #current: Segment | null = null;
  #used = 0;
  #live = 0;
  #compacting = false;
  /** The error of a failed segment write. */
  #failure: Error | null = null;
  /** Waits for segment writes. */
  #waiting: PromiseWithResolvers<void> | null = null;

  constructor({ memoryBytes = MEMORY_BYTES, segmentBytes = SEGMENT_BYTES }: SpillStoreOptions = {}) {
    this.#segmentBytes = segmentBytes;
    this.#units = segmentBytes / ALIGN;
    this.#memorySegments = Math.max(2, Math.floor(memoryBytes / segmentBytes));
  }

  /** Number of owners. */
  get size(): number {
    return this.#last.size;
  }

  /** Bytes in the log, superseded records included. */
  get bytes(): number {
    return this.#used;
  }

  has(owner: number): boolean {
    return this.#last.has(owner);
  }

  /**
   * Stores records `from` to `to` of a list for an owner, each replacing an earlier one with its key. Copies the bytes.
   * Throws errors of the disk, also those of an earlier record.
   */
  put(owner: number, records: readonly KeyedValue[], from = 0, to = records.length): void {
    let bytes = ENTRY_HEAD;
    for (let at = from; at < to; at++) {
      const { key, value } = records[at] as KeyedValue;
      bytes += RECORD_HEAD + key.length + value.length;
    }
    const room = bytes + (-bytes & (ALIGN - 1));
    const segment = this.#roomFor(room);
    const { bytes: target, numbers, words } = segment.memory as Memory;
    const start = segment.used;
    numbers[start / 8] = this.#last.get(owner) ?? NONE;
    numbers[start / 8 + 1] = owner;
    words[start / 4 + 4] = bytes;
    let end = start + ENTRY_HEAD;
    for (let at = from; at < to; at++) {
      const { key, value } = records[at] as KeyedValue;
      end = writeLength(target, writeLength(target, end, key.length), value.length);
      // Keys are short: a loop is faster than a call that sets up a copy.
      for (let byte = 0; byte < key.length; byte++) target[end + byte] = key[byte] as number;
      end += key.length;
      target.set(value, end);
      end += value.length;
    }
    segment.used += room;
    segment.live += room;
    this.#used += room;
    this.#live += room;
    this.#last.set(owner, segment.number * this.#units + start / ALIGN);
  }

  /** A promise to wait for before the next `put`, so that pending writes stay bounded; undefined where they do. */
  room(): Promise<void> | undefined {
    if (this.#file === null || this.#file.writing <= MANY_WRITING) return undefined;
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** The owner's records by key, in the order of their last writes; null for an unknown owner. Removes nothing. */
  read(owner: number): Map<string, Buffer> | null {
    const entries = this.#entries(owner);
    if (entries === null) return null;
    const records = unpack(entries);
    // So that superseded records are skipped only once.
    if (entries.length > 1) {
      this.#drop(owner);
      this.#putAll(owner, records);
    }
    return records;
  }

  /** Removes and returns the owner's records, as `read` does. */
  take(owner: number): Map<string, Buffer> | null {
    const entries = this.#entries(owner);
    if (entries === null) return null;
    this.#drop(owner);
    return unpack(entries);
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
    this.#last.clear();
    this.#segments.clear();
    this.#inMemory.length = 0;
    this.#current = null;
    this.#spare.length = 0;
    this.#used = 0;
    this.#live = 0;
    this.#endWaiting();
  }

  #putAll(owner: number, records: ReadonlyMap<string, Buffer>): void {
    this.put(
      owner,
      Array.from(records, ([key, value]) => ({ key: Buffer.from(key), value })),
    );
  }

  /** Copies of the owner's entries, the last one first; null without one. */
  #entries(owner: number): Buffer[] | null {
    const last = this.#last.get(owner);
    if (last === undefined) return null;
    const entries: Buffer[] = [];
    for (let position = last; position !== NONE; ) {
      const entry = this.#entryAt(position);
      entries.push(entry);
      position = entry.readDoubleLE(0);
    }
    return entries;
  }

  #entryAt(position: number): Buffer {
    const segment = this.#segmentAt(position);
    const start = (position % this.#units) * ALIGN;
    if (segment.memory !== null) {
      const { bytes, words } = segment.memory;
      return Buffer.from(bytes.subarray(start, start + (words[start / 4 + 4] as number)));
    }
    const file = this.#file as SegmentFile;
    file.read(segment.slot, start, this.#scratch);
    const length = this.#scratch.readUInt32LE(16);
    const entry = Buffer.allocUnsafe(length);
    const known = this.#scratch.copy(entry, 0, 0, Math.min(length, READ_BYTES));
    if (known < length) file.read(segment.slot, start + known, entry.subarray(known));
    return entry;
  }

  /** Drops the owner's entries; frees segments without live ones. */
  #drop(owner: number): void {
    let position = this.#last.get(owner) ?? NONE;
    this.#last.delete(owner);
    while (position !== NONE) {
      const segment = this.#segmentAt(position);
      const start = (position % this.#units) * ALIGN;
      const head = this.#head(segment, start);
      position = head.before;
      segment.live -= head.room;
      this.#live -= head.room;
      if (segment.live === 0 && segment !== this.#current) this.#release(segment);
    }
  }

  #head(segment: Segment, start: number): { before: number; owner: number; room: number } {
    let head = segment.memory?.bytes.subarray(start, start + ENTRY_HEAD);
    if (head === undefined) {
      head = this.#scratch.subarray(0, ENTRY_HEAD);
      (this.#file as SegmentFile).read(segment.slot, start, head);
    }
    const bytes = head.readUInt32LE(16);
    return {
      before: head.readDoubleLE(0),
      owner: head.readDoubleLE(8),
      room: bytes + (-bytes & (ALIGN - 1)),
    };
  }

  #segmentAt(position: number): Segment {
    return this.#segments.get(Math.floor(position / this.#units)) as Segment;
  }

  #release(segment: Segment): void {
    this.#segments.delete(segment.number);
    this.#used -= segment.used;
    if (segment.slot === NONE) {
      this.#inMemory.splice(this.#inMemory.indexOf(segment), 1);
      this.#reuse(segment);
    } else if (segment.memory === null) this.#file?.free(segment.slot, segment.capacity);
  }

  /** The segment to append to. */
  #roomFor(room: number): Segment {
    const current = this.#current;
    if (current !== null && current.used + room <= current.capacity) return current;
    if (this.#inMemory.length >= this.#memorySegments) this.#writeOldest();
    const capacity = Math.max(room, this.#segmentBytes);
    const spare = capacity === this.#segmentBytes ? this.#spare.pop() : undefined;
    const memory = spare ?? memoryOf(capacity);
    const segment: Segment = { number: this.#next, capacity, used: 0, live: 0, memory, slot: NONE };
    this.#next += 1;
    this.#segments.set(segment.number, segment);
    this.#inMemory.push(segment);
    this.#current = segment;
    if (current !== null && current.live === 0) this.#release(current);
    this.#compact();
    return this.#roomFor(room);
  }

  #writeOldest(): void {
    if (this.#failure !== null) throw this.#failure;
    const oldest = this.#inMemory.shift() as Segment;
    this.#file ??= new SegmentFile(this.#segmentBytes);
    const file = this.#file;
    const { bytes } = oldest.memory as Memory;
    oldest.slot = file.reserve(bytes.length);
    if (file.writing >= MAX_WRITING) {
      file.writeNow(oldest.slot, bytes);
      this.#written(oldest);
      return;
    }
    file.writeLater(oldest.slot, bytes, (error) => {
      if (error === null) this.#written(oldest);
      else this.#failure = error;
      if (file.writing <= MANY_WRITING) this.#endWaiting();
    });
  }

  #endWaiting(): void {
    this.#waiting?.resolve();
    this.#waiting = null;
  }

  /** From here on a segment is read from the file. Frees its slots where it has no live entries. */
  #written(segment: Segment): void {
    this.#reuse(segment);
    segment.memory = null;
    if (!this.#segments.has(segment.number)) this.#file?.free(segment.slot, segment.capacity);
  }

  #reuse({ capacity, memory }: Segment): void {
    if (capacity === this.#segmentBytes && this.#spare.length < MANY_WRITING)
      this.#spare.push(memory as Memory);
  }

  /** Moves live entries out of the segments with the fewest of them, while more than half of the log is dead. */
  #compact(): void {
    if (this.#compacting) return;
    this.#compacting = true;
    const slack = 2 * this.#memorySegments * this.#segmentBytes;
    while (this.#used > 2 * this.#live + slack) {
      let emptiest: Segment | null = null;
      for (const segment of this.#segments.values()) {
        if (segment === this.#current) continue;
        if (emptiest === null || segment.live * emptiest.used < emptiest.live * segment.used)
          emptiest = segment;
      }
      if (emptiest === null) break;
      for (const owner of this.#ownersIn(emptiest)) {
        const records = this.take(owner);
        if (records !== null) this.#putAll(owner, records);
      }
    }
    this.#compacting = false;
  }

  #ownersIn(segment: Segment): Set<number> {
    const owners = new Set<number>();
    for (let start = 0; start < segment.used; ) {
      const { owner, room } = this.#head(segment, start);
      owners.add(owner);
      start += room;
    }
    return owners;
  }
}

function memoryOf(bytes: number): Memory {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  return {
    bytes: buffer,
    numbers: new Float64Array(buffer.buffer),
    words: new Uint32Array(buffer.buffer, 0, bytes >> 2),
  };
}

/** Writes a length as four bytes and gives the place after it. */
function writeLength(target: Buffer, at: number, length: number): number {
  target[at] = length;
  target[at + 1] = length >> 8;
  target[at + 2] = length >> 16;
  target[at + 3] = length >>> 24;
  return at + 4;
}

/** The records of entries, the last entry first. The values are views of them. */
function unpack(entries: readonly Buffer[]): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  for (const entry of entries.toReversed()) {
    for (let at = ENTRY_HEAD; at < entry.length; ) {
      const keyEnd = at + RECORD_HEAD + entry.readUInt32LE(at);
      const end = keyEnd + entry.readUInt32LE(at + 4);
      const key = entry.toString('utf8', at + RECORD_HEAD, keyEnd);
      records.delete(key);
      records.set(key, entry.subarray(keyEnd, end));
      at = end;
    }
  }
  return records;
}
