import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { INCIDENT_TYPES_OF_SOCCER } from './incident-types.ts';
import { INCIDENT } from './soccer.ts';
import { STATUSES } from './statuses.ts';

const type = (id: number) => INCIDENT_TYPES_OF_SOCCER.get(id);
const fixtures = new URL('../../../shared/provider/', import.meta.url);

describe('incident types', () => {
  test('break the game as in the specification', () => {
    const breaking = [...INCIDENT_TYPES_OF_SOCCER.values()].filter(({ gameBreak }) => gameBreak);
    expect(breaking.map(({ id }) => id)).toEqual([
      420, 434, 435, 436, 437, 438, 439, 440, 441, 442, 445, 446, 447, 448, 451, 1834, 2753,
    ]);
  });

  test('have no other names than those of the specification', () => {
    const names = [1827, 1829, 1830, 1831, 1832, 1834, 2753, 449].map((id) => type(id)?.name);
    expect(names.join(', ')).toBe(
      'Possible goal, Possible card, Possible card cancelled, Possible penalty cancelled, Possible penalty, ' +
        'Possible VAR, VAR ended, Added time',
    );
  });

  test('count goals for the participant, own goals for the rival', () => {
    expect([413, 421, 423].map((id) => type(id)?.for)).toEqual(['own', 'own', 'rival']);
  });

  test('include every id that the laws name', () => {
    for (const id of Object.values(INCIDENT)) expect(type(id)?.id).toBe(id);
  });
});

describe('statuses', () => {
  test('include all that the specification names', () => {
    const named = [
      [1, 'Not started', 'scheduled'],
      [5, 'Postponed', 'scheduled'],
      [6, 'Start delayed', 'scheduled'],
      [149, 'Delayed by rain', 'scheduled'],
      [152, 'To finish', 'scheduled'],
      [34, '2nd half', 'live'],
      [11, 'Finished', 'finished'],
      [12, 'Finished awarded win', 'finished'],
      [13, 'Finished after penalties', 'finished'],
      [14, 'Finished after extra time', 'finished'],
      [140, 'Finished after overtime', 'finished'],
      [7, 'Abandoned', 'finished'],
    ] as const;
    for (const [id, name, kind] of named) expect(STATUSES.get(id)).toMatchObject({ name, type: kind });
    expect(STATUSES.size).toBe(338);
    for (const { name, shortName } of STATUSES.values()) expect([name, shortName]).not.toContain('');
  });
});

describe.runIf(existsSync(fixtures))('against the provider’s own catalogues (../shared/provider)', () => {
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, fixtures), 'utf8')).api.data;

  test('has every soccer type with the same flags, except where the specification differs', () => {
    type Flags = Record<'type' | 'for' | 'game_break' | 'important' | 'important_for_trader', string>;
    type Row = { id: number; sport_id: number } & Flags;
    const rows = (read('Incidents__incidents.json').incidents as Row[]).filter((row) => row.sport_id === 5);
    expect(rows).toHaveLength(47);
    for (const row of rows) {
      const gameBreak = row.id !== 415 && row.game_break === 'yes';
      expect(type(row.id)).toMatchObject({
        type: row.type,
        for: row.for,
        gameBreak,
        important: row.important === 'yes',
        importantForTrader: row.important_for_trader === 'yes',
      });
    }
  });

  test('has every status with the same type and short name', () => {
    type Row = { id: number; type: string; short_name: string };
    const rows = new Map((read('Statuses__statuses.json').statuses as Row[]).map((row) => [row.id, row]));
    expect([...STATUSES.keys()]).toEqual([...rows.keys()].sort((a, b) => a - b));
    for (const status of STATUSES.values()) {
      const row = rows.get(status.id);
      expect([status.id, status.type, status.shortName]).toEqual([status.id, row?.type, row?.short_name]);
    }
  });
});
