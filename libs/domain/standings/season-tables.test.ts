import { describe, expect, test } from 'vitest';
import type { StandingsGroup } from '#records/types.ts';
import { TABLE_TYPES } from './columns.ts';
import { type CompetitionRules, MAX_OWN_TABLES } from './competition-rules.ts';
import { type DerivedTable, SeasonTables } from './season-tables.ts';
import { FIRST_STANDINGS_ID, isOwnTable, standingsId } from './table-id.ts';
import { LIVE, result, rowOf, rulesOf, SCHEDULED } from './testing/results.ts';
import { dayOf, groupsOn, type SeasonResult } from './types.ts';

const TO_COME = { ...SCHEDULED, score: null };

/** Returns a finished match of stage 7. */
const placed = (event: number, text: string, overrides: Partial<SeasonResult> = {}) =>
  result(event, text, { stage_id: 7, ...overrides });

function season(rules: CompetitionRules, ...results: SeasonResult[]): SeasonTables {
  const tables = new SeasonTables(1, 2, rules);
  for (const one of results) tables.apply(one);
  return tables;
}

function groupsByTable(tables: SeasonTables): Map<string, readonly StandingsGroup[]> {
  const nameOf = ({ type, object }: DerivedTable) => `${type.kind} ${object.type} ${object.id}`;
  return new Map(tables.derive().map((one) => [nameOf(one), one.groups]));
}

/** Returns the points of a team. */
const points = (groups: readonly StandingsGroup[], team: string) =>
  groups.map((group) => rowOf(group, team)).find((row) => row !== undefined)?.points;

