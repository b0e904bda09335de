import { expect, test } from 'vitest';
import type { Alert } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { alertLine } from './printer.ts';

const EMPTY: Partial<Alert> = {
  score: null,
  score_before: null,
  incident_id: null,
  team_name: null,
  player_name: null,
  minute: null,
  reasons: [],
};

test.each<[Partial<Alert>, string]>([
  [
    { reasons: [] },
    'GOAL  Home - Away  0:0 -> 1:0  A. Griezmann (France) 45+2′  match 2429281  incident 5-889947  rule goals',
  ],
  [
    {
      ...EMPTY,
      kind: 'goal_cancelled',
      incident_id: '5-1',
      score: { home: 0, away: 0 },
      team_name: 'France',
    },
    'GOAL CANCELLED  Home - Away  0:0  France  match 2429281  incident 5-1  rule goals',
  ],
  [
    { ...EMPTY, kind: 'red_card', player_name: 'X', minute: '7' },
    'RED CARD  Home - Away  X 7′  match 2429281  rule goals',
  ],
  [
    { ...EMPTY, kind: 'guard_closed', name: null, reasons: ['game_break', 'possible_var'] },
    'guard closed  game_break, possible_var  match 2429281  rule goals',
  ],
  [
    { ...EMPTY, kind: 'of_a_later_release', name: 'A\u001b[2J\nB' },
    'of_a_later_release  A\\u001b[2J\\u000aB  match 2429281  rule goals',
  ],
])('renders %j with player, minute and score', (change, line) => {
  expect(alertLine({ ...sampleOf('alerts'), ...change })).toBe(`15:53:20  ${line}`);
});
