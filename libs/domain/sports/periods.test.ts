import { expect, test } from 'vitest';
import { eventOf } from '../testing/messages.ts';
import { periodResults, periodWords } from './periods.ts';

const side = (counter: number, ...results: readonly object[]) => ({ counter, id: counter, results });
const sidesOf = (...participants: readonly object[]) => eventOf({ participants }).participants;

test('are named by their records, else by the known name of their id, else by the id', () => {
  const participants = [
    side(1, { id: 2, value: 3 }, { id: 43, value: '6' }, { id: '44', value: 4 }, { id: 9_001, value: 1 }),
    side(2, { id: 44, value: 6 }, { id: 43, value: 0 }, { id: 9_002, value: 2, name: 'Golden set' }),
  ];
  const periods = periodResults(4, sidesOf(...participants));
  const words = ['First set 6–0', 'Second set 4–6', 'Result 9001 1–?', 'Golden set ?–2'];
  expect(periods.map(periodWords)).toEqual(words);
});

test('leave out results of the whole match, and what is not reported', () => {
  const blank = [411, 412, 2].map((id) => ({ id, value: 1 }));
  const unknown = [
    { id: 45, value: '' },
    { id: 46, value: null },
  ];
  const sides = sidesOf(side(1, ...blank, ...unknown), side(3, { id: 43, value: 1 }));
  expect(periodResults(2, sides)).toEqual([]);
  expect(periodResults(2, [])).toEqual([]);
});

test('are none in soccer, and of an unknown sport', () => {
  const participants = sidesOf(side(1, { id: 4, value: 1 }));
  expect([periodResults(5, participants), periodResults(null, participants)]).toEqual([[], []]);
});
