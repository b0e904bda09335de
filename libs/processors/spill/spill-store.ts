import { type KeyedValue, unpack } from './entry.ts';
import { SpillLog } from './spill-log.ts';

const CHUNK_BYTES = 1024 * 1024;
/** Number of chunks of removed entries that do not start a compaction. */
const SLACK_CHUNKS = 4;
/** Bytes moved to a new log for each byte that `put` adds. */
const MOVE_RATE = 4;

/**
 * Stores encoded records by owner (an event, a season), on disk except the newest. It appends to a log, so that storing a changelog
 * costs one copy; reads skip superseded records. When more than half of the log is removed entries, the others move to a new
 * log. The store is lost with the process, as the topics are the source of truth.
 */
export class SpillStore {
  readonly #chunkBytes: number;
  #log: SpillLog;
  /** The previous log, while its records move; otherwise null. */
  #old: SpillLog | null = null;

  /** `chunkBytes`: bytes of one write to the file. */
  constructor(chunkBytes = CHUNK_BYTES) {
    this.#chunkBytes = chunkBytes;
    this.#log = new SpillLog(chunkBytes);
  }

  /** Number of owners. */
  get size(): number {
    return this.#log.owners.size + (this.#old?.owners.size ?? 0);
  }

  /** Bytes of all entries, including removed ones. */
  get bytes(): number {
    return this.#log.used + (this.#old?.used ?? 0);
  }

  /** Adds records `from` to `to` (excluded) of a list to the owner. Throws errors of the disk, also of an earlier write. */
  put(owner: number, records: readonly KeyedValue[], from = 0, to = records.length): void {
    this.#move(owner);
    const before = this.#log.used;
    this.#log.append(owner, records, from, to);
    this.#compact(MOVE_RATE * (this.#log.used - before));
  }

  /** Returns a promise to await before the next `put`, so that pending writes stay bounded; undefined when there is room. */
  room(): Promise<void> | undefined {
    return this.#log.room();
  }

  /** Returns the owner's records by key, in the order of their last writes; null for an unknown owner. */
  read(owner: number): Map<string, Buffer> | null {
    const log = this.#logOf(owner);
    const entries = log.entries(owner);
    if (entries === null) return null;
    const records = unpack(entries);
    // Replaces several entries with one, so that superseded records are skipped only once.
    if (entries.length > 1) {
      log.remove(owner, entries);
      this.put(owner, listOf(records));
    }
    return records;
  }

  /** Removes and returns the owner's records, as `read` does. */
  take(owner: number): Map<string, Buffer> | null {
    const log = this.#logOf(owner);
    const entries = log.entries(owner);
    if (entries === null) return null;
    log.remove(owner, entries);
    return unpack(entries);
  }

  close(): void {
    this.#log.close();
    this.#old?.close();
    this.#old = null;
  }

  #logOf(owner: number): SpillLog {
    return this.#old?.owners.has(owner) === true ? this.#old : this.#log;
  }

  /** Moves the owner's records to the new log, if they are in the old one. */
  #move(owner: number): void {
    const entries = this.#old?.entries(owner) ?? null;
    if (entries === null) return;
    this.#old?.remove(owner, entries);
    const records = listOf(unpack(entries));
    this.#log.append(owner, records, 0, records.length);
  }

  /** Starts a new log when more than half of the current one is removed entries. Moves up to `bytes` of the old log's records. */
  #compact(bytes: number): void {
    const { used, live } = this.#log;
    if (this.#old === null && used > 2 * live + SLACK_CHUNKS * this.#chunkBytes) {
      this.#old = this.#log;
      this.#log = new SpillLog(this.#chunkBytes);
    }
    if (this.#old === null) return;
    const end = this.#log.used + bytes;
    for (const owner of this.#old.owners.keys()) {
      if (this.#log.used >= end) return;
      this.#move(owner);
    }
    this.#old.close();
    this.#old = null;
  }
}

function listOf(records: ReadonlyMap<string, Buffer>): KeyedValue[] {
  return Array.from(records, ([key, value]) => ({ key: Buffer.from(key), value }));
}
