import { createRecordsBatch, NumericMap } from '@platformatic/kafka';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BatchRecord } from '../port.ts';
import { batchRecords } from './batch-producer.ts';
import { createRequest, nextSequence, recordBytes } from './produce-request.ts';

const NOW = 1_795_000_000_123;
const SEQUENCE = 77;
const timeoutMs = 10_000;

const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

const bytes = fc.uint8Array({ maxLength: 300 }).map((of) => Buffer.from(of));
const records = fc.array(
  fc.record(
    {
      topic: fc.constant('a-topic'),
      partition: fc.constant(3),
      key: fc.option(fc.oneof(fc.string({ unit: 'grapheme' }), bytes)),
      value: fc.option(bytes),
      traceparent: fc.constant(TRACE),
    },
    { requiredKeys: ['topic', 'partition', 'key', 'value'] },
  ),
  { minLength: 1, maxLength: 150 },
);

function requestOf(of: readonly BatchRecord[], transactionalId: string | null): Buffer {
  const numbered = batchRecords(of)
    .flat()
    .map((batch) => ({ batch, sequence: SEQUENCE }));
  const identity = { transactionalId, id: 4_000n, epoch: 5 };
  return createRequest(identity, numbered, timeoutMs, NOW).buffer;
}

/** The batch as the library writes it. */
function batchOf(of: readonly BatchRecord[], transactionalId: string | null): Buffer {
  const sequences = new NumericMap();
  sequences.set('a-topic:3', SEQUENCE);
  const messages = of.map(({ topic, partition, key, value, traceparent: trace }) => ({
    topic,
    partition,
    timestamp: BigInt(NOW),
    // The library represents no key or value as undefined.
    key: (typeof key === 'string' ? Buffer.from(key) : key) as Buffer,
    value: value as Buffer,
    headers: new Map(trace === undefined ? [] : [[Buffer.from('traceparent'), Buffer.from(trace)]]),
  }));
  const options = { producerId: 4_000n, producerEpoch: 5, sequences };
  return createRecordsBatch(messages, transactionalId === null ? options : { ...options, transactionalId })
    .buffer;
}

test.each([null, 'an-id'])('writes the bytes of the library for the transactional id %s', (id) => {
  fc.assert(
    fc.property(records, (of) => {
      const request = requestOf(of, id);
      const batch = batchOf(of, id);
      // Followed by the tags of the partition, of the topic and of the request.
      expect(request.subarray(-3)).toEqual(Buffer.alloc(3));
      expect(request.subarray(-3 - batch.length, -3).equals(batch)).toBe(true);
    }),
  );
});

test('writes no record with more bytes than estimated', () => {
  fc.assert(
    fc.property(records, (of) => {
      const reckoned = of.reduce((sum, record) => sum + recordBytes(record), 0);
      expect(batchOf(of, null).length - 61).toBeLessThanOrEqual(reckoned);
    }),
  );
});

test('wraps sequence numbers around after the largest', () => {
  expect(nextSequence(2 ** 31 - 1, 1)).toBe(0);
  expect(nextSequence(2 ** 31 - 3, 5)).toBe(2);
});
