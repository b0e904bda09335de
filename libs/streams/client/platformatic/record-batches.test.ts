import { createRecordsBatch } from '@platformatic/kafka';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTracing, stopTracing } from '#tracing/tracing.ts';
import { batchBytes, sealed, type WrittenRecord } from '../../../../test/support/batches.ts';
import type { FetchedRecord } from '../port.ts';
import { type DecodeOptions, decodeBatches, RecordBatchError } from './record-batches.ts';
import {
  type Compression,
  fetched,
  NOW,
  recordAt,
  START,
  step,
  type TransactionLog,
  write,
} from './testing/transaction-log.ts';

const decode = (
  bytes: Buffer,
  from: number,
  aborted: DecodeOptions['aborted'],
  maxInflated = Number.POSITIVE_INFINITY,
) => decodeBatches(bytes, { from, aborted, maxInflated });

/** Returns a record without a key. */
const recordOf = (offset: number, value: Buffer) => ({ offset, key: null, value, timestamp: NOW });

function expected(batches: TransactionLog['batches'], from: number): WrittenRecord[] {
  return batches.flatMap(({ visible }) => visible).filter(({ offset }) => offset >= from);
}

function plain(records: readonly (FetchedRecord | WrittenRecord)[]) {
  return records.map(({ offset, key, value, timestamp }) => ({
    offset,
    key: key?.toString() ?? null,
    value: value?.toString() ?? null,
    timestamp,
  }));
}

test('returns the records of committed transactions from any offset, for any interleaving', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40, size: 'max' }),
      fc.nat(80),
      fc.nat(),
      (steps, skip, shuffle) => {
        const log = write(steps);
        const from = START + skip;
        const { batches, bytes, aborted } = fetched(log, from, shuffle);
        const decoded = decode(bytes, from, aborted);
        expect(plain(decoded.records)).toEqual(plain(expected(batches, from)));
        expect(decoded.next).toBe((batches.at(-1)?.last ?? from - 1) + 1);
      },
    ),
  );
});

test('returns the same records from any number of responses, cut at any byte', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25, size: 'max' }), fc.nat(), (steps, seed) => {
      const log = write(steps);
      const records: FetchedRecord[] = [];
      let from = START;
      let cut = seed;
      for (;;) {
        const { batches, bytes, aborted } = fetched(log, from, cut);
        const [first] = batches;
        if (first === undefined) break;
        // The first batch is never cut.
        const size = first.bytes.length + (cut % (bytes.length - first.bytes.length + 1));
        const decoded = decode(bytes.subarray(0, size), from, aborted, 1 + (cut % 200));
        records.push(...decoded.records);
        expect(decoded.next).toBeGreaterThan(from);
        from = decoded.next;
        cut = (cut * 31 + 17) % 100_003;
      }
      expect(plain(records)).toEqual(plain(expected(log.batches, START)));
    }),
  );
});

test('returns views of the bytes of an uncompressed batch', () => {
  const records = [{ ...recordAt(START + 1), offset: 0 }];
  const bytes = batchBytes({ first: 0, last: 0, records });
  const [record] = decode(bytes, 0, []).records;
  expect(record?.value?.buffer).toBe(bytes.buffer);
});

test('leaves batches above the limit of decompressed bytes to the next fetch', () => {
  const value = Buffer.alloc(10_000);
  const written = Array.from({ length: 5 }, (_, first) =>
    batchBytes({ first, last: first, records: [recordOf(first, value)], compression: 'zstd' }),
  );
  expect(decode(Buffer.concat(written), 4, []).inflated).toBeGreaterThan(10_000);
  const offsets = (maxInflated: number) =>
    decode(Buffer.concat(written), 1, [], maxInflated).records.map((r) => r.offset);
  expect(offsets(1)).toEqual([1]);
  expect(offsets(15_000)).toEqual([1, 2]);
  expect(offsets(1_000_000)).toEqual([1, 2, 3, 4]);
  expect(decode(Buffer.concat(written), 1, [], 15_000).next).toBe(3);
  expect(decode(Buffer.concat(written), 1, [], 0).next).toBe(1);
});

test('reads the batches that the library writes', () => {
  const messages = [
    { topic: 'any', key: Buffer.from('a'), value: Buffer.from('b'), timestamp: BigInt(NOW) },
    { topic: 'any', key: Buffer.from('c'), value: null as unknown as Buffer, timestamp: BigInt(NOW - 3) },
  ];
  const { records, next } = decode(createRecordsBatch(messages, { compression: 'lz4' }).buffer, 0, []);
  expect(plain(records)).toEqual([
    { offset: 0, key: 'a', value: 'b', timestamp: NOW },
    { offset: 1, key: 'c', value: null, timestamp: NOW - 3 },
  ]);
  expect(next).toBe(2);
});

