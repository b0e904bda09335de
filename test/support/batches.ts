import {
  type CompressionAlgorithmValue,
  compressionsAlgorithms,
  createRecord,
  jsCRC32C,
} from '@platformatic/kafka';

export type WrittenRecord = {
  readonly offset: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly timestamp: number;
  readonly traceparent?: string;
};

export type TestBatch = {
  readonly first: number;
  readonly last: number;
  /** The records that compaction has left. */
  readonly records: readonly WrittenRecord[];
  readonly producerId?: number;
  readonly isTransactional?: boolean;
  readonly isControl?: boolean;
  readonly compression?: CompressionAlgorithmValue;
  /** Time of all records when the topic uses the broker's time, Unix milliseconds. */
  readonly appendTime?: number;
  /** Time when a tombstone or marker may be deleted, in place of the base time. */
  readonly deleteHorizon?: number;
  readonly magic?: number;
};

/** Returns a batch of format 2 as a broker stores it after compaction; no producer writes such a batch. */
export function batchBytes(batch: TestBatch): Buffer {
  const { first, last, records, compression = 'none', appendTime, deleteHorizon } = batch;
  const base = deleteHorizon ?? records[0]?.timestamp ?? 0;
  const algorithm = compressionsAlgorithms[compression];
  const plain = Buffer.concat(
    records.map(
      ({ offset, key, value, timestamp, traceparent }) =>
        createRecord(
          // The library expects undefined for no compression.
          {
            topic: 'any',
            key: key as Buffer,
            value: value as Buffer,
            timestamp: BigInt(timestamp),
            headers:
              traceparent === undefined
                ? HEADERS
                : new Map([...HEADERS, [Buffer.from('traceparent'), Buffer.from(traceparent)]]),
          },
          offset - first,
          BigInt(base),
        ).buffer,
    ),
  );
  // An empty batch after compaction has nothing to decompress, whatever its header says.
  const body = compression === 'none' || plain.length === 0 ? plain : algorithm.compressSync(plain);
  const bytes = Buffer.alloc(61 + body.length);
  bytes.writeBigInt64BE(BigInt(first), 0);
  bytes.writeInt32BE(bytes.length - 12, 8);
  bytes.writeInt32BE(7, 12);
  bytes.writeInt8(batch.magic ?? 2, 16);
  bytes.writeInt16BE(
    algorithm.bitmask |
      (appendTime === undefined ? 0 : 1 << 3) |
      (batch.isTransactional ? 1 << 4 : 0) |
      (batch.isControl ? 1 << 5 : 0) |
      (deleteHorizon === undefined ? 0 : 1 << 6),
    21,
  );
  bytes.writeInt32BE(last - first, 23);
  bytes.writeBigInt64BE(BigInt(base), 27);
  bytes.writeBigInt64BE(
    BigInt(appendTime ?? Math.max(base, ...records.map(({ timestamp }) => timestamp))),
    35,
  );
  bytes.writeBigInt64BE(BigInt(batch.producerId ?? -1), 43);
  bytes.writeInt16BE(0, 51);
  bytes.writeInt32BE(0, 53);
  bytes.writeInt32BE(records.length, 57);
  body.copy(bytes, 61);
  return sealed(bytes);
}

/** Writes the checksum of a batch that a test has changed, and returns the batch. */
export function sealed(bytes: Buffer): Buffer {
  bytes.writeUInt32BE(jsCRC32C(bytes.subarray(21)), 17);
  return bytes;
}

/** Returns the batch that ends a transaction. */
export function marker(offset: number, producerId: number, kind: 'commit' | 'abort'): Buffer {
  const key = Buffer.from([0, 0, 0, kind === 'commit' ? 1 : 0]);
  const value = Buffer.from([0, 0, 0, 0, 0, 1]);
  return batchBytes({
    first: offset,
    last: offset,
    records: [{ offset, key, value, timestamp: 1_795_000_000_000 }],
    producerId,
    isTransactional: true,
    isControl: true,
  });
}

const HEADERS = new Map([[Buffer.from('a-header'), Buffer.from('its-value')]]);
