import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLTagStore } from 'node:sqlite';
import { FolderError } from '#security/folders.ts';

/** A record with a key and a value. */
export type KeyedValue = { readonly key: Buffer; readonly value: Buffer };

/** Whether a record of a changelog has a key and a value: others are not stored. */
export function hasValue<T extends { readonly [K in keyof KeyedValue]: Buffer | null }>(
  record: T,
): record is T & KeyedValue {
  return record.key !== null && record.value !== null;
}

/** Bytes of records in memory at which they are written: thousands of small buffers would fragment 200 MiB of a process's memory. */
const PENDING_BYTES = 64 * 1024;
/** The same during a restore, which is faster with larger rows. */
const RESTORED_BYTES = 2 * 1024 * 1024;

/** One transaction that never ends: nothing outlives the process. With pages of 64 KiB a restore costs half (docs/decisions/0049). */
const SETUP = `
  PRAGMA page_size = 65536;
  PRAGMA cache_size = -1024;
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  CREATE TABLE spilled (owner, records BLOB NOT NULL);
  CREATE INDEX spilled_owner ON spilled (owner);
  BEGIN EXCLUSIVE;
`;

/**
 * Encoded records by owner (an event, a season), outside the heap: the newest in memory, the rest in a SQLite file that ends with
 * the process. Throws `FolderError`; then only `close` may follow.
 */
export class SpilledRecords<Owner extends number | string> {
  readonly #owners = new Set<Owner>();
  /** Records that are not in the database yet. */
  readonly #pending = new Map<Owner, KeyedValue[]>();
  #pendingBytes = 0;
  #database: DatabaseSync | null = null;
  #sql: SQLTagStore | null = null;

  get size(): number {
    return this.#owners.size;
  }

  /** Adds a record to its owner; a later one of the same key replaces it. Keeps a reference to key and value. */
  put(owner: Owner, record: KeyedValue, maxPendingBytes = PENDING_BYTES): void {
    const pending = this.#pending.get(owner);
    if (pending === undefined) {
      this.#pending.set(owner, [record]);
      this.#owners.add(owner);
    } else if (pending.at(-1)?.key.equals(record.key) === true) pending[pending.length - 1] = record;
    else pending.push(record);
    this.#pendingBytes += record.key.length + record.value.length;
    if (this.#pendingBytes > maxPendingBytes) this.#guard(() => this.#write());
  }

  /** Adds a record of a changelog, as `put`. */
  restore(owner: Owner, record: KeyedValue): void {
    this.put(owner, record, RESTORED_BYTES);
  }

  /** Returns the owner's records by key, in the order of their last writes; null for an unknown owner. */
  read(owner: Owner): Map<string, Buffer> | null {
    const records = this.take(owner);
    // As one row without superseded records.
    for (const [key, value] of records ?? []) this.put(owner, { key: Buffer.from(key), value });
    return records;
  }

  /** Removes and returns the owner's records, as `read` does. */
  take(owner: Owner): Map<string, Buffer> | null {
    if (!this.#owners.delete(owner)) return null;
    const records = new Map<string, Buffer>();
    const add = (key: string, value: Buffer) => {
      records.delete(key);
      records.set(key, value);
    };
    for (const row of this.#guard(() => this.#takeRows(owner))) unpack(row, add);
    for (const { key, value } of this.#pending.get(owner) ?? []) add(key.toString(), value);
    this.#pending.delete(owner);
    return records;
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
    this.#sql = null;
    this.#owners.clear();
    this.#pending.clear();
  }

  #write(): void {
    this.#sql ??= this.#open();
    for (const [owner, records] of this.#pending)
      this.#sql.run`INSERT INTO spilled VALUES (${owner}, ${pack(records)})`;
    this.#pending.clear();
    this.#pendingBytes = 0;
  }

  #takeRows(owner: Owner): Uint8Array[] {
    if (this.#sql === null) return [];
    const rows = this.#sql.all`SELECT records FROM spilled WHERE owner = ${owner} ORDER BY rowid`;
    if (rows.length > 0) this.#sql.run`DELETE FROM spilled WHERE owner = ${owner}`;
    return rows.map(({ records }) => records as Uint8Array);
  }

  #open(): SQLTagStore {
    const path = join(tmpdir(), `touchline-spill-${randomUUID()}`);
    // SQLite would let others read the file, and does not say why it cannot create one.
    closeSync(openSync(path, 'wx', 0o600));
    try {
      // Defensive mode insists on a journal.
      this.#database = new DatabaseSync(path, { defensive: false });
      this.#database.exec(SETUP);
    } finally {
      unlinkSync(path);
    }
    return this.#database.createTagStore();
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw new FolderError('TMPDIR', tmpdir(), error);
    }
  }
}

const HEAD = 8;

/** Returns records as one value: of each the lengths of key and value (4 bytes each), the key, the value. */
function pack(records: readonly KeyedValue[]): Buffer {
  let bytes = 0;
  for (const { key, value } of records) bytes += HEAD + key.length + value.length;
  const packed = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const { key, value } of records) {
    at = packed.writeUInt32LE(value.length, packed.writeUInt32LE(key.length, at));
    at += key.copy(packed, at);
    at += value.copy(packed, at);
  }
  return packed;
}

/** Calls `add` with each record that `pack` was given. The values are views of `packed`. */
function unpack(packed: Uint8Array, add: (key: string, value: Buffer) => void): void {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  for (let at = 0; at < bytes.length; ) {
    const keyEnd = at + HEAD + bytes.readUInt32LE(at);
    const end = keyEnd + bytes.readUInt32LE(at + 4);
    add(bytes.toString('utf8', at + HEAD, keyEnd), bytes.subarray(keyEnd, end));
    at = end;
  }
}
