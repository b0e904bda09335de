import { describe, expect, test } from 'vitest';
import { readRulesFile } from './competition-rules.ts';
import { type DerivedTable, SeasonTables } from './season-tables.ts';
import EURO from './testing/euro-2024.json' with { type: 'json' };
import { countOfficial } from './testing/official-count.ts';
import { correctionOf, LIVE, results, rulesFile, rulesOf, teamOf } from './testing/results.ts';
import { placed, tablesOfSeason } from './testing/seasons.ts';
import type { SeasonResult } from './types.ts';

const [APERTURA, CLAUSURA, SEASON] = [10, 20, 2];
const GENERAL = { id: 1, name: 'General table', stage_ids: ['apertura', 'clausura'] };

/** Rules of two tournaments, and of the table over both. */
function twoTournaments(more: object = {}) {
  const rules = {
    format: 1,
    name: 'two tournaments',
    applies_to: [],
    points: { won: 3, draw: 1, lost: 0 },
    tie_break: ['points', 'goals_diff'],
    tables: [{ ...GENERAL, ...more }],
    corrections: [{ participant_id: 1, value: -4, reason: 'Quit', stage_id: 'clausura', from: '2024-01-20' }],
  };
  const stages = { apertura: [APERTURA], clausura: [CLAUSURA] };
  return readRulesFile(JSON.stringify(rules), 'rules').withStages(stages);
}

const RESULTS = [
  ...results('A 1-0 B, C 0-2 A', { stage_id: APERTURA }),
  ...results('B 3-0 A, C 1-0 B', { first: 3, stage_id: CLAUSURA }),
  placed(5, 'B 5-0 C', 30),
];

function derived(more: object): DerivedTable | undefined {
  const season = new SeasonTables(1, SEASON, twoTournaments(more));
  for (const one of RESULTS) season.apply(one);
  return season.derive().find(({ name }) => name === GENERAL.name);
}

describe('a table over several stages', () => {
  const league = (of: SeasonResult[], more = {}) =>
    tablesOfSeason(of, twoTournaments(more), 'league', 'mp', 'goals_diff', 'pts');

  test('has the matches of both tournaments, beside the table of each', () => {
    expect(league(RESULTS)).toEqual({
      [APERTURA]: ['1 A 2 3 6', '2 B 1 -1 0', '3 C 1 -2 0'],
      [CLAUSURA]: ['1 B 2 2 3', '2 C 1 1 3', '3 A 1 -3 0'],
      30: ['1 B 1 5 3', '2 C 1 -5 0'],
      [SEASON]: ['1 A 3 0 6', '2 B 3 1 3', '3 C 2 -1 3'],
    });
  });

  test('has its own criteria and zones, and the corrections of its stages on their day', () => {
    const zones = [{ id: 7, name: 'Cup', colour: '#123456', from: 1, to: 2 }];
    const own = derived({ tie_break: ['goals_diff'], zones });
    const rows = (of: Pick<DerivedTable, 'groups'> | undefined) =>
      of?.groups[0]?.rows.map(({ participant, points, zone }) => `${participant.name} ${points} ${zone}`);
    expect(own?.groups[0]?.rows.map(({ last_rank }) => last_rank)).toEqual([1, 1, 3]);
    expect(rows(own)).toEqual(['B 3 Cup', 'A 6 Cup', 'C 3 null']);
    expect(own?.later.map(({ day }) => day)).toEqual(['2024-01-20']);
    expect(rows(own?.later[0])).toEqual(['B 3 Cup', 'A 2 Cup', 'C 3 null']);
  });

  test('is derived again with results of its stages alone, and keeps its id under another name', () => {
    const named = (season: SeasonTables) => season.derive().filter(({ name }) => !name.includes(' s'));
    const season = new SeasonTables(1, SEASON, twoTournaments());
    for (const one of RESULTS) season.apply(one);
    const before = season.derive().find(({ name }) => name === GENERAL.name);
    season.apply(placed(5, 'B 6-0 C', 30, { version: 2 }));
    expect(named(season).map(({ name }) => name)).not.toContain(GENERAL.name);
    season.apply(placed(5, 'B 6-0 C', 30, { version: 3, start_date: '2024-01-20 15:00' }));
    expect(named(season).map(({ name }) => name)).toContain(GENERAL.name);
    season.apply(placed(6, 'B 1-0 C', CLAUSURA, { ...LIVE, start_date: '2024-01-21 15:00' }));
    season.derive();
    season.apply(placed(6, 'B 2-0 C', CLAUSURA, { ...LIVE, version: 2, start_date: '2024-01-21 15:00' }));
    expect(season.derive().map(({ type }) => type.kind)).toEqual(['live']);
    const renamed = new SeasonTables(1, SEASON, twoTournaments({ name: 'Tabla anual' }), RESULTS);
    renamed.invalidate();
    const annual = renamed.derive().filter(({ name }) => name === 'Tabla anual');
    expect(annual.map(({ id }) => id)).toEqual([before?.id]);
    // Rules without it delete it.
    const without = new SeasonTables(1, SEASON, rulesOf(), RESULTS);
    without.invalidate();
    expect(without.derive().find(({ id }) => id === before?.id)).toMatchObject({ groups: [] });
  });
});

