import { expect, test } from 'vitest';
import { renderStatus, type SystemStatus } from './render.ts';

test('one screen has processors, dead letters and sources', () => {
  const state = { processes: 2, partitions: 8, behind: 12_345, outside: [] };
  const taken: SystemStatus = {
    at: Date.UTC(2026, 5, 11, 20, 45, 10, 500),
    prefix: 'touchline.',
    processors: [
      { processor: 'match-processor', state },
      { processor: 'standings-processor', state: { ...state, processes: 0, behind: 0 } },
      { processor: 'webhook-composer', state: { ...state, behind: 7, outside: [1, 5] } },
      { processor: 'webhook-dispatcher', state: null },
    ],
    deadLetters: 3,
    sources: [
      { source: 'feed', believed: true, state: 'alive', reason: null, since: Date.UTC(2026, 5, 11, 20) },
      {
        source: 'webhook',
        believed: false,
        state: 'down',
        reason: 'network',
        since: Date.UTC(2026, 5, 11, 20, 30),
      },
      { source: 'other', believed: false, state: 'unknown', reason: null, since: null },
    ],
  };
  expect(renderStatus(taken, null)).toEqual([
    'touchline.  2026-06-11T20:45:10Z',
    '',
    'processor            processes  partitions  behind',
    'match-processor              2           8   12345',
    'standings-processor          0           8       0  not running',
    'webhook-composer             2           8       7  refused: partitions 1, 5, see npx touchline doctor',
    'webhook-dispatcher           -           -       -  no topics: npx touchline topics',
    '',
    'dead letters  3  npx touchline dead-letters list',
    '',
    'feed     state    since                 reason',
    'feed     alive    2026-06-11T20:00:00Z',
    'webhook  down     2026-06-11T20:30:00Z  network',
    'other    unknown',
  ]);
  expect(renderStatus({ ...taken, deadLetters: null, sources: [] }, null).slice(-2)).toEqual([
    '',
    'dead letters  no topic',
  ]);
  const head = (lateMs: number) => renderStatus(taken, null, taken.at + lateMs)[0];
  expect(head(5_000)).toBe('touchline.  2026-06-11T20:45:10Z');
  expect(head(25_000)).toBe('touchline.  2026-06-11T20:45:10Z  25 s ago: the broker has not answered since');
});