describe('the tables of a season', () => {
  test('of teams belong to each stage, group by group, and the others to the season', () => {
    const all = groupsByTable(
      season(
        rulesOf(),
        placed(1, 'A 1-0 B', { group_id: 20 }),
        placed(2, 'C 1-0 D', { group_id: 3 }),
        placed(3, 'E 1-0 F', { stage_id: null }),
      ),
    );
    expect(all.get('league stage 7')?.map(({ id }) => id)).toEqual([3, 20]);
    expect(all.get('form stage 7')?.map(({ id }) => id)).toEqual([3, 20]);
    expect(all.get('league season 2')?.map(({ id }) => id)).toEqual([null]);
    const leagues = [...all.keys()].filter((key) => key.startsWith('league'));
    expect(leagues).toEqual(['league season 2', 'league stage 7']);
    expect(all.get('popular_results season 2')).toHaveLength(1);
    expect(all.get('overall_stats season 2')?.[0]?.rows[0]?.columns.mp).toBe(3);
    expect([...all.keys()].filter((key) => key.endsWith('stage 7'))).toHaveLength(10);
  });

  test('have no rows, and so do not exist, once every match has left', () => {
    const tables = season(rulesOf(), placed(1, 'A 1-0 B'));
    expect(tables.derive().filter(({ groups }) => groups.length > 0)).not.toHaveLength(0);
    for (const applied of [true, false])
      expect(tables.apply(placed(1, 'A 1-0 B', { version: 2, removed: true }))).toBe(applied);
    expect(new Set(tables.derive().map(({ groups }) => groups.length))).toEqual(new Set([0]));
  });

  test('are derived only if a result changed them', () => {
    const other = placed(3, 'D 0-0 E', { stage_id: 8 });
    const tables = season(rulesOf(), placed(1, 'A 1-0 B'), placed(2, 'A 0-0 C', LIVE), other);
    tables.derive();
    const kinds = () => tables.derive().map(({ type, object }) => `${type.kind} ${object.id}`);
    expect(kinds()).toEqual([]);
    expect(tables.apply(placed(2, 'A 0-0 C', LIVE))).toBe(false);
    expect(kinds()).toEqual([]);
    expect(tables.apply(placed(2, 'A 1-0 C', { ...LIVE, version: 2 }))).toBe(true);
    expect(kinds()).toEqual(['live 7']);
    tables.apply(placed(2, 'A 1-0 C', { version: 3 }));
    expect(kinds()).toContain('league 7');
    tables.invalidate();
    // With a place for each of the tables that former rules may have defined.
    expect(kinds()).toHaveLength(26 + MAX_OWN_TABLES);
  });

  test('of a stage are derived again when a stage changes that it starts with, directly or through another', () => {
    const stages = [
      { stage_ids: [8], carried: { from: [7] } },
      { stage_ids: [9], carried: { from: [8] } },
    ];
    const tables = season(
      rulesOf({ stages }),
      placed(1, 'A 1-0 B'),
      placed(2, 'A 0-0 B', { stage_id: 8 }),
      placed(3, 'A 0-0 B', { stage_id: 9 }),
      placed(4, 'A 0-0 B', { stage_id: 6 }),
    );
    tables.derive();
    tables.apply(placed(1, 'A 1-2 B', { version: 2 }));
    const leagues = tables.derive().filter(({ type }) => type.kind === 'league');
    expect(leagues.map(({ object }) => object.id)).toEqual([7, 8, 9]);
    expect(leagues.map(({ groups }) => groups[0]?.rows[0]?.participant.name)).toEqual(['B', 'B', 'B']);
  });

  test('are not derived again because the season was restored', () => {
    const results = [placed(1, 'A 1-0 B'), placed(2, 'A 0-0 C', LIVE)];
    const rules = rulesOf({ tables: [{ id: 1, name: 'General' }] });
    const tables = new SeasonTables(1, 2, rules, results);
    expect(tables.derive()).toEqual([]);
    tables.apply(placed(2, 'A 1-0 C', { ...LIVE, version: 2 }));
    expect(tables.derive().map(({ type }) => type.kind)).toEqual(['live']);
  });

  const DEDUCTION = { participant_id: 1, value: -4, reason: 'Financial issues', from: '2026-05-29' };
  /** The points and corrections of A in the table of stage 7, as it is shown on a day. */
  const onDay = (tables: SeasonTables, day: string, kind = 'league') => {
    tables.invalidate();
    const found = tables.derive().find(({ type, object }) => type.kind === kind && object.id === 7);
    const groups = groupsOn(found ?? { groups: [], later: [] }, day);
    return [points(groups, 'A'), groups.map(({ corrections }) => corrections.length)];
  };
  const LAST = placed(1, 'A 1-0 B', { start_date: '2026-05-13 20:30' });
  const FOR_EVER = placed(2, 'C ? D', { ...TO_COME, stage_id: 8, start_date: '2026-05-26 20:30' });

  test.each([
    ['with a match postponed for ever', [LAST, FOR_EVER]],
    ['with none to come', [LAST]],
    ['with a match to come after it', [LAST, { ...FOR_EVER, start_date: '2026-06-15 20:30' }]],
    ['with a match in play on its eve', [LAST, { ...FOR_EVER, ...LIVE, start_date: '2026-05-28 20:30' }]],
    ['with a match in play on its day', [LAST, { ...FOR_EVER, ...LIVE, start_date: '2026-05-29 20:30' }]],
    ['with a match played on its day', [LAST, placed(2, 'C 1-0 D', { start_date: '2026-05-29 20:30' })]],
  ] as const)('show a correction from its day on, %s', (title, results) => {
    const days = [null, '2026-05-01', '2026-05-10'];
    const inForce = days.map((from) => ({ ...DEDUCTION, participant_id: 2, from }));
    const tables = season(rulesOf({ corrections: [DEDUCTION, ...inForce] }), ...results);
    for (const kind of ['league', 'wide', 'live']) {
      const before = title.endsWith('on its day') ? [-1, [4]] : [3, [3]];
      for (const day of ['2026-05-02', '2026-05-28']) expect(onDay(tables, day, kind)).toEqual(before);
      expect(onDay(tables, '2026-05-29', kind)).toEqual([-1, [4]]);
      expect(onDay(tables, '2026-06-21', kind)).toEqual([-1, [4]]);
    }
  });

  test('show later corrections one after the other, and know them after a restore too', () => {
    const rules = rulesOf({
      corrections: [
        { ...DEDUCTION, value: 2, from: '2026-06-02' },
        { ...DEDUCTION, from: '2026-05-31', stage_id: 5 },
        DEDUCTION,
      ],
      stages: [{ stage_ids: [8], carried: { from: [7] } }],
    });
    const results = [LAST, placed(3, 'A 0-0 B', { stage_id: 8, start_date: '2026-05-20 20:30' })];
    const [tables, restored] = [season(rules, ...results), new SeasonTables(1, 2, rules, results)];
    expect(restored.derive()).toEqual([]);
    for (const one of [tables, restored]) {
      one.invalidate();
      const derived = one.derive();
      const leagues = derived.filter(({ type, groups }) => type.kind === 'league' && groups.length > 0);
      // Without a stage a correction belongs to the one that the team plays on its day; the earlier one is as it was.
      expect(leagues.map(({ object, later }) => [object.id, later.map(({ day }) => day)])).toEqual([
        [7, []],
        [8, ['2026-05-29', '2026-06-02']],
      ]);
      const changing = derived.filter(({ later }) => later.length > 0).map(({ type }) => type.kind);
      expect(changing).toEqual(['league', 'wide', 'live']);
      const onDays = ['2026-05-28', '2026-05-30', '2026-06-02'].map((day) =>
        points(groupsOn(leagues[1] as DerivedTable, day), 'A'),
      );
      expect(onDays).toEqual([4, 0, 2]);
    }
  });

  test('report what could not be counted', () => {
    const tables = season(rulesOf(), placed(1, 'A ? B', { goals: [], cards: [] }));
    expect(tables.flags().get('unknown_score')).toBe(1);
    tables.apply(placed(1, 'A ? B', { version: 2 }));
    expect(tables.flags().get('unknown_score')).toBe(1);
    tables.apply(placed(1, 'A ? B', { version: 2, removed: true }));
    expect([...tables.flags().values()].every((count) => count === 0)).toBe(true);
  });
});

