import { describe, expect, test } from 'vitest';
import type { KnownIncident } from './goal-facts.ts';
import { IncidentIndex } from './incident-index.ts';
import { compareIds } from './incident-register.ts';
import { incident } from './testing/messages.ts';

const absent = { incident: null, removed: false, missing: false };
const known = (id: string, type: number, removed = false): KnownIncident => ({
  id,
  incident: incident(id, type),
  removed,
  missing: false,
});

function indexed(...timeline: readonly KnownIncident[]): IncidentIndex {
  const index = new IncidentIndex();
  for (const one of timeline) index.update(one, absent);
  return index;
}

test('compares ids as strings, by code units (law 4)', () => {
  const ids = ['5-9', '5-10', '5-1', 'B', 'a', '5-10'];
  expect(ids.toSorted(compareIds)).toEqual(['5-1', '5-10', '5-10', '5-9', 'B', 'a']);
  expect([compareIds('a', 'b'), compareIds('b', 'a'), compareIds('a', 'a')]).toEqual([-1, 1, 0]);
});

describe('the last incident of a signal', () => {
  const timeline = [known('5-1', 429), known('5-2', 420), known('5-3', 400), known('5-4', 400)];

  test('is known in any order of reports', () => {
    expect(indexed(...timeline).last).toMatchObject({ play: '5-4', game_break: '5-2' });
    expect(indexed(...timeline.toReversed()).last).toMatchObject({ play: '5-4', game_break: '5-2' });
  });

  test('stays the last when another incident is removed, or when it changes but keeps the signal', () => {
    const index = indexed(...timeline);
    index.update(known('5-3', 400, true), known('5-3', 400));
    index.update(known('5-4', 401), known('5-4', 400));
    expect(index.last).toMatchObject({ play: '5-4' });
  });

  test('is the previous one when the last is removed', () => {
    const index = indexed(...timeline);
    index.update(known('5-4', 400, true), known('5-4', 400));
    expect(index.last).toMatchObject({ play: '5-3', game_break: '5-2' });
  });

  test('is missing when no incident gives the signal', () => {
    const index = indexed(known('5-2', 420));
    index.update(known('5-2', 400), known('5-2', 420));
    expect(index.last).toEqual({ play: '5-2' });
  });
});

describe('the counts', () => {
  test('cover incidents with a body, and those of the start that are not removed', () => {
    const index = indexed(known('5-1', 429), known('5-2', 427), known('5-3', 400), { id: '5-4', ...absent });
    expect(index).toMatchObject({ known: 3, starts: { length: 2 } });
    index.update(known('5-1', 429, true), known('5-1', 429));
    index.update(known('5-2', 400), known('5-2', 427));
    expect(index).toMatchObject({ known: 3, starts: { length: 0 } });
  });
});

describe('the lists', () => {
  test('hold goals, cancellations and removed incidents by id; `update` returns whether goals may have changed', () => {
    const index = new IncidentIndex();
    expect(index.update(known('5-3', 413), absent)).toBe(true);
    expect(index.update(known('5-1', 423), absent)).toBe(true);
    expect(index.update(known('5-2', 424), absent)).toBe(true);
    expect(index.update(known('5-0', 400, true), absent)).toBe(false);
    const ids = (list: readonly KnownIncident[]) => list.map(({ id }) => id);
    expect(ids(index.goals)).toEqual(['5-1', '5-3']);
    expect(ids(index.cancellations)).toEqual(['5-2']);
    expect(ids(index.removed)).toEqual(['5-0']);
    expect(index.update(known('5-3', 400), known('5-3', 413))).toBe(true);
    expect(index.update(known('5-0', 400), known('5-0', 400, true))).toBe(false);
    expect([ids(index.goals), ids(index.removed)]).toEqual([['5-1'], []]);
  });
});
