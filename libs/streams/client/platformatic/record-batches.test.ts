import { createRecordsBatch } from '@platformatic/kafka';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTracing, stopTracing } from '#tracing/tracing.ts';
import { batchBytes, marker, sealed, type WrittenRecord } from '../../../../test/support/batches.ts';
import type { FetchedRecord } from '../port.ts';
import { type DecodeOptions, decodeBatches, RecordBatchError } from './record-batches.ts';

const NOW = 1_795_000_000_000;
/** Beyond 32 bits, as offsets of a long-lived topic are. */
const START = 2 ** 33 - 5;
const PRODUCERS = [1, 2, 3, 4];

function decode(
  bytes: Buffer,
  from: number,
  aborted: DecodeOptions['aborted'],
  maxInflated = Number.POSITIVE_INFINITY,
) {
  return decodeBatches(bytes, { from, aborted, maxInflated });
}

/** The next action of a producer. `end` does nothing without an open transaction of this producer. */
type Step =
  | {
      kind: 'write';
      producer: number;
      isTransactional: boolean;
      retained: readonly boolean[];
      compression: Compression;
    }
  | { kind: 'end'; producer: number; how: 'commit' | 'abort' };
type Compression = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';

const producer = fc.constantFrom(...PRODUCERS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      producer,
      isTransactional: fc.boolean(),
      // False for records removed by compaction: a batch may lose all of them.
      retained: fc.array(
        fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
        { minLength: 1, maxLength: 5 },
      ),
      compression: fc.constantFrom<Compression>('none', 'none', 'gzip', 'snappy', 'lz4', 'zstd'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      producer,
      how: fc.constantFrom('commit', 'abort'),
    }),
  },
);

type Log = {
  readonly batches: readonly {
    readonly last: number;
    readonly bytes: Buffer;
    readonly visible: WrittenRecord[];
  }[];
  readonly aborted: readonly {
    readonly producerId: bigint;
    readonly firstOffset: number;
    readonly last: number;
  }[];
};

/** The log, with the records of each batch that a reader may see: the oracle knows how each transaction ends. */
function write(steps: readonly Step[]): Log {
  const ends: Step[] = PRODUCERS.map((producer) => ({ kind: 'end', producer, how: 'abort' }));
  const batches: { last: number; bytes: Buffer; visible: WrittenRecord[] }[] = [];
  const aborted: { producerId: bigint; firstOffset: number; last: number }[] = [];
  const open = new Map<number, { first: number; batches: { visible: WrittenRecord[] }[] }>();
  let offset = START;
  for (const step of [...steps, ...ends]) {
    const own = open.get(step.producer);
    const first = offset;
    if (step.kind === 'end') {
      if (own === undefined) continue;
      if (step.how === 'abort') {
        for (const batch of own.batches) batch.visible = [];
        aborted.push({ producerId: BigInt(step.producer), firstOffset: own.first, last: first });
      }
      open.delete(step.producer);
      batches.push({ last: first, bytes: marker(first, step.producer, step.how), visible: [] });
      offset += 1;
      continue;
    }
    const last = first + step.retained.length - 1;
    const records = step.retained
      .map((isRetained, n) => ({ isRetained, record: recordAt(first + n) }))
      .filter(({ isRetained }) => isRetained)
      .map(({ record }) => record);
    // A producer with an open transaction writes nothing outside of it.
    const isTransactional = step.isTransactional || own !== undefined;
    const { compression } = step;
    const bytes = batchBytes({
      first,
      last,
      records,
      producerId: step.producer,
      isTransactional,
      compression,
    });
    const batch = { last, bytes, visible: records };
    if (isTransactional)
      open.set(step.producer, { first: own?.first ?? first, batches: [...(own?.batches ?? []), batch] });
    batches.push(batch);
    offset = last + 1;
  }
  return { batches, aborted };
}

function recordAt(offset: number): WrittenRecord {
  const n = offset - START;
  return {
    offset,
    key: n % 7 === 0 ? null : Buffer.from(`key-${n}`),
    value: n % 5 === 0 ? null : Buffer.from(`value-${n}-`.repeat(n % 40)),
    // May be earlier than the record before it.
    timestamp: NOW + ((n * 7_919) % 100_003) - 50_000,
  };
}

/** Returns a broker's response to a fetch: whole batches from the one that contains the offset. */
function answer(log: Log, from: number, shuffle: number) {
  const batches = log.batches.filter(({ last }) => last >= from);
  const aborted = log.aborted.filter(({ last }) => last >= from);
  return {
    batches,
    bytes: Buffer.concat(batches.map(({ bytes }) => bytes)),
    aborted: rotated(aborted, shuffle),
  };
}

function rotated<T>(of: readonly T[], by: number): T[] {
  const at = of.length === 0 ? 0 : by % of.length;
  return [...of.slice(at), ...of.slice(0, at)];
}

function expected(batches: Log['batches'], from: number): WrittenRecord[] {
  return batches.flatMap(({ visible }) => visible).filter(({ offset }) => offset >= from);
}

function plain(records: readonly FetchedRecord[]) {
  return records.map(({ offset, key, value, timestamp }) => ({
    offset,
    key: key?.toString() ?? null,
    value: value?.toString() ?? null,
    timestamp,
  }));
}

function plainWritten(records: readonly WrittenRecord[]) {
  return plain(records);
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
        const { batches, bytes, aborted } = answer(log, from, shuffle);
        const decoded = decode(bytes, from, aborted);
        expect(plain(decoded.records)).toEqual(plainWritten(expected(batches, from)));
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
        const { batches, bytes, aborted } = answer(log, from, cut);
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
      expect(plain(records)).toEqual(plainWritten(expected(log.batches, START)));
    }),
  );
});

