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

test('summarises the play in one line', () => {
  const disallowed = WAVE?.matches.reduce((sum, { invented }) => sum + (invented.rejected ?? 0), 0);
  expect(disallowed).toBeGreaterThan(0);
  expect(progressOf(STATES).line(75)).toBe(
    `1:15  World Cup 2018 · Group stage · Round 1: 16 of 64 played, 0 live, 0 under review, ${disallowed} goals disallowed, 0 transitions`,
  );
});

test('starts with no match played', () => {
  expect(progressOf([]).line(0)).toMatch(/^0:00 {2}World Cup 2018: 0 of 64 played, 0 live/);
});

test('knows a goal by the newest version of a state, in any order', () => {
  const [state] = STATES;
  if (state === undefined) throw new Error('no state');
  const goalless = { ...state, version: state.version + 1, score: { home: 0, away: 0 } };
  expect(progressOf([state]).hasGoal()).toBe(true);
  expect(progressOf([goalless, state]).hasGoal()).toBe(false);
});