describe('a table of the teams at one place of each group', () => {
  test('has the winners of stages without groups that it names, none where two share the place', () => {
    const rules = twoTournaments({ place: 1 });
    const winners = (of: SeasonResult[], more: object = {}) =>
      tablesOfSeason(of, { ...rules, ...more }, 'league', 'mp', 'goals_diff', 'pts')[SEASON];
    expect(winners(RESULTS)).toEqual(['1 A 3 0 6', '2 B 3 1 3']);
    const corrections = [APERTURA, CLAUSURA].map((stage_id, at) => correctionOf(at + 1, -9, { stage_id }));
    expect(winners(RESULTS, { corrections })).toEqual(['1 C 1 1 3', '2 B 2 -2 -9']);
    // Before the last round others may have won.
    expect(derived({ place: 1 })?.groups[0]?.rows.map(({ last_rank }) => last_rank)).toEqual([null, null]);
    expect(winners(results('A 1-1 B', { stage_id: APERTURA }))).toBeUndefined();
  });

  const groups = Object.entries(EURO.groups);
  const names = [...new Set(groups.flatMap(([, lines]) => lines.flatMap((line) => line.split(/ \d+-\d+ /))))];
  const ids = new Map(names.map((name, at) => [name, at + 1]));
  const id = (name: string) => ids.get(name) ?? 0;
  const played = groups.flatMap(([, lines], group) =>
    lines.map((line, at) => {
      const [, home = '', goals = '', away = ''] = /^(.*) (\d+-\d+) (.*)$/.exec(line) ?? [];
      const teams = { home: teamOf(id(home), home), away: teamOf(id(away), away) };
      return placed(10 * group + at + 1, `A ${goals} B`, 7, {
        ...teams,
        group_id: group + 1,
        round_id: 1 + Math.floor(at / 2),
        start_date: `2024-06-${14 + 4 * Math.floor(at / 2)} 21:00`,
      });
    }),
  );
  // The ranking of the qualifiers, which decided between Denmark and Slovenia, and stands for the cards that are not known here.
  const listed = [
    [id('Denmark'), id('Slovenia')],
    [id('Netherlands'), id('Georgia')],
  ];
  const rules = rulesFile('euro-2024');
  const known = { ...rules, tie_break: [...rules.tie_break.slice(0, -1), { listed }] };
  const thirds = (of: SeasonResult[], by = known) =>
    tablesOfSeason(of, by, 'league', 'goals_scored', 'goals_allowed', 'pts')[SEASON];

  test('is that of the third-placed teams of the Euro 2024', () => {
    expect(thirds(played)).toEqual([
      '1 Netherlands 4 4 4',
      '2 Georgia 4 4 4',
      '3 Slovakia 3 3 4',
      '4 Slovenia 2 2 3',
      '5 Hungary 2 5 3',
      '6 Croatia 3 6 2',
    ]);
    countOfficial(1);
  });

  test('leaves out a group while equal teams share the place', () => {
    expect(thirds(played, rules)?.map((line) => line.split(' ')[1])).not.toContain('Slovenia');
    expect(thirds(played.filter(({ round_id }) => round_id === 0))).toBeUndefined();
  });

  test('leaves out the matches of knock-out stages, which have no group', () => {
    const cup = results('A 2-1 B, C 1-0 A', { first: 98, stage_id: 8 });
    expect(thirds([...played, ...cup])).toEqual(thirds(played));
  });
});