test('leaves a cut batch to the next fetch, cut at any byte', () => {
  const log = write([
    { kind: 'write', producer: 1, isTransactional: true, retained: [true, true], compression: 'none' },
    { kind: 'write', producer: 2, isTransactional: true, retained: [true], compression: 'gzip' },
    { kind: 'end', producer: 1, how: 'commit' },
    { kind: 'write', producer: 2, isTransactional: true, retained: [false], compression: 'none' },
    { kind: 'end', producer: 2, how: 'commit' },
  ]);
  const { bytes } = answer(log, START, 0);
  for (let size = 0; size <= bytes.length; size += 1) {
    const complete: Log['batches'][number][] = [];
    let end = 0;
    for (const batch of log.batches) {
      end += batch.bytes.length;
      if (end > size) break;
      complete.push(batch);
    }
    const decoded = decode(bytes.subarray(0, size), START, log.aborted);
    expect(plain(decoded.records)).toEqual(plainWritten(expected(complete, START)));
    expect(decoded.next).toBe((complete.at(-1)?.last ?? START - 1) + 1);
  }
});

test('hides an aborted transaction within another one', () => {
  const data = (first: number, producerId: number) =>
    batchBytes({ first, last: first, records: [recordAt(first)], producerId, isTransactional: true });
  const bytes = Buffer.concat([
    data(START, 1),
    data(START + 1, 2),
    data(START + 2, 3),
    marker(START + 3, 3, 'abort'),
    marker(START + 4, 1, 'abort'),
    data(START + 5, 1),
    data(START + 6, 2),
    marker(START + 7, 1, 'commit'),
    marker(START + 8, 2, 'abort'),
  ]);
  const aborted = [
    { producerId: 3n, firstOffset: START + 2 },
    { producerId: 1n, firstOffset: START },
    { producerId: 2n, firstOffset: START + 1 },
  ];
  expect(decode(bytes, START, aborted).records.map(({ offset }) => offset)).toEqual([START + 5]);
  expect(decode(bytes, START, null).records.map(({ offset }) => offset - START)).toEqual([0, 1, 2, 5, 6]);
});

test('returns views of the bytes of an uncompressed batch', () => {
  const bytes = batchBytes({
    first: 0,
    last: 0,
    records: [recordAt(START + 1)].map((r) => ({ ...r, offset: 0 })),
  });
  const [record] = decode(bytes, 0, []).records;
  expect(record?.value?.buffer).toBe(bytes.buffer);
});

test('counts decompressed bytes', () => {
  const value = Buffer.alloc(10_000);
  const records = [{ offset: 0, key: null, value, timestamp: NOW }];
  const bytes = batchBytes({ first: 0, last: 0, records, compression: 'gzip' });
  expect(decode(bytes, 0, []).inflated).toBeGreaterThan(10_000);
});

test('leaves batches above the limit of decompressed bytes to the next fetch', () => {
  const value = Buffer.alloc(10_000);
  const written = Array.from({ length: 5 }, (_, offset) =>
    batchBytes({
      first: offset,
      last: offset,
      records: [{ offset, key: null, value, timestamp: NOW }],
      compression: 'zstd',
    }),
  );
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

test('skips an empty batch', () => {
  const bytes = batchBytes({ first: START, last: START + 5, records: [] });
  expect(decode(bytes, START + 2, [])).toEqual({
    records: [],
    next: START + 6,
    epoch: 7,
    inflated: 0,
  });
});

test('returns the same offset without a batch', () => {
  expect(decode(Buffer.alloc(0), 42, null)).toEqual({ records: [], next: 42, epoch: null, inflated: 0 });
});

test.each([0, 1, 3])('rejects format %i', (magic) => {
  const bytes = batchBytes({ first: 12, last: 12, records: [], magic });
  expect(() => decode(bytes, 12, null)).toThrow(
    expect.objectContaining({
      name: 'RecordBatchError',
      code: 'UNSUPPORTED_FORMAT',
      message: `record batch at offset 12: format ${magic}`,
    }),
  );
});

test('rejects an unknown compression', () => {
  const bytes = batchBytes({ first: 12, last: 12, records: [recordAt(12)] });
  bytes.writeInt16BE(5, 21);
  expect(() => decode(sealed(bytes), 12, null)).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED_FORMAT' }),
  );
});

test.each<Compression>(['gzip', 'snappy', 'lz4', 'zstd'])(
  'rejects a batch of %s above the limit',
  (compression) => {
    const value = Buffer.alloc(70 * 1024 * 1024);
    const records = [{ offset: 0, key: null, value, timestamp: NOW }];
    const bytes = batchBytes({ first: 0, last: 4, records, compression });
    expect(() => decode(bytes, 0, null)).toThrow(
      expect.objectContaining({
        code: 'TOO_LARGE',
        message:
          'record batch at offset 0: it has more than 67108864 bytes once decompressed; continue after it, at offset 5',
      }),
    );
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
  const bytes = batchBytes({
    first: 0,
    last: 1,
    records: [recordAt(START), recordAt(START + 1)].map((r, n) => ({ ...r, offset: n })),
  });
  for (let at = 17; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 0x40;
    expect(() => decode(changed, 0, null)).toThrow(RecordBatchError);
  }
});

test('returns the traceparent of a record only while traces are on', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const record = { offset: 0, key: null, value: Buffer.from('v'), timestamp: NOW };
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
