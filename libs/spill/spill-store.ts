import { type KeyedValue, unpack } from './entry.ts';
import { SpillLog } from './spill-log.ts';

const CHUNK_BYTES = 1024 * 1024;
/** Bytes that may be dead before those that are not move to another log. */
const SLACK_CHUNKS = 4;
/** How much faster records move to a new log than others are put. */
const MOVE_RATE = 4;

/**
 * Encoded records by owner (an event, a season), on disk except the newest: in a log, so that storing a changelog costs one
 * copy; superseded records are skipped on read. While more than half of the log is dead, its records move to a new one.
 * Lost with the process: the topics are the source of truth.
 */
export class SpillStore {
  readonly #chunkBytes: number;
  #log: SpillLog;
  /** The log before, while its records move. */
  #old: SpillLog | null = null;

  /** `chunkBytes`: those that are written to the file at once. */
  constructor(chunkBytes = CHUNK_BYTES) {
    this.#chunkBytes = chunkBytes;
    this.#log = new SpillLog(chunkBytes);
  }

  /** Owners stored. */
  get size(): number {
    return this.#log.owners.size + (this.#old?.owners.size ?? 0);
  }

  /** Bytes of all entries, those of removed owners included. */
  get bytes(): number {
    return this.#log.used + (this.#old?.used ?? 0);
  }

  /** Adds records `from` to `to` of a list to the owner's. Throws errors of the disk, also those of an earlier record. */
  put(owner: number, records: readonly KeyedValue[], from = 0, to = records.length): void {
    this.#move(owner);
    const before = this.#log.used;
    this.#log.append(owner, records, from, to);
    this.#compact(MOVE_RATE * (this.#log.used - before));
  }

  /** A promise to wait for before the next `put`, so that pending writes stay bounded; undefined where they do. */
  room(): Promise<void> | undefined {
    return this.#log.room();
  }

  /** The owner's records by key, in the order of their last writes; null for an unknown owner. Removes nothing. */
  read(owner: number): Map<string, Buffer> | null {
    const log = this.#logOf(owner);
    const entries = log.entries(owner);
    if (entries === null) return null;
    const records = unpack(entries);
    // So that superseded records are skipped only once.
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

  /** Moves the owner's records to the new log, where they are in the old one. */
  #move(owner: number): void {
    const entries = this.#old?.entries(owner) ?? null;
    if (entries === null) return;
    this.#old?.remove(owner, entries);
    const records = listOf(unpack(entries));
    this.#log.append(owner, records, 0, records.length);
  }

  /** Moves some of the live records out of a log of which more than half is dead. */
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
