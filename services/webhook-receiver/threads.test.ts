import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packBodies, unpackBodies } from './threads.ts';

it('bodies come out of a pack as they went in', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (arrays) => {
      const bodies = arrays.map((bytes) => Buffer.from(bytes));
      const { bytes, ends } = packBodies(bodies);
      expect(bytes.byteLength).toBe(bytes.buffer.byteLength);
      expect(unpackBodies(structuredClone({ bytes, ends }, { transfer: [bytes.buffer] }))).toEqual(bodies);
    }),
  );
});
