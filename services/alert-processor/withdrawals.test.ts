import { expect, test } from 'vitest';
import type { Belief } from '#tradability/belief.ts';
import { Withdrawals } from './withdrawals.ts';

const belief = (state: Belief['state'], since = 1, reason: string | null = null): Belief => ({
  believed: state === 'alive' || state === 'recovered',
  state,
  reason,
  since,
  source: 'feed',
});

/** The changes of match 7 as beliefs follow each other. */
function changesOf(withdrawals: Withdrawals, ...beliefs: readonly Belief[]): string[][] {
  return beliefs.map((one) =>
    withdrawals.changes([[7, one]]).map(({ kind, since, reasons }) => [kind, since, ...reasons].join(' ')),
  );
}

test('an episode begins once, however its reasons change, and ends once', () => {
  const beliefs = [
    belief('alive'),
    belief('expired', 5),
    belief('expired', 6),
    belief('stale', 9, 'silence'),
    belief('recovering', 12, 'silence'),
    belief('recovered', 15),
    belief('alive', 75),
    belief('stale', 80, 'silence'),
  ];
  expect(changesOf(new Withdrawals(), ...beliefs)).toEqual([
    [],
    ['match_stale 5 expired'],
    [],
    [],
    [],
    ['match_recovered 5'],
    [],
    ['match_stale 80 stale silence'],
  ]);
});

test('a match that is over, or was never judged, is neither stale nor recovered', () => {
  const withdrawals = new Withdrawals();
  expect(changesOf(withdrawals, belief('unknown'), belief('ended'), belief('stale', 3))).toEqual([
    [],
    [],
    ['match_stale 3 stale'],
  ]);
  expect(changesOf(withdrawals, belief('ended'), belief('alive'))).toEqual([[], []]);
});

test('an episode that is reported already only ends', () => {
  const reported = new Map([[7, 3]]);
  expect(changesOf(new Withdrawals(reported), belief('expired', 9), belief('alive'))).toEqual([
    [],
    ['match_recovered 3'],
  ]);
});