test('moves a match to the group where it was last reported, and keeps it there', () => {
  const tables = season(rulesOf(), placed(1, 'A 1-0 B', { group_id: 1, version: 5 }));
  const groups = () =>
    groupsByTable(tables)
      .get('league stage 7')
      ?.map(({ id }) => id);
  expect(groups()).toEqual([1]);
  // An aborted transaction had published version 5; the final result of the same messages came after it.
  expect(tables.apply(placed(1, 'A 1-0 B', { group_id: 2, version: 4 }))).toBe(true);
  expect(groups()).toEqual([2]);
  expect(tables.apply(placed(1, 'A 1-0 B', { group_id: 1, version: 5, removed: true }))).toBe(false);
  expect(tables.apply(placed(1, 'A 1-0 B', { group_id: 2, version: 4 }))).toBe(false);
  const denied = (event: number, version: number, offset: number) =>
    tables.deniedBy(placed(event, 'A 1-0 B', { version, cause: { offset } }));
  expect(denied(1, 3, 0)).toBe(4);
  expect([denied(1, 3, -1), denied(1, 4, 1), denied(2, 3, 0)]).toEqual([null, null, null]);
});

test('has its own id for every table, the same in every rebuild', () => {
  const object = { type: 'stage', id: 85_270, competitionId: 1658, seasonId: 29_848 } as const;
  const kinds = [...TABLE_TYPES.keys()];
  const ids = [object, { ...object, type: 'season' as const }, { ...object, seasonId: 1 }].flatMap((one) =>
    kinds.map((kind) => standingsId(kind, one)),
  );
  ids.push(...[1, 2].map((own) => standingsId('league', object, own)));
  expect(new Set(ids).size).toBe(50);
  expect(ids.every(Number.isSafeInteger)).toBe(true);
  expect(standingsId('league', object)).toBe(7_277_290_286_043_358);
});

test('knows a table that rules define by its id and name, and the day of a time in UTC', () => {
  const isOwn = (id: number, name: string) => isOwnTable(id, { name, type_name: 'League' });
  expect(isOwn(FIRST_STANDINGS_ID, 'General')).toBe(true);
  expect(isOwn(FIRST_STANDINGS_ID - 1, 'General')).toBe(false);
  expect(isOwn(FIRST_STANDINGS_ID, 'League A')).toBe(false);
  expect(dayOf(Date.UTC(2026, 4, 29, 23, 59))).toBe('2026-05-29');
});
