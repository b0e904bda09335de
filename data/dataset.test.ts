import { describe, expect, test } from 'vitest';
import { DATASETS, readDataset } from './dataset.ts';

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
