import { expect, test } from 'vitest';
import type { Alert } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { alertLine, alertPrinter } from './run.ts';

const alert = (id: string, kind = 'match_stale'): Alert => ({ ...sampleOf('alerts'), id, kind });

function printing() {
  const lines: string[] = [];
  const printer = alertPrinter(async ({ id }, offset) => void lines.push(`${id} ${offset}`));
  return { printer, lines };
}

test('prints an alert that is found and not published within 100 ms, and not again when it is published', async () => {
  const { printer, lines } = printing();
  await printer.found([alert('a')], 1_000);
  await printer.found([], 1_099);
  expect(lines).toEqual([]);
  await printer.found([], 1_100);
  expect(lines).toEqual(['a null']);
  await printer.published(alert('a'), 5);
  await printer.found([alert('a')], 1_200);
  await printer.found([], 1_400);
  expect(lines).toEqual(['a null']);
});

test('prints an alert that is published in time once, before or after it is found', async () => {
  const { printer, lines } = printing();
  await printer.found([alert('a')], 1_000);
  await printer.published(alert('a'), 5);
  await printer.published(alert('b', 'match_recovered'), 6);
  await printer.found([alert('b', 'match_recovered')], 1_050);
  await printer.found([], 2_000);
  expect(lines).toEqual(['a 5', 'b 6']);
});

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
  [{ reasons: [] }, 'GOAL  Home - Away  0:0 -> 1:0  A. Griezmann (France) 45+2′  match 7  incident 5-889947'],
  [
    { ...EMPTY, kind: 'goal_cancelled', incident_id: '5-1', score: { home: 0, away: 0 }, team_name: 'X' },
    'GOAL CANCELLED  Home - Away  0:0  X  match 7  incident 5-1',
  ],
  [{ ...EMPTY, kind: 'red_card', player_name: 'X', minute: '7' }, 'RED CARD  Home - Away  X 7′  match 7'],
  [{ ...EMPTY, kind: 'guard_closed', name: null, reasons: ['a', 'b'] }, 'guard closed  a, b  match 7'],
  [{ ...EMPTY, kind: 'newer', name: 'A\u001b[2J\nB' }, 'newer  A\\u001b[2J\\u000aB  match 7'],
])('renders %j with player, minute and score', (change, line) => {
  expect(alertLine({ ...sampleOf('alerts'), event_id: 7, ...change })).toBe(`15:53:20  ${line}  rule goals`);
});
