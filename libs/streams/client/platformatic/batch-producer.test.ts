import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partitionKey } from '../port.ts';
import { batchRecords } from './batch-producer.ts';

const records = fc.array(
  fc.record({
    topic: fc.constantFrom('a', 'b'),
    partition: fc.nat(2),
    key: fc.string({ maxLength: 8 }),
    value: fc.option(fc.nat(200).map((size) => Buffer.alloc(size))),
  }),
);

test('batches every record once, in order within a partition, below the limit or alone', () => {
  fc.assert(
    fc.property(records, fc.integer({ min: 1, max: 600 }), (all, limit) => {
      const produceBatches = batchRecords(all, limit);
      for (const batches of produceBatches)
        expect(new Set(batches.map(partitionKey)).size).toBe(batches.length);
      const batches = produceBatches.flat();
      for (const [key, expected] of Map.groupBy(all, partitionKey)) {
        const ofPartition = batches.filter((batch) => partitionKey(batch) === key);
        expect(ofPartition.flatMap((batch) => batch.records)).toEqual(expected);
      }
      expect(batches.flatMap((batch) => batch.records)).toHaveLength(all.length);
      for (const { records: batch } of batches) {
        const bytes = batch.map(({ key, value }) => Buffer.byteLength(key ?? '') + (value?.length ?? 0) + 32);
        expect(batch.length === 1 || bytes.reduce((sum, one) => sum + one) <= limit).toBe(true);
      }
    }),
  );
});

test('returns no produce batch for no records', () => {
  expect([...batchRecords([])]).toEqual([]);
});
