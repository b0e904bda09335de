import { expect, test } from 'vitest';
import type { MatchState } from '#records/types.ts';
import { readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../../../services/simulator/faults.ts';
import { schedule } from '../../../services/simulator/schedule.ts';
import { stateAfter } from '../../../services/simulator/testing/states.ts';
import { DemoProgress } from './progress.ts';

const DATASET = readDataset('world-cup-2018');
const [WAVE] = schedule(DATASET, {
  seed: 'table',
  faults: parseFaults('rejected=1'),
  keepAliveEvery: 0,
  clockEvery: 60,
});
const STATES = (WAVE?.matches ?? []).map(({ facts, messages }) => stateAfter(facts.id, messages));

function progressOf(states: readonly MatchState[]): DemoProgress {
  const progress = new DemoProgress(DATASET, 64);
  for (const state of states) progress.apply(state);
  return progress;
}

test('knows a goal by the newest version of a state, in any order', () => {
  const [state] = STATES;
  if (state === undefined) throw new Error('no state');
  const goalless = { ...state, version: state.version + 1, score: { home: 0, away: 0 } };
  expect(progressOf([state]).hasGoal()).toBe(true);
  expect(progressOf([goalless, state]).hasGoal()).toBe(false);
});
