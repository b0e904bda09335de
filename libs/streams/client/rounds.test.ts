import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OutputRecord } from './port.ts';
import { type Round, splitRounds } from './rounds.ts';

const records = fc.array(
  fc.record({
    topic: fc.constantFrom('a', 'b'),
    partition: fc.nat(2),
    key: fc.string({ maxLength: 8 }),
    value: fc.option(fc.nat(200).map((size) => Buffer.alloc(size))),
  }),
);

test('rounds hold every record once, in order within a partition, and no batch above the limit but a single large record', () => {
  fc.assert(
    fc.property(records, fc.integer({ min: 1, max: 600 }), (all, limit) => {
      const rounds = [...splitRounds(all, limit)];
      for (const topic of ['a', 'b']) {
        for (const partition of [0, 1, 2]) {
          const of = (list: readonly OutputRecord[]) =>
            list.filter((r) => r.topic === topic && r.partition === partition);
          const inRound = (round: Round) => {
            const batches = round.filter((batch) => batch.topic === topic && batch.partition === partition);
            expect(batches.length).toBeLessThanOrEqual(1);
            return batches[0]?.records ?? [];
          };
          expect(rounds.flatMap(inRound)).toEqual(of(all));
          for (const round of rounds) {
            const batch = inRound(round);
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

test('nothing to send is no round', () => {
  expect([...splitRounds([])]).toEqual([]);
});
