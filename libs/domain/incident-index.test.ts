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
  return new IncidentIndex(timeline);
}

function change(index: IncidentIndex, entry: KnownIncident, before: KnownIncident): void {
  index.apply([{ entry, before }]);
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
    change(index, known('5-3', 400, true), known('5-3', 400));
    change(index, known('5-4', 401), known('5-4', 400));
    expect(index.last).toMatchObject({ play: '5-4' });
  });

  test('is the previous one when the last is removed', () => {
    const index = indexed(...timeline);
    change(index, known('5-4', 400, true), known('5-4', 400));
    expect(index.last).toMatchObject({ play: '5-3', game_break: '5-2' });
  });

  test('is missing when no incident gives the signal', () => {
    const index = indexed(known('5-2', 420));
    change(index, known('5-2', 400), known('5-2', 420));
    expect(index.last).toEqual({ play: '5-2' });
  });
});

describe('the counts', () => {
  test('cover incidents with a body, and those of the start that are not removed', () => {
    const index = indexed(known('5-1', 429), known('5-2', 427), known('5-3', 400), { id: '5-4', ...absent });
    expect(index).toMatchObject({ known: 3, starts: { length: 2 } });
    change(index, known('5-1', 429, true), known('5-1', 429));
    change(index, known('5-2', 400), known('5-2', 427));
    expect(index).toMatchObject({ known: 3, starts: { length: 0 } });
  });
});

describe('the lists', () => {
  test('hold goals, cancellations and removed incidents by id', () => {
    const index = indexed(known('5-3', 413), known('5-1', 423), known('5-2', 424), known('5-0', 400, true));
    const ids = (list: readonly KnownIncident[]) => list.map(({ id }) => id);
    expect(ids(index.goals)).toEqual(['5-1', '5-3']);
    expect(ids(index.cancellations)).toEqual(['5-2']);
    expect(ids(index.removed)).toEqual(['5-0']);
    change(index, known('5-3', 400), known('5-3', 413));
    change(index, known('5-0', 400), known('5-0', 400, true));
    expect([ids(index.goals), ids(index.removed)]).toEqual([['5-1'], []]);
  });
});

describe('the details of an incident', () => {
  const named = (name: string) => ({
    ...incident('5-1', 413),
    body: JSON.stringify({ subparticipant_id: 9, subparticipant_name: name }),
  });
  const goal = (name: string) => ({ ...known('5-1', 413), incident: named(name) });

  test('are read once', () => {
    const index = indexed(goal('Nine'));
    const details = index.detailsOf(named('Nine'));
    expect(details.player).toEqual({ id: 9, name: 'Nine' });
    expect(index.detailsOf(named('Nine'))).toBe(details);
  });

  test('are those of the current body', () => {
    const index = indexed(goal('Nine'));
    index.detailsOf(named('Nine'));
    change(index, goal('N. Nine'), goal('Nine'));
    expect(index.detailsOf(named('N. Nine')).player).toEqual({ id: 9, name: 'N. Nine' });
  });
});
