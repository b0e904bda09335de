import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pack, unpack } from './packing.ts';

/** Encoded records of one event: its match-state value, and those of its incidents by key. */
export type ColdMatch = { readonly state: Buffer | null; readonly incidents: Map<string, Buffer> };

/** Bytes of encoded records kept in memory before they go to disk. */
const HEAP_BYTES = 32 * 1024 * 1024;

/**
 * Matches that nothing happens in, encoded as they are on the topics. A few stay in memory, the rest in a private
 * temporary database that is gone with the process, however it ends: the topics are the truth.
 */
export class ColdStore {
  /** Single records while a changelog is read, one buffer for a match that was put away whole. */
  readonly #heap = new Map<number, Map<string, Buffer> | Buffer>();
  readonly #heapBytes: number;
  #bytes = 0;
  #disk: Disk | null = null;

  constructor(heapBytes: number = HEAP_BYTES) {
    this.#heapBytes = heapBytes;
  }

  /** Keeps a record in the place of an earlier one with that key. The bytes are copied. */
  put(eventId: number, key: string, value: Buffer): void {
    let records = this.#heap.get(eventId);
    if (records === undefined || Buffer.isBuffer(records)) {
      records = records === undefined ? new Map<string, Buffer>() : new Map(unpack(records));
      this.#heap.set(eventId, records);
    }
    this.#bytes += value.length - (records.get(key)?.length ?? 0);
    records.set(key, Buffer.from(value));
    this.#spillOver();
  }

  /** Keeps all records of a match that is not here. The bytes are copied. */
  putAll(eventId: number, records: Iterable<[key: string, value: Buffer]>): void {
    const packed = pack(records);
    this.#heap.set(eventId, packed);
    this.#bytes += packed.length;
    this.#spillOver();
  }

  /** Takes a match out, null where it is unknown. `stateKey` is the key of its match-state record. */
  take(eventId: number, stateKey: string): ColdMatch | null {
    const records = new Map<string, Buffer>();
    for (const packed of this.#disk?.take(eventId) ?? []) {
      for (const [key, value] of unpack(packed)) records.set(key, value);
    }
    const inHeap = this.#heap.get(eventId);
    if (inHeap !== undefined) {
      this.#heap.delete(eventId);
      this.#bytes -= sizeOf(inHeap);
      for (const [key, value] of Buffer.isBuffer(inHeap) ? unpack(inHeap) : inHeap) records.set(key, value);
    }
    if (records.size === 0) return null;
    const state = records.get(stateKey) ?? null;
    records.delete(stateKey);
    return { state, incidents: records };
  }

  /** Number of matches held. */
  get size(): number {
    let both = 0;
    if (this.#disk !== null) for (const eventId of this.#heap.keys()) if (this.#disk.has(eventId)) both += 1;
    return this.#heap.size + (this.#disk?.size ?? 0) - both;
  }

  close(): void {
    this.#disk?.close();
    this.#disk = null;
    this.#heap.clear();
    this.#bytes = 0;
  }

  /** Everything goes at once: matches that are still being played are taken out before they count. */
  #spillOver(): void {
    if (this.#bytes <= this.#heapBytes) return;
    this.#disk ??= new Disk();
    this.#disk.putAll(this.#heap);
    this.#heap.clear();
    this.#bytes = 0;
  }
}

function sizeOf(records: ReadonlyMap<string, Buffer> | Buffer): number {
  if (Buffer.isBuffer(records)) return records.length;
  let bytes = 0;
  for (const value of records.values()) bytes += value.length;
  return bytes;
}

/** Packed records by event; what comes later for an event is a row more, and stands over the ones before it. */
class Disk {
  readonly #events = new Set<number>();
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #delete: StatementSync;

  constructor() {
    // An empty name is a database of SQLite's own that is unlinked as soon as it is open.
    this.#database = new DatabaseSync('');
    this.#database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    this.#database.exec(
      'CREATE TABLE matches (id INTEGER PRIMARY KEY, event_id INTEGER NOT NULL, records BLOB NOT NULL)',
    );
    this.#database.exec('CREATE INDEX by_event ON matches (event_id)');
    this.#insert = this.#database.prepare('INSERT INTO matches (event_id, records) VALUES (?, ?)');
    this.#select = this.#database.prepare('SELECT records FROM matches WHERE event_id = ? ORDER BY id');
    this.#delete = this.#database.prepare('DELETE FROM matches WHERE event_id = ?');
  }

  get size(): number {
    return this.#events.size;
  }

  has(eventId: number): boolean {
    return this.#events.has(eventId);
  }

  putAll(matches: ReadonlyMap<number, ReadonlyMap<string, Buffer> | Buffer>): void {
    this.#database.exec('BEGIN');
    for (const [eventId, records] of matches) {
      this.#events.add(eventId);
      this.#insert.run(eventId, Buffer.isBuffer(records) ? records : pack(records));
    }
    this.#database.exec('COMMIT');
  }

  take(eventId: number): Buffer[] {
    if (!this.#events.delete(eventId)) return [];
    const rows = this.#select.all(eventId);
    this.#delete.run(eventId);
    return rows.map((row) => Buffer.from(row.records as Uint8Array));
  }

  close(): void {
    this.#database.close();
  }
}
