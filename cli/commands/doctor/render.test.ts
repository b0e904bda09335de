import { expect, test } from 'vitest';
import { ALIVE } from '#trading/testing/feeds.ts';
import { failed, fine, warning } from './finding.ts';
import { findingLines, systemLines } from './render.ts';
import type { SystemTables } from './system.ts';

test('renders failures first, with their advice, and leaves out on a screen what is fine', () => {
  const findings = [
    fine('broker', 'answers'),
    warning('disk', 'full', 'free it'),
    failed('lag', 'lost', 'x'),
  ];
  const bad = [
    'failed    lag       lost',
    '                    → x',
    'warning   disk      full',
    '                    → free it',
  ];
  const counts = ['', '1 failed, 1 warnings, 1 fine'];
  expect(findingLines(findings)).toEqual([...bad, 'ok        broker    answers', ...counts]);
  expect(findingLines(findings, { isShort: true })).toEqual([...bad, ...counts]);
});

test('renders processors, dead letters and sources on one screen', () => {
  const at = (minute: number) => Date.UTC(2026, 5, 11, 20, minute);
  const state = { processes: 2, partitions: 8, behind: 12_345 };
  const taken: SystemTables = {
    at: Date.UTC(2026, 5, 11, 20, 45, 10, 500),
    prefix: 'touchline.',
    processors: [
      { processor: 'match-processor', state },
      { processor: 'standings-processor', state: { ...state, processes: 0, behind: 0 } },
      { processor: 'alert-processor', state: { ...state, behind: 7 } },
      { processor: 'webhook-dispatcher', state: null },
    ],
    deadLetters: 3,
    sources: [
      { ...ALIVE, source: 'feed', since: at(0) },
      { ...ALIVE, source: 'webhook', believed: false, state: 'down', reason: 'network', since: at(30) },
      { ...ALIVE, source: 'other', believed: false, state: 'unknown' },
    ],
    refusedLists: [
      { event_id: 9, reason: 'empty', since: at(31) },
      { event_id: 1_234_567, reason: 'count', since: at(40) },
    ],
  };
  expect(systemLines(taken, null)).toEqual([
    '',
    'touchline.  2026-06-11T20:45:10Z',
    '',
    'processor            processes  partitions  behind',
    'match-processor              2           8   12345',
    'standings-processor          0           8       0',
    'alert-processor              2           8       7',
    'webhook-dispatcher           -           -       -',
    '',
    'dead letters  3  npx touchline dead-letters list',
    '',
    'feed     state    since                 reason',
    'feed     alive    2026-06-11T20:00:00Z',
    'webhook  down     2026-06-11T20:30:00Z  network',
    'other    unknown',
    '',
    'list of  since                 changes nothing, as it',
    '      9  2026-06-11T20:31:00Z  has no incident',
    '1234567  2026-06-11T20:40:00Z  never has as many incidents as it says',
  ]);
  const empty = { ...taken, deadLetters: null, sources: [], refusedLists: [] };
  expect(systemLines(empty, null).slice(-2)).toEqual(['', 'dead letters  unknown']);
  const head = (lateMs: number) => systemLines(taken, null, taken.at + lateMs)[1];
  expect(head(5_000)).toBe('touchline.  2026-06-11T20:45:10Z');
  expect(head(25_000)).toBe('touchline.  2026-06-11T20:45:10Z  25 s ago: the broker has not answered since');
});
