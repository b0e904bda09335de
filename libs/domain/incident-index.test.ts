import { describe, expect, test } from 'vitest';
import type { KnownIncident } from './goal-facts.ts';
import { IncidentIndex } from './incident-index.ts';
import { compareIds } from './incident-register.ts';
import { incident } from './testing/messages.ts';

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

test('an incident that changes is known once, and stays the last of a signal that it keeps', () => {
  const index = indexed(known('5-1', 429), known('5-2', 400));
  change(index, known('5-2', 401), known('5-2', 400));
  expect(index).toMatchObject({ known: 2, last: { play: '5-2' } });
});
