import { expect, test } from 'vitest';
import type { KnownIncident } from './goals.ts';
import { IncidentIndex } from './incident-index.ts';
import { compareIds } from './incident-register.ts';
import { incident } from './testing/messages.ts';

const known = (id: string, type: number): KnownIncident => {
  return { id, incident: incident(id, type), removed: false, missing: false };
};

test('compares ids as strings, by code units (law 4)', () => {
  const ids = ['5-9', '5-10', '5-1', 'B', 'a', '5-10'];
  expect(ids.toSorted(compareIds)).toEqual(['5-1', '5-10', '5-10', '5-9', 'B', 'a']);
  expect([compareIds('a', 'b'), compareIds('b', 'a'), compareIds('a', 'a')]).toEqual([-1, 1, 0]);
});

test('an incident that changes is known once, and stays the last of a signal that it keeps', () => {
  const index = new IncidentIndex([known('5-1', 429), known('5-2', 400)]);
  index.apply([{ entry: known('5-2', 401), before: known('5-2', 400) }]);
  expect(index).toMatchObject({ known: 2, last: { play: '5-2' } });
  index.apply([{ entry: { ...known('5-2', 401), removed: true }, before: known('5-2', 401) }]);
  expect(index.last.play).not.toBe('5-2');
});