test('returns the broker’s time for a topic with append time', () => {
  const records = [recordAt(START), recordAt(START + 1)];
  const bytes = batchBytes({ first: START, last: START + 1, records, appendTime: NOW + 9 });
  expect(decode(bytes, START, []).records.map(({ timestamp }) => timestamp)).toEqual([NOW + 9, NOW + 9]);
});

test('counts times from the delete horizon of a compacted batch', () => {
  const records = [recordAt(START + 3)];
  const bytes = batchBytes({ first: START, last: START + 5, records, deleteHorizon: NOW + 86_400_000 });
  expect(decode(bytes, START, []).records[0]?.timestamp).toBe(recordAt(START + 3).timestamp);
});

test('skips an empty batch, and returns the same offset without one', () => {
  const bytes = batchBytes({ first: START, last: START + 5, records: [] });
  expect(decode(bytes, START + 2, [])).toEqual({ records: [], next: START + 6, epoch: 7, inflated: 0 });
  expect(decode(Buffer.alloc(0), 42, null)).toEqual({ records: [], next: 42, epoch: null, inflated: 0 });
});

test.each([0, 1, 3])('rejects format %i', (magic) => {
  const bytes = batchBytes({ first: 12, last: 12, records: [], magic });
  const message = `record batch at offset 12: format ${magic}`;
  const refusal = { name: 'RecordBatchError', code: 'UNSUPPORTED_FORMAT', message };
  expect(() => decode(bytes, 12, null)).toThrow(expect.objectContaining(refusal));
});

test('rejects an unknown compression', () => {
  const bytes = batchBytes({ first: 12, last: 12, records: [recordAt(12)] });
  bytes.writeInt16BE(5, 21);
  const read = () => decode(sealed(bytes), 12, null);
  expect(read).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_FORMAT' }));
});

test.each<Compression>(['gzip', 'snappy', 'lz4', 'zstd'])(
  'rejects a batch of %s above the limit, after the records before it',
  (compression) => {
    const records = [recordOf(0, Buffer.alloc(70 * 1024 * 1024))];
    const before = batchBytes({ first: START, last: START, records: [recordAt(START)] });
    const bytes = batchBytes({ first: START + 1, last: START + 5, records, compression });
    const { next, records: read } = decode(Buffer.concat([before, bytes]), START, null);
    expect([next, read.length]).toEqual([START + 1, 1]);
    const message = `record batch at offset ${START + 1}: it has more than 67108864 bytes once decompressed; continue after it, at offset ${START + 6}`;
    const refusal = { code: 'TOO_LARGE', message, next: START + 6 };
    expect(() => decode(bytes, next, null)).toThrow(expect.objectContaining(refusal));
  },
);

test.each<[string, number, readonly number[]]>([
  ['that cannot be decompressed', 21, [0, 1]],
  ['with a record that is longer than the batch', 61, [120]],
  ['with a key that is longer than its record', 65, [120]],
  ['with fewer records than it says', 57, [0, 0, 0, 2]],
  ['with a length below that of its head', 8, [0, 0, 0, 3]],
])('rejects a batch %s', (_, at, change) => {
  const records = [{ offset: 0, key: Buffer.from('key'), value: Buffer.from('value'), timestamp: NOW }];
  const bytes = batchBytes({ first: 0, last: 0, records });
  bytes.set(change, at);
  expect(() => decode(sealed(bytes), 0, null)).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
});

test('rejects a batch with any changed byte of its content', () => {
  const records = [0, 1].map((offset) => ({ ...recordAt(START + offset), offset }));
  const bytes = batchBytes({ first: 0, last: 1, records });
  for (let at = 17; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 0x40;
    expect(() => decode(changed, 0, null)).toThrow(RecordBatchError);
  }
});

test('returns the traceparent of a record only while traces are on', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const record = recordOf(0, Buffer.from('v'));
  const records = [record, { ...record, offset: 1, traceparent }, { ...record, offset: 2 }];
  const bytes = batchBytes({ first: 0, last: 2, records });
  const read = () => decode(bytes, 0, null).records.map((one) => one.traceparent);
  expect(read()).toEqual([undefined, undefined, undefined]);
  const away = { service: 's', endpoint: 'http://127.0.0.1:9', headers: {}, ratio: 1 };
  await startTracing({ ...away, sampler: 'always_off' }, { log: { warn() {}, info() {} }, onSpans() {} });
  try {
    expect(read()).toEqual([undefined, traceparent, undefined]);
    expect(decode(bytes, 0, null).records.map(({ offset, value }) => [offset, String(value)])).toEqual(
      [0, 1, 2].map((offset) => [offset, 'v']),
    );
  } finally {
    await stopTracing();
  }
});
