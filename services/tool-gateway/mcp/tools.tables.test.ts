import { beforeEach, expect, test } from 'vitest';
import { FIRST_STANDINGS_ID } from '#domain/standings/table-id.ts';
import { tableRecord } from '#views/testing/records.ts';
import type { ViewsWorld } from '#views/testing/world.ts';
import { changedTable, leagues, OPEN } from './testing/league.ts';
import { callTool, refusalOf, scopeOf, type ToolArguments } from './testing/tool-calls.ts';
import type { ToolScope } from './tools/tool.ts';

let world: ViewsWorld;
let scope: ToolScope;

beforeEach(() => {
  world = leagues();
  scope = scopeOf(world);
});

const call = (name: string, args?: ToolArguments) => callTool(scope, name, args);
const refusal = (name: string, args: ToolArguments) => refusalOf(scope, name, args);

test('tables and top scorers are those of REST', () => {
  // A table that rules define, such as one of the third-placed teams, is not the league table of its season.
  const of = { object_type: 'season', object_id: OPEN.season, season_id: OPEN.season };
  world.give(tableRecord(FIRST_STANDINGS_ID, { ...of, competition_id: OPEN.competition, name: 'Thirds' }));
  const { groups } = call('get_standings', { competition_id: OPEN.competition });
  expect(groups).toMatchObject([
    {
      rows: [
        { rank: 1, id: 101, values: { pts: 3 } },
        { rank: 2, id: 102 },
      ],
    },
  ]);
  const { scorers } = call('get_top_scorers', { season_id: OPEN.season });
  expect(scorers).toMatchObject([
    { rank: 1, player: 'Göteborg 9000', team: 'Göteborg club', goals: 5, matches: 1 },
  ]);
});

test('a table shows one group on request', () => {
  const table = world.views.table(OPEN.table) as { groups: { participants: unknown[] }[] };
  const [first, second] = table.groups[0]?.participants ?? [];
  const groups = [
    { ...table.groups[0], name: 'Group A', participants: [first] },
    { ...table.groups[0], name: 'Group B', participants: [second] },
  ];
  world.give(changedTable(OPEN, { ...table, groups }));
  for (const group of ['b', 'Group B', ' group b '])
    expect(call('get_standings', { standings_id: OPEN.table, group })).toMatchObject({
      total: 1,
      groups: [{ name: 'Group B', rows: [{ id: 102 }] }],
    });
  expect(refusal('get_standings', { standings_id: OPEN.table, group: 'C' })).toMatch(
    /^not_found: .*It has Group A, Group B\./,
  );
});
