/**
 * The layout of an entry, the records that were stored for an owner at once: a head of position of the owner's previous
 * entry (8), owner (8), bytes (4), unused (4); then each record after the lengths of its key (4) and value (4).
 */

/** A record of a changelog, as stored. */
export type KeyedValue = { readonly key: Buffer; readonly value: Buffer };

/** Whether a record of a changelog is one that is stored: it has a key, and does not delete it. */
export function hasValue<T extends { readonly [K in keyof KeyedValue]: Buffer | null }>(
  record: T,
): record is T & KeyedValue {
  return record.key !== null && record.value !== null;
}

/** The memory of entries, also as the numbers that their heads are written with. */
export type EntryMemory = {
  readonly bytes: Buffer;
  readonly numbers: Float64Array;
  readonly words: Uint32Array;
};

type EntryHead = {
  /** Position of the owner's previous entry. */
  readonly before: number;
  readonly owner: number;
  /** Bytes of the entry, its head included. */
  readonly bytes: number;
};

/** Bytes of the head. */
export const ENTRY_HEAD = 24;
const RECORD_HEAD = 8;
/** Entries begin at multiples of this, so that their heads can be written as numbers. */
export const ALIGN = 8;

export function newEntryMemory(bytes: number): EntryMemory {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  return {
    bytes: buffer,
    numbers: new Float64Array(buffer.buffer),
    words: new Uint32Array(buffer.buffer, 0, bytes >> 2),
  };
}

/** Bytes of an entry with records `from` to `to` of a list. */
export function entryBytes(records: readonly KeyedValue[], from: number, to: number): number {
  let bytes = ENTRY_HEAD;
  for (let at = from; at < to; at++) {
    const { key, value } = records[at] as KeyedValue;
    bytes += RECORD_HEAD + key.length + value.length;
  }
  return bytes;
}

/** Bytes from the start of an entry to the start of the next one. */
export function aligned(bytes: number): number {
  return bytes + (-bytes & (ALIGN - 1));
}

export function writeHead(
  { numbers, words }: EntryMemory,
  start: number,
  before: number,
  owner: number,
  bytes: number,
): void {
  numbers[start / 8] = before;
  numbers[start / 8 + 1] = owner;
  words[start / 4 + 4] = bytes;
}

/** The head of the entry that the buffer begins with. */
export function readHead(entry: Buffer): EntryHead {
  return { before: entry.readDoubleLE(0), owner: entry.readDoubleLE(8), bytes: entry.readUInt32LE(16) };
}

/** Writes records `from` to `to` of a list after the head of the entry at `start`. */
export function writeRecords(
  { bytes: target }: EntryMemory,
  start: number,
  records: readonly KeyedValue[],
  from: number,
  to: number,
): void {
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
}

/** Writes a length as four bytes and gives the position after it. */
function writeLength(target: Buffer, at: number, length: number): number {
  target[at] = length;
  target[at + 1] = length >> 8;
  target[at + 2] = length >> 16;
  target[at + 3] = length >>> 24;
  return at + 4;
}

/** The records of entries by key, the last entry first. The values are views of them. */
export function unpack(entries: readonly Buffer[]): Map<string, Buffer> {
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
