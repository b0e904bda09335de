import { describe, expect, test } from 'vitest';
import { feedWords } from '#story/feed-words.ts';
import { type BoardSource, feedsHead } from './board-states.ts';

describe('the head of a connected page', () => {
  const alive: BoardSource = { source: 'webhook', believed: true, state: 'alive', reason: null, delay: null };
  const restAlive: BoardSource = { ...alive, source: 'feed', state: 'recovered' };
  const down: BoardSource = { ...alive, believed: false, state: 'down', reason: 'network' };
  const restExpired: BoardSource = { ...restAlive, believed: false, state: 'expired' };

  test.each([
    ['says that nobody reports the feeds', [], 'none', 'Feeds: health unknown'],
    ['is up to date while each feed is believed', [alive, restAlive], 'all', 'Up to date'],
    ['names the one of two feeds that is down', [down, restAlive], 'some', 'Webhooks down'],
    [
      'turns amber at once for a feed whose last read failed, though it is still believed',
      [alive, { ...restAlive, reason: 'network' }],
      'some',
      'REST feed provider unreachable',
    ],
    ['names all if none is believed', [down, restExpired], 'none', 'Webhooks down, REST feed health unknown'],
  ] as const)('%s', (_, sources, believed, words) => expect(feedsHead(sources)).toEqual({ believed, words }));
});

test('a recovering source names what was wrong before', () => {
  const feed = { believed: false, reason: 'network', delay: null } as const;
  expect(feedWords({ ...feed, state: 'down' })).toBe('down (provider unreachable)');
  expect(feedWords({ ...feed, state: 'recovering' })).toBe('recovering (after: provider unreachable)');
});
