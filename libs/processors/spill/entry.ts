/**
 * The layout of an entry, which holds the records that were stored for an owner at once. Its head has the position of the owner's
 * previous entry (8 bytes) and the length of this entry (4). Each record follows as key length (4), value length (4), key, value.
 */

/** A stored record of a changelog. */
export type KeyedValue = { readonly key: Buffer; readonly value: Buffer };

/** Whether a record of a changelog has a key and a value: others are not stored. */
export function hasValue<T extends { readonly [K in keyof KeyedValue]: Buffer | null }>(
  record: T,
): record is T & KeyedValue {
  return record.key !== null && record.value !== null;
}

const HEAD = 12;
const RECORD_HEAD = 8;

/** Returns the position of the owner's previous entry. */
export function previousOf(entry: Buffer): number {
  return entry.readDoubleLE(0);
}

/** Returns the bytes of the entry that begins at `at`, including its head. */
export function lengthOf(entry: Buffer, at: number): number {
  return entry.readUInt32LE(at + 8);
}

/** Returns the bytes of an entry with records `from` to `to` (excluded) of a list. */
export function entryBytes(records: readonly KeyedValue[], from: number, to: number): number {
  let bytes = HEAD;
  for (let at = from; at < to; at++) {
    const { key, value } = records[at] as KeyedValue;
    bytes += RECORD_HEAD + key.length + value.length;
  }
  return bytes;
}

/** Writes an entry with records `from` to `to` (excluded) of a list. Returns the position after it. */
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
    end = target.writeUInt32LE(value.length, target.writeUInt32LE(key.length, end));
    end += key.copy(target, end);
    end += value.copy(target, end);
  }
  target.writeUInt32LE(end - start, target.writeDoubleLE(previous, start));
  return end;
}

/** Returns the last value of each key, in the order of the last writes. `entries`: newest first. The values are views of them. */
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
