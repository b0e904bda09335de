import {
  ALIGN,
  aligned,
  ENTRY_HEAD,
  type EntryMemory,
  entryBytes,
  type KeyedValue,
  newEntryMemory,
  readHead,
  unpack,
  writeHead,
  writeRecords,
} from './entry.ts';
import { SegmentFile } from './segment-file.ts';

export type SpillStoreOptions = {
  /** Bytes kept in memory, in whole segments and two of them at least; the rest is in a temporary file or being written. */
  readonly memoryBytes?: number;
  /** Size of a segment, a multiple of 8. */
  readonly segmentBytes?: number;
};

const MEMORY_BYTES = 2 * 1024 * 1024;
const SEGMENT_BYTES = 1024 * 1024;
/** Memory that is kept for the next segments. */
const MOST_SPARE = 2;

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
  memory: EntryMemory | null;
  /** Its first slot in the file; undefined before it is written. */
  slot: number;
};

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
  readonly #spare: EntryMemory[] = [];
  #file: SegmentFile | null = null;
  #next = 0;
  #current: Segment | null = null;
  #used = 0;
  #live = 0;
  #compacting = false;

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

  /**
   * Stores records `from` to `to` of a list for an owner, each replacing an earlier one with its key. Copies the bytes.
   * Throws errors of the disk, also those of an earlier record.
   */
  put(owner: number, records: readonly KeyedValue[], from = 0, to = records.length): void {
    const bytes = entryBytes(records, from, to);
    const room = aligned(bytes);
    const segment = this.#roomFor(room);
    const memory = segment.memory as EntryMemory;
    const start = segment.used;
    writeHead(memory, start, this.#last.get(owner) ?? NONE, owner, bytes);
    writeRecords(memory, start, records, from, to);
    segment.used += room;
    segment.live += room;
    this.#used += room;
    this.#live += room;
    this.#last.set(owner, segment.number * this.#units + start / ALIGN);
  }

  /** A promise to wait for before the next `put`, so that pending writes stay bounded; undefined where they do. */
  room(): Promise<void> | undefined {
    return this.#file?.room();
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
      position = readHead(entry).before;
    }
    return entries;
  }

  #entryAt(position: number): Buffer {
    const segment = this.#segmentAt(position);
    const start = (position % this.#units) * ALIGN;
    if (segment.memory !== null) {
      const { bytes } = this.#head(segment, start);
      return Buffer.from(segment.memory.bytes.subarray(start, start + bytes));
    }
    const file = this.#file as SegmentFile;
    file.read(segment.slot, start, this.#scratch);
    const { bytes: length } = readHead(this.#scratch);
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
      const room = aligned(head.bytes);
      segment.live -= room;
      this.#live -= room;
      if (segment.live === 0 && segment !== this.#current) this.#release(segment);
    }
  }

  #head(segment: Segment, start: number): ReturnType<typeof readHead> {
    const inMemory = segment.memory?.bytes.subarray(start, start + ENTRY_HEAD);
    if (inMemory !== undefined) return readHead(inMemory);
    (this.#file as SegmentFile).read(segment.slot, start, this.#scratch.subarray(0, ENTRY_HEAD));
    return readHead(this.#scratch);
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
    const memory = spare ?? newEntryMemory(capacity);
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
    this.#file ??= new SegmentFile(this.#segmentBytes);
    const oldest = this.#inMemory[0] as Segment;
    const { bytes } = oldest.memory as EntryMemory;
    oldest.slot = this.#file.reserve(bytes.length);
    this.#inMemory.shift();
    this.#file.write(oldest.slot, bytes, () => this.#written(oldest));
  }

  /** From here on a segment is read from the file. Frees its slots where it has no live entries. */
  #written(segment: Segment): void {
    this.#reuse(segment);
    segment.memory = null;
    if (!this.#segments.has(segment.number)) this.#file?.free(segment.slot, segment.capacity);
  }

  #reuse({ capacity, memory }: Segment): void {
    if (capacity === this.#segmentBytes && this.#spare.length < MOST_SPARE)
      this.#spare.push(memory as EntryMemory);
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
      const { owner, bytes } = this.#head(segment, start);
      owners.add(owner);
      start += aligned(bytes);
    }
    return owners;
  }
}
