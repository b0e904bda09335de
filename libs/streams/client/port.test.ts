import fc from 'fast-check';
import kafkajs from 'kafkajs';
import { expect, test } from 'vitest';
import { partitionOfKey } from './port.ts';

test.each([
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
])('hashes %s as org.apache.kafka.common.utils.UtilsTest does', (key, hash) => {
  expect(partitionOfKey(key, 2 ** 31)).toBe(hash & 0x7fffffff);
});

test('chooses the same partition as kafkajs', () => {
  const partitioner = kafkajs.Partitioners.DefaultPartitioner();
  const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({ partitionId, leader: 0 }));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      const key = Buffer.from(bytes);
      const message = { key, value: null };
      const theirs = partitioner({ topic: 't', partitionMetadata: partitionMetadata as never, message });
      expect(partitionOfKey(key, 12)).toBe(theirs);
    }),
  );
});
