/**
 * The layout of an entry, the records that were stored for an owner at once: a head of the position of the owner's previous
 * entry (8) and the bytes of this one (4); then each record after the lengths of its key (4) and value (4).
 */

/** A record of a changelog, as stored. */
export type KeyedValue = { readonly key: Buffer; readonly value: Buffer };

/** Whether a record of a changelog is one that is stored: it has a key, and does not delete it. */
export function hasValue<T extends { readonly [K in keyof KeyedValue]: Buffer | null }>(
  record: T,
): record is T & KeyedValue {
  return record.key !== null && record.value !== null;
}

const HEAD = 12;
const RECORD_HEAD = 8;

/** Position of the owner's previous entry. */
export function previousOf(entry: Buffer): number {
  return entry.readDoubleLE(0);
}

/** Bytes of the entry that begins here, its head included. */
export function lengthOf(entry: Buffer, at: number): number {
  return entry.readUInt32LE(at + 8);
}

/** Bytes of an entry with these records. */
export function entryBytes(records: readonly KeyedValue[], from: number, to: number): number {
  let bytes = HEAD;
  for (let at = from; at < to; at++) {
    const { key, value } = records[at] as KeyedValue;
    bytes += RECORD_HEAD + key.length + value.length;
  }
  return bytes;
}

/** Writes an entry with records `from` to `to` of a list, and gives the position after it. */
export function writeEntry(
  target: Buffer,
  start: number,
  previous: number,
  records: readonly KeyedValue[],
  from: number,
  to: number,
): number {
  let end = start + HEAD;
  for (let at = from; at < to; at++) {
    const { key, value } = records[at] as KeyedValue;
    end = writeLength(target, writeLength(target, end, key.length), value.length);
    // Keys are short: a loop is faster than a call that sets up a copy.
    for (let byte = 0; byte < key.length; byte++) target[end + byte] = key[byte] as number;
    end += key.length;
    target.set(value, end);
    end += value.length;
  }
  target.writeUInt32LE(end - start, target.writeDoubleLE(previous, start));
  return end;
}

/** Writes a length as four bytes and gives the position after it. */
function writeLength(target: Buffer, at: number, length: number): number {
  target[at] = length;
  target[at + 1] = length >> 8;
  target[at + 2] = length >> 16;
  target[at + 3] = length >>> 24;
  return at + 4;
}

/** The records of entries by key, the last entry first, in the order of their last writes. The values are views of them. */
export function unpack(entries: readonly Buffer[]): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  for (const entry of entries.toReversed()) {
    for (let at = HEAD; at < entry.length; ) {
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
