import { expect, test } from 'vitest';
import { settings as monitor } from '../services/feed-monitor/config.ts';
import { settings as poller } from '../services/feed-poller/config.ts';
import { beyond, silencesOf } from './provider-silence.ts';

const PERIOD = { times: [4, 40, 41], length: 60 };

test('counts the time between two messages of any kind, from the start of a period to its end', () => {
  expect(silencesOf(PERIOD, [])).toEqual([4, 36, 1, 19]);
  expect(silencesOf(PERIOD, [30])).toEqual([4, 26, 10, 1, 19, 0]);
});

test('counts what is later than the limit only', () => {
  const { share, count } = beyond(silencesOf(PERIOD, []), 20);
  expect([share, count]).toEqual([16 / 60, 1]);
  expect(beyond(silencesOf(PERIOD, [10]), 10)).toEqual({ share: 0, count: 0 });
});

test('a live match is read twice before it is stale, by the defaults', () => {
  const { STALE_AFTER_MS } = monitor.shape;
  const { LIVESCORE_PERIOD_MS } = poller.shape;
  expect(2 * LIVESCORE_PERIOD_MS.parse(undefined)).toBeLessThanOrEqual(STALE_AFTER_MS.parse(undefined));
});
