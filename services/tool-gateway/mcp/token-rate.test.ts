import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenRate } from './token-rate.ts';

const START = 1_790_000_000_000;

test('replicas that share their counts admit together what one replica would', () => {
  const calls = fc.array(fc.record({ replica: fc.nat(2), later: fc.nat(15_000) }), { maxLength: 60 });
  fc.assert(
    fc.property(calls, (all) => {
      const [replicas, alone] = [[0, 1, 2].map(() => new TokenRate(10)), new TokenRate(10)];
      let at = START;
      for (const { replica, later } of all) {
        at += later;
        expect(replicas[replica]?.admit('token', at)).toEqual(alone.admit('token', at));
        const shared = replicas[replica]?.take().get('token');
        for (const [n, other] of replicas.entries())
          if (n !== replica && shared !== undefined) other.add('token', shared);
      }
    }),
  );
});

test('returns admitted requests once, and no refused ones', () => {
  const rate = new TokenRate(2);
  for (let n = 0; n < 5; n++) rate.admit('token', START + n);
  rate.admit('other', START);
  expect(rate.take()).toEqual(
    new Map([
      ['token', { requests: 2, at: START + 1 }],
      ['other', { requests: 1, at: START }],
    ]),
  );
  expect(rate.take().size).toBe(0);
});
