import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** Encoded records of one event: its match-state and match-incidents values, by key. */
export type ColdMatch = { readonly state: Buffer | null; readonly incidents: readonly Buffer[] };

/** Bytes of encoded records kept in memory before they go to disk. */
const HEAP_BYTES = 64 * 1024 * 1024;

/**
 * Matches that nothing happens in, encoded as they are on the topics. A few stay in memory, the rest in a private
 * temporary database that is gone with the process, however it ends: the topics are the truth.
 */
export class ColdStore {
  readonly #heap = new Map<number, Map<string, Buffer>>();
  readonly #heapBytes: number;
  #bytes = 0;
  #disk: Disk | null = null;

  constructor(heapBytes: number = HEAP_BYTES) {
    this.#heapBytes = heapBytes;
  }

  /** Keeps a record in the place of an earlier one with that key. The bytes are copied. */
  put(eventId: number, key: string, value: Buffer): void {
    let match = this.#heap.get(eventId);
    if (match === undefined) {
      match = new Map();
      this.#heap.set(eventId, match);
    }
    this.#bytes += value.length - (match.get(key)?.length ?? 0);
    match.set(key, Buffer.from(value));
    if (this.#bytes > this.#heapBytes) this.#spill();
  }

  /** Takes a match out, null where it is unknown. `stateKey` is the key of its match-state record. */
  take(eventId: number, stateKey: string): ColdMatch | null {
    const records = this.#disk?.take(eventId) ?? new Map<string, Buffer>();
    const inHeap = this.#heap.get(eventId);
    if (inHeap !== undefined) {
      this.#heap.delete(eventId);
      for (const [key, value] of inHeap) {
        records.set(key, value);
        this.#bytes -= value.length;
      }
    }
    if (records.size === 0) return null;
    const state = records.get(stateKey) ?? null;
    records.delete(stateKey);
    return { state, incidents: [...records.values()] };
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

  /** Moves everything to disk at once: matches that are still being played are taken out before they count. */
  #spill(): void {
    this.#disk ??= new Disk();
    this.#disk.putAll(this.#heap);
    this.#heap.clear();
    this.#bytes = 0;
  }
}

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
      'CREATE TABLE records (event_id INTEGER, key TEXT, value BLOB, PRIMARY KEY (event_id, key)) WITHOUT ROWID',
    );
    this.#insert = this.#database.prepare('INSERT OR REPLACE INTO records VALUES (?, ?, ?)');
    this.#select = this.#database.prepare('SELECT key, value FROM records WHERE event_id = ?');
    this.#delete = this.#database.prepare('DELETE FROM records WHERE event_id = ?');
  }

  get size(): number {
    return this.#events.size;
  }

  has(eventId: number): boolean {
    return this.#events.has(eventId);
  }

  putAll(matches: ReadonlyMap<number, ReadonlyMap<string, Buffer>>): void {
    this.#database.exec('BEGIN');
    for (const [eventId, records] of matches) {
      this.#events.add(eventId);
      for (const [key, value] of records) this.#insert.run(eventId, key, value);
    }
    this.#database.exec('COMMIT');
  }

  take(eventId: number): Map<string, Buffer> {
    if (!this.#events.delete(eventId)) return new Map();
    const rows = this.#select.all(eventId);
    this.#delete.run(eventId);
    return new Map(rows.map((row) => [String(row.key), Buffer.from(row.value as Uint8Array)]));
  }

  close(): void {
    this.#database.close();
  }
}
