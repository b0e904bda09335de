import { expect, test } from 'vitest';
import { findingLines, systemLines } from './render.ts';
import { failed, fine, warning } from './rules.ts';
import type { SystemTables } from './system.ts';

test('renders failures first, with their advice, and leaves out on a screen what is fine', () => {
  const findings = [
    fine('broker', 'answers'),
    warning('disk', 'is full soon', 'free it'),
    failed('lag', 'lost', 'x'),
  ];
  const bad = [
    'failed    lag       lost',
    '                    → x',
    'warning   disk      is full soon',
    '                    → free it',
  ];
  const counts = ['', '1 failed, 1 warnings, 1 fine'];
  expect(findingLines(findings)).toEqual([...bad, 'ok        broker    answers', ...counts]);
  expect(findingLines(findings, { isShort: true })).toEqual([...bad, ...counts]);
});

test('renders processors, dead letters and sources on one screen', () => {
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
      {
        source: 'feed',
        believed: true,
        state: 'alive',
        reason: null,
        delay: null,
        since: Date.UTC(2026, 5, 11, 20),
      },
      {
        source: 'webhook',
        believed: false,
        state: 'down',
        reason: 'network',
        delay: null,
        since: Date.UTC(2026, 5, 11, 20, 30),
      },
      { source: 'other', believed: false, state: 'unknown', reason: null, delay: null, since: null },
    ],
  };
  expect(systemLines(taken, null)).toEqual([
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
  ]);
  expect(systemLines({ ...taken, deadLetters: null, sources: [] }, null).slice(-2)).toEqual([
    '',
    'dead letters  unknown',
  ]);
  const head = (lateMs: number) => systemLines(taken, null, taken.at + lateMs)[0];
  expect(head(5_000)).toBe('touchline.  2026-06-11T20:45:10Z');
  expect(head(25_000)).toBe('touchline.  2026-06-11T20:45:10Z  25 s ago: the broker has not answered since');
});
