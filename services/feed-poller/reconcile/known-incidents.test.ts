import { expect, test } from 'vitest';
import { KnownIncidents } from './known-incidents.ts';

const T = 1_000_000;
const INTERVALS = { soonMs: 20_000, laterMs: 300_000 };
const list = (
  at: number,
  ids: readonly string[],
  changes: { contradicted?: boolean; now?: number } = {},
) => ({
  at,
  listed: new Map(ids.map((id) => [id, T])),
  contradicted: false,
  now: 0,
  ...changes,
});

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
  known.report('5-2', T + 3, false);
  expect(known.omittedBy(new Set(['5-1']), T + 7)).toEqual([]);
  known.report('5-2', T + 1, false);
  expect(known.omittedBy(new Set(['5-1']), T + 7)).toEqual([]);
  expect(known.omittedBy(new Set(['5-1']), T + 8)).toEqual(['5-2']);
});

test('is missing until a list 75 s after its last sign of life proves its removal', () => {
  const known = listed('5-1');
  known.apply(list(T + 20, [], { now: 1_000 }));
  expect(known.dueAt(1_000, INTERVALS)).toBe(21_000);
  expect(known.dueAt(41_000, INTERVALS)).toBe(56_000);
  expect([known.unsettled(55_999), known.unsettled(56_000)]).toEqual([true, false]);
  known.apply(list(T + 74, [], { now: 55_000 }));
  expect(known.isEmpty).toBe(false);
  known.apply(list(T + 75, [], { now: 56_000 }));
  expect(known.isEmpty).toBe(true);
  expect(known.dueAt(56_000, INTERVALS)).toBe(Number.POSITIVE_INFINITY);
});

test('stays missing while the result contradicts the list, and is looked for after every interval', () => {
  const known = listed('5-1');
  known.apply(list(T + 500, [], { now: 1_000, contradicted: true }));
  expect(known.dueAt(1_000, INTERVALS)).toBe(301_000);
  expect(known.unsettled(1_000)).toBe(false);
  known.apply(list(T + 600, ['5-1'], { now: 2_000, contradicted: true }));
  expect(known.dueAt(2_000, INTERVALS)).toBe(Number.POSITIVE_INFINITY);
});

test('is known no longer after a deletion that is not older than its record', () => {
  const known = listed('5-1', '5-2', '5-3');
  known.remove('5-1', T - 1);
  known.remove('5-2', T);
  known.report('5-3', T + 1, true);
  known.remove('5-9', T);
  expect(known.omittedBy(new Set(), T + 5)).toEqual(['5-1']);
  // A list that still has one lags.
  known.apply(list(T + 6, ['5-1', '5-2', '5-3']));
  expect(known.omittedBy(new Set(), T + 20)).toEqual(['5-1']);
});
