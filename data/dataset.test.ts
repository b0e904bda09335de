import { describe, expect, test } from 'vitest';
import { DATASETS, finalScore, readDataset } from './dataset.ts';

describe.each(DATASETS)('data set %s', (name) => {
  const { competition, matches } = readDataset(name);

  test('has every match once, in order of kick-off', () => {
    expect(matches).toHaveLength(name === 'world-cup-2018' ? 64 : 380);
    expect(new Set(matches.map(({ id }) => id)).size).toBe(matches.length);
    expect(matches.map(({ date }) => date)).toEqual(matches.map(({ date }) => date).sort());
  });

  test('has every team, player, stage, group and round that its matches name', () => {
    const teams = new Set(competition.teams.map(({ id }) => id));
    const stages = new Map(competition.stages.map((stage) => [stage.id, stage]));
    for (const match of matches) {
      expect(teams.has(match.home) && teams.has(match.away)).toBe(true);
      const stage = stages.get(match.stage);
      expect(stage?.knockout).toBe(match.round === null);
      if (match.group !== null) expect(stage?.groups.map(({ id }) => id)).toContain(match.group);
      if (match.round !== null) expect(stage?.rounds.map(({ id }) => id)).toContain(match.round);
      const persons = [
        ...match.events.map((event) => event[4]),
        ...match.subs.flatMap((sub) => [sub[2], sub[3]]),
      ];
      for (const person of persons) expect(competition.players[person]).toBeTruthy();
    }
  });
});

test('has every pair of a league at home and away', () => {
  const { competition, matches } = readDataset('england-2017-18');
  const pairs = new Set(matches.map(({ home, away }) => `${home}-${away}`));
  expect(competition.teams).toHaveLength(20);
  expect(pairs.size).toBe(20 * 19);
});

test('has eight groups of four and five knockout stages of a world cup', () => {
  const { competition, matches } = readDataset('world-cup-2018');
  const [groupStage, ...knockout] = competition.stages;
  for (const group of groupStage?.groups ?? []) {
    const teams = matches
      .filter((match) => match.group === group.id)
      .flatMap(({ home, away }) => [home, away]);
    expect([teams.length, new Set(teams).size]).toEqual([12, 4]);
  }
  expect(groupStage?.groups.map(({ name }) => name).join()).toBe(
    'Group A,Group B,Group C,Group D,Group E,Group F,Group G,Group H',
  );
  const sizes = knockout.map(({ id }) => matches.filter(({ stage }) => stage === id).length);
  expect(sizes).toEqual([8, 4, 2, 1, 1]);
});

test('has extra time and shoot-outs', () => {
  const { competition, matches } = readDataset('world-cup-2018');
  const name = (id: number) => competition.teams.find((team) => team.id === id)?.name;
  const long = matches.filter(({ et }) => et !== undefined);
  expect(
    long.map((match) => [name(match.home), name(match.away), finalScore(match), match.pens ?? null]),
  ).toEqual([
    ['Spain', 'Russia', [1, 1], [3, 4]],
    ['Croatia', 'Denmark', [1, 1], [3, 2]],
    ['Colombia', 'England', [1, 1], [3, 4]],
    ['Russia', 'Croatia', [2, 2], [3, 4]],
    ['Croatia', 'England', [2, 1], null],
  ]);
});

test('marks matches whose single goals are unknown', () => {
  const { competition, matches } = readDataset('england-2017-18');
  const name = (id: number) => competition.teams.find((team) => team.id === id)?.name;
  const known = matches.filter(({ facts }) => facts === 'score_only');
  expect(known.map((match) => [name(match.home), name(match.away), finalScore(match)])).toEqual([
    ['Chelsea', 'Manchester City', [0, 1]],
  ]);
});
