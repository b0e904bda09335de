const HEAD_BYTES = 8;

/** Keys and values in one buffer: lengths of both, key, value, and so on. */
export function pack(records: Iterable<[key: string, value: Buffer]>): Buffer {
  const parts: Buffer[] = [];
  for (const [key, value] of records) {
    const name = Buffer.from(key);
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head.writeUInt32LE(name.length, 0);
    head.writeUInt32LE(value.length, 4);
    parts.push(head, name, value);
  }
  return Buffer.concat(parts);
}

/** What was packed, in the same order; the values are views of `packed`. */
export function* unpack(packed: Buffer): Generator<[key: string, value: Buffer], void, void> {
  for (let at = 0; at < packed.length; ) {
    const nameEnd = at + HEAD_BYTES + packed.readUInt32LE(at);
    const end = nameEnd + packed.readUInt32LE(at + 4);
    yield [packed.toString('utf8', at + HEAD_BYTES, nameEnd), packed.subarray(nameEnd, end)];
    at = end;
  }
}
