import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OutputRecord } from '../port.ts';
import { batchRecords, type ProduceBatch } from './produce.ts';

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
      const batches = [...batchRecords(all, limit)];
      for (const topic of ['a', 'b']) {
        for (const partition of [0, 1, 2]) {
          const of = (list: readonly OutputRecord[]) =>
            list.filter((r) => r.topic === topic && r.partition === partition);
          const inBatch = (produceBatch: ProduceBatch) => {
            const batches = produceBatch.filter(
              (batch) => batch.topic === topic && batch.partition === partition,
            );
            expect(batches.length).toBeLessThanOrEqual(1);
            return batches[0]?.records ?? [];
          };
          expect(batches.flatMap(inBatch)).toEqual(of(all));
          for (const produceBatch of batches) {
            const batch = inBatch(produceBatch);
            const bytes = batch.reduce(
              (sum, r) => sum + Buffer.byteLength(r.key ?? '') + (r.value?.length ?? 0) + 32,
              0,
            );
            expect(batch.length === 1 || bytes <= limit).toBe(true);
          }
        }
      }
    }),
  );
});

test('returns no produce batch for no records', () => {
  expect([...batchRecords([])]).toEqual([]);
});
