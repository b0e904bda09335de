import { describe, expect, test } from 'vitest';
import { GameSet } from './game-set.ts';
import { correctionsOfStages, rulesOfStage, stagesAfter } from './table-scope.ts';
import { readGames } from './testing/derive.ts';
import { correctionOf, result, rulesOf } from './testing/results.ts';

test('the rules of a stage are those of its entry, else those of the file', () => {
  const rules = rulesOf({ curtailed: true, stages: [{ stage_ids: [2, 3], curtailed: false }] });
  const curtailed = [1, 2, 3, null].map((id) => rulesOfStage(rules, id).curtailed);
  expect(curtailed).toEqual([true, false, false, true]);
});

test('the stages after one are those that start with it, directly or through another one, each once', () => {
  const stages = [
    { stage_ids: [2, 3], carried: { from: [1] } },
    { stage_ids: [4], carried: { from: [3, 1] } },
    { stage_ids: [5] },
  ];
  const after = [1, 2, 3, 4, 5, null].map((id) => stagesAfter(rulesOf({ stages }), id));
  expect(after).toEqual([[2, 3, 4], [], [4], [], [], []]);
});

describe('a correction', () => {
  const games = (...texts: readonly (readonly [day: string, text: string])[]) => {
    const results = texts.map(([day, text], at) => result(at + 1, text, { start_date: `${day} 12:00` }));
    return new GameSet(readGames(results, rulesOf()).games);
  };
  const stagesOf = (corrections: readonly object[], season: Parameters<typeof correctionsOfStages>[2]) => {
    const applied = corrections.map((more) => correctionOf(1, -3, more));
    return correctionsOfStages(applied, 7, season).map(({ stage_id }) => stage_id);
  };
  type Groups = readonly (readonly [number | null, GameSet])[];
  const seasonOf = (stages: readonly (readonly [number | null, Groups])[]) =>
    new Map(stages.map(([stage, groups]) => [stage, new Map(groups)] as const));
  const season = seasonOf([
    [20, [[null, games(['2024-05-01', 'A 1-0 B'])]]],
    [
      10,
      [
        [1, games(['2024-03-02', 'A 1-0 B'])],
        [2, games(['2024-03-01', 'A 1-0 C'])],
      ],
    ],
  ]);

  test('belongs to the stage that its team began last on its day, else to the first one', () => {
    const days = [null, '2024-02-01', '2024-03-01', '2024-04-30', '2024-05-01', '2024-06-01'];
    expect(days.map((from) => stagesOf([{ from }], season)[0])).toEqual([10, 10, 10, 10, 20, 20]);
  });

  test('belongs to the stage that it names, and to none in another season or of a team without games', () => {
    expect(stagesOf([{ stage_id: 99 }, { stage_id: 99 }, {}], season)).toEqual([99, 99, 10]);
    expect(stagesOf([{ season_id: 8 }, { participant_id: 9 }], season)).toEqual([]);
    expect(stagesOf([{ season_id: 7 }], season)).toEqual([10]);
  });

  test('belongs to the first stage by id where two begin at once; no stage comes first', () => {
    const both = ['2024-05-01', 'A 1-0 B'] as const;
    const at = (...ids: readonly (number | null)[]) =>
      stagesOf([{}], seasonOf(ids.map((id) => [id, [[null, games(both)]]])))[0];
    expect([at(5, 4), at(4, 5), at(4, null), at(null, 4)]).toEqual([4, 4, null, null]);
  });

  test('counts the earliest group of a stage', () => {
    const [early, late] = [games(['2024-03-01', 'A 1-0 C']), games(['2024-06-01', 'A 1-0 C'])];
    for (const groups of [
      [early, late],
      [late, early],
    ]) {
      const stages = seasonOf([
        [20, [[null, games(['2024-05-01', 'A 1-0 B'])]]],
        [30, groups.map((set, at) => [at, set] as const)],
      ]);
      expect(stagesOf([{}], stages)).toEqual([30]);
    }
  });
});
