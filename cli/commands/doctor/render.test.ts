import { describe, expect, test } from 'vitest';
import { ALIVE } from '#trading/testing/feeds.ts';
import { findingLines, systemLines } from './render.ts';
import { failed, fine, warning } from './rules.ts';
import { parseProcessStatus, type SystemTables } from './system.ts';

const METRICS = `# HELP touchline_tasks Partitions held, by state.
# TYPE touchline_tasks gauge
touchline_tasks{state="running",service="match-processor"} 6
touchline_tasks{state="restoring",service="match-processor"} 2
touchline_tasks{state="refused",service="match-processor"} 0
touchline_restore_records_total{service="match-processor"} 1200
touchline_undecided_records{partition="0",service="match-processor"} 3
touchline_undecided_records{partition="1",service="match-processor"} 4
process_resident_memory_bytes{service="match-processor"} 209715200
`;

describe('parseProcessStatus', () => {
  test('reads tasks by state, and sums over partitions', () => {
    expect(parseProcessStatus('http://a', METRICS)).toEqual({
      url: 'http://a',
      service: 'match-processor',
      tasks: { running: 6, restoring: 2 },
      restoredRecords: 1200,
      undecidedRecords: 7,
      residentBytes: 209_715_200,
    });
  });

  test.each(['', 'up 1\n', '<html></html>'])('refuses a text that is not of a service: %j', (text) => {
    expect(parseProcessStatus('http://a', text)).toEqual({
      url: 'http://a',
      problem: 'is no service of Touchline',
    });
  });
});

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

test('renders processors, dead letters, sources and processes on one screen', () => {
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
    processes: [parseProcessStatus('http://a', METRICS), { url: 'http://b', problem: 'no answer\u001b[2J' }],
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
    '',
    'process          MiB  restored  undecided  tasks',
    'match-processor  200      1200          7  6 running, 2 restoring',
    'http://b           -         -          -  no answer\\u001b[2J',
  ]);
  const empty = { ...taken, deadLetters: null, sources: [], refusedLists: [], processes: [] };
  expect(systemLines(empty, null).slice(-2)).toEqual(['', 'dead letters  unknown']);
  const head = (lateMs: number) => systemLines(taken, null, taken.at + lateMs)[1];
  expect(head(5_000)).toBe('touchline.  2026-06-11T20:45:10Z');
  expect(head(25_000)).toBe('touchline.  2026-06-11T20:45:10Z  25 s ago: the broker has not answered since');
});
