import { expect, test } from 'vitest';
import { KnownIncidents } from './known-incidents.ts';

const T = 1_000_000;
const list = (at: number, ids: readonly string[]) => {
  return { at, listed: new Map(ids.map((id) => [id, T])), contradicted: false, now: 0 };
};

const report = (ut: number) => ({ ut, deleted: false, at: 0 });

/** Returns the incidents that a list at `T` had. */
function listed(...ids: string[]): KnownIncidents {
  const known = new KnownIncidents();
  known.apply(list(T, ids));
  return known;
}

test('is omitted by a list five seconds after its last sign of life', () => {
  const known = listed('5-1', '5-2');
  expect(known.omittedBy(new Set(['5-1']), T + 4)).toEqual([]);
  expect(known.omittedBy(new Set(['5-1']), T + 5)).toEqual(['5-2']);
  known.report('5-2', report(T + 3));
  expect(known.omittedBy(new Set(['5-1']), T + 7)).toEqual([]);
  known.report('5-2', report(T + 1));
  expect(known.omittedBy(new Set(['5-1']), T + 7)).toEqual([]);
  expect(known.omittedBy(new Set(['5-1']), T + 8)).toEqual(['5-2']);
});

test('is known no longer after a deletion that is not older than its record', () => {
  const known = listed('5-1', '5-2', '5-3');
  known.remove('5-1', T - 1);
  known.remove('5-2', T);
  known.report('5-3', { ...report(T + 1), deleted: true });
  known.remove('5-9', T);
  expect(known.omittedBy(new Set(), T + 5)).toEqual(['5-1']);
  // A list that still has one lags.
  known.apply(list(T + 6, ['5-1', '5-2', '5-3']));
  expect(known.omittedBy(new Set(), T + 20)).toEqual(['5-1']);
});
