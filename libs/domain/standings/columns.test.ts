import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { TABLE_TYPES } from './columns.ts';
import { deriveTables } from './testing/derive.ts';
import { cells, result, rulesOf, score } from './testing/results.ts';

const fixture = new URL('../../../../shared/provider/Standings__standings_types.json', import.meta.url);
const column = z.object({ id: z.int(), name: z.string(), short_name: z.string(), code: z.string() });
const catalogue = z.object({
  api: z.object({
    data: z.object({
      standings_types: z.array(z.object({ id: z.int(), name: z.string(), columns: z.array(column) })),
    }),
  }),
});

/** The provider's own rankings of national teams and clubs, which match results do not give. */
const RANKINGS = [9, 11];

const player = { id: 1, name: 'One' };
const FULL = [
  result(1, 'A 2-1 B', {
    first_half: score('1-0'),
    second_half: score('1-1'),
    goals: [{ kind: 'goal', team_id: 1, player, assistant: player }],
    cards: [{ kind: 'red', team_id: 1, player, attribute_ids: [] }],
  }),
];

describe('columns that cannot be known (docs/reference/standings.md)', () => {
  const { tables } = deriveTables(FULL, rulesOf());
  const manual = ['manual_rank'];
  const league = ['last_matches', 'manual_rank'];
  test.each([
    ['league', league],
    ['wide', ['last_matches', 'pct', 'manual_rank']],
    ['halftime', manual],
    ['second_half', manual],
    ['home', manual],
    ['away', manual],
    ['live', league],
    ['form', ['last_matches']],
    ['streaks', manual],
    ['popular_results', manual],
    ['top_scorers', ['mp', 'goals_per_match', 'manual_rank']],
    [
      'cards',
      ['pts', 'mp', 'cards_per_match', 'yellow_cards_per_match', 'red_cards_per_match', 'manual_rank'],
    ],
    ['assists', ['mp', 'assists_per_match', 'manual_rank']],
    ['assists_115', ['mp', 'assists_per_match']],
    ['overall_stats', ['h2h_ga']],
    ['team_overall_stats', ['pct']],
  ] as const)('%s: %j', (kind, unknown) => {
    const table = tables.get(kind);
    const shown = cells(kind, table?.rows[0]);
    const type = TABLE_TYPES.get(kind);
    const codes = type?.columns.map(({ code }) => code) ?? [];
    // Empty in tables of persons, left out of others.
    const isUnknown = (code: string) =>
      type?.ranks === 'person' ? shown.get(code) === '' : !shown.has(code);
    expect(codes.filter(isUnknown)).toEqual(unknown);
  });
});

describe.runIf(existsSync(fixture))('against the provider’s own catalogue (../shared/provider)', () => {
  test('has every type, with all its columns', () => {
    const types = catalogue.parse(JSON.parse(readFileSync(fixture, 'utf8'))).api.data.standings_types;
    for (const type of types) {
      if (RANKINGS.includes(type.id)) continue;
      const ours = [...TABLE_TYPES.values()].find(({ type_id }) => type_id === type.id);
      expect(ours?.type_name).toBe(type.name);
      expect(ours?.columns).toEqual(expect.arrayContaining(type.columns));
    }
  });
});
