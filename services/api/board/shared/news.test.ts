import { describe, expect, test } from 'vitest';
import type { BoardMatch } from '#story/match.ts';
import { liveMatch } from '#story/testing/matches.ts';
import { cardNews, feedNews, goneNews, haltNews, newsWords, safeNews, scoreNews } from './news.ts';

describe('news of the score', () => {
  const at = (home: number, away: number) => liveMatch({ score: { home, away } });

  test.each([
    ['a goal', at(0, 0), at(0, 1), 'goal'],
    ['a cancelled goal', at(1, 1), at(0, 1), 'cancelled'],
    ['a goal moved to the other side', at(1, 0), at(0, 1), 'goal'],
    ['nothing', at(1, 0), at(1, 0), null],
    ['a score that is known for the first time', liveMatch({ score: null }), at(1, 0), null],
  ])('%s', (_, before, after, news) => expect(scoreNews(before, after)).toBe(news));

  test('in words', () => {
    const match = liveMatch({ under_review: true });
    expect(newsWords('goal', match)).toBe('Goal: Home 1, Away 0, under review.');
    expect(newsWords('cancelled', liveMatch())).toBe('Goal cancelled: Home 1, Away 0.');
  });
});

describe('news of a halt', () => {
  const possibleGoal = liveMatch({ guard: { safe: false, reasons: ['possible_goal'] } });
  const stale = liveMatch({ feed: { believed: false, state: 'stale', reason: 'silence', delay: null } });
  const down = liveMatch({ feed: { believed: false, state: 'down', reason: 'network', delay: null } });
  const cases: readonly (readonly [string, BoardMatch, BoardMatch, string | null])[] = [
    ['the guard halts it', liveMatch(), possibleGoal, 'Halted: Home – Away: possible goal.'],
    ['its feed falls silent', liveMatch(), stale, 'Halted: Home – Away: feed stale.'],
    ['its whole source is down', liveMatch(), down, null],
    ['it was halted before', down, possibleGoal, null],
    ['it is safe again', possibleGoal, liveMatch(), null],
    ['it is over', liveMatch(), liveMatch({ status_type: 'finished' }), null],
  ];
  test.each(cases)('%s', (_, before, after, words) => {
    expect(haltNews(before, after)?.words ?? null).toBe(words);
  });

  test.each([
    ['the guard opens', possibleGoal, liveMatch(), 'Safe again at 15:06:40: Home – Away.'],
    ['its source is believed again', down, liveMatch(), null],
    ['it was safe', liveMatch(), liveMatch(), null],
    ['it is halted for another reason', possibleGoal, stale, null],
    ['it is over', possibleGoal, liveMatch({ status_type: 'finished' }), null],
  ])('is over when %s', (_, before, after, words) => {
    expect(safeNews(before, after, { now: 1_790_003_200 })?.words ?? null).toBe(words);
  });
});

test('alerts a red card with its team, and none that is taken back', () => {
  const sent = liveMatch({ red_cards: { home: 0, away: 1 } });
  expect(cardNews(liveMatch(), sent)?.words).toBe('Red card: Away (Home – Away).');
  expect(cardNews(sent, liveMatch())).toBeNull();
});

test('alerts a match that leaves the board if it was safe to trade', () => {
  expect(goneNews(liveMatch())?.words).toBe('Halted: Home – Away: no longer on the board.');
  expect(goneNews(liveMatch({ guard: { safe: false, reasons: ['game_break'] } }))).toBeNull();
});

test('alerts once when a source is no longer believed', () => {
  const up = { source: 'webhook', believed: true, state: 'alive', reason: null, delay: null } as const;
  const down = { source: 'webhook', believed: false, state: 'down', reason: 'network', delay: null } as const;
  expect(feedNews([up], [down])).toEqual([{ kind: 'feed_down', words: 'Feed down: Webhooks.' }]);
  expect(feedNews([down], [down])).toEqual([]);
  expect(feedNews([], [down])).toEqual([]);
});
