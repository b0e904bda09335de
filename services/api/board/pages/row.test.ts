import { describe, expect, test } from 'vitest';
import type { BoardMatch } from '#story/match.ts';
import { liveMatch, PUBLISHED_AT } from '#story/testing/matches.ts';
import { arrange } from '../arrange.ts';
import { matchRow, whenCell } from './row.ts';

/** Returns the text of markup that a page shows while heartbeats arrive. */
function text(markup: unknown): string {
  return String(markup)
    .replace(/<span class="withdrawn">.*?(<\/span><\/span>|(?<=–)<\/span>)/g, '')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Renders the row of a match as the stream sends it, or as a page has it before. */
function rowOf(match: BoardMatch, now: number, isLive = true): string {
  const [place] = arrange([match], now).flatMap(({ groups }) => groups.flatMap(({ rows }) => rows));
  if (place === undefined) throw new Error('no row');
  return String(matchRow(place, { now, isLive }));
}

const FINAL = { status_id: 11, status_type: 'finished' } as const;
const UPCOMING = { status_id: 1, status_type: 'scheduled', score: null, firm: null } as const;
const score = (home: number, away: number) => ({ home, away });
const unsafe = (...reasons: readonly string[]) => ({ guard: { safe: false, reasons: [...reasons] } });
const kicks = score(3, 4);
const PLAYED = { source: 'reported', derived: score(2, 0), agreement: 'differs' } as const;

describe('a row', () => {
  // The word of the guard is also its state: 'Safe', 'Halted' or 'Check'; without one the match is not in play.
  test.each<[string, Partial<BoardMatch>, string]>([
    ['a match that is safe', {}, '66′ 2H Home Away 1–0 Safe to trade 14:13:20'],
    [
      'a goal under review, with the firm score',
      { under_review: true, firm: score(0, 0), ...unsafe('under_review') },
      '66′ 2H Home Away 1–0 firm 0–0 Halted: score under review 14:13:20',
    ],
    [
      'every reason of the guard, in words',
      unsafe('possible_var', 'bet_suspended', 'new_reason'),
      '66′ 2H Home Away 1–0 Halted: video review, betting suspended, new reason 14:13:20',
    ],
    [
      'since when it is halted',
      { ...unsafe('bet_suspended'), halted_since: (PUBLISHED_AT - 120) * 1000 },
      '66′ 2H Home Away 1–0 Halted since 14:11: betting suspended 14:13:20',
    ],
    [
      'a score that differs',
      { agreement: 'differs', reported: score(2, 0), ...unsafe('score_differs') },
      '66′ 2H Home Away 1–0 Halted: provider says 2–0 14:13:20',
    ],
    ['kicks', { status_id: 141, shoot_out: kicks }, 'Pens Home Away 1–0 pens 3–4 Safe to trade 14:13:20'],
    [
      'cards',
      { red_cards: score(1, 2), yellow_cards: score(3, 1) },
      '66′ 2H Home (red card) (3 yellow cards)3 Away (2 red cards)2 (yellow card) 1–0 Safe to trade 14:13:20',
    ],
    [
      'who scored, and the score at half-time',
      {
        score: score(3, 1),
        firm: score(3, 1),
        goals: [
          { side: 'home', player: 'A. Silva', minute: '12', kind: 'penalty' },
          { side: 'away', player: 'B. Costa', minute: '45+2', kind: 'own_goal' },
          { side: 'home', player: null, minute: '50', kind: 'goal' },
          { side: 'home', player: 'A. Silva', minute: null, kind: 'goal' },
        ],
        half_time: score(1, 1),
      },
      '66′ 2H Home, goals: A. Silva 12′ (pen.), 50′ Away, goals: B. Costa 45+2′ (own goal) 3–1 , half-time HT 1–1 Safe to trade 14:13:20',
    ],
    [
      'no more than two scores beside the score',
      { status_id: 141, shoot_out: kicks, firm: score(0, 0), half_time: score(1, 0) },
      'Pens Home Away 1–0 firm 0–0pens 3–4 Safe to trade 14:13:20',
    ],
    [
      'a match that is halted and whose feed is down',
      {
        ...unsafe('possible_goal'),
        feed: { believed: false, state: 'down', reason: 'backlog', delay: null },
      },
      '66′ 2H Home Away 1–0 Halted: possible goal, feed down (our own delay) 14:13:20',
    ],
    [
      'an upcoming match without feed health',
      { ...UPCOMING, feed: { believed: false, state: 'unknown', reason: null, delay: null } },
      '15:0015 Aug Home Away v',
    ],
    [
      'an upcoming match for which the provider already sends a score',
      { ...UPCOMING, score: score(0, 0), firm: score(0, 0) },
      '15:0015 Aug Home Away v',
    ],
    [
      'a match in play without a known score',
      { score: null, firm: null, agreement: 'unknown', reported: null },
      '66′ 2H Home Away ?–? Halted: score unknown 14:13:20',
    ],
    [
      'an upcoming match that is halted',
      { ...UPCOMING, ...unsafe('bet_suspended') },
      '15:0015 Aug Home Away v Halted: betting suspended',
    ],
    ['a finished match, which has no guard', FINAL, 'FT15 Aug Home Away 1–0'],
    ['a finished match, its guard closed', { ...FINAL, ...unsafe('game_break') }, 'FT15 Aug Home Away 1–0'],
    [
      'a result that differs, under review',
      {
        ...FINAL,
        ...PLAYED,
        under_review: true,
        ...unsafe('under_review', 'score_differs', 'missing_from_list'),
      },
      'FT15 Aug Home Away 1–0 Check: a goal is still under review, 1–0 (result), played 2–0, not on the provider’s latest list',
    ],
    ['a verified result that differs from play', { ...FINAL, ...PLAYED }, 'FT15 Aug Home Away 1–0'],
    ['a shoot-out', { ...FINAL, status_id: 13, shoot_out: kicks }, 'Pens15 Aug Home Away 1–0 on pens 3–4'],
    [
      'an abandoned match, which has no result',
      { ...FINAL, status_id: 7 },
      'Abandoned15 Aug Home Away 1–0 Check: no result unless one is awarded',
    ],
    ['a cancelled match', { status_id: 3, status_type: 'cancelled' }, 'Cancelled15 Aug Home Away 1–0'],
  ])('%s', (_, changes, shown) => {
    const row = rowOf(liveMatch(changes), PUBLISHED_AT + 20);
    const guard = /Safe|Halted|Check/.exec(shown)?.[0].toLowerCase() ?? 'not_in_play';
    expect(row).toContain(`data-guard="${guard}"`);
    expect(text(row.replace(/<span class="visually-hidden"> [^<]*, <\/span>/, ''))).toBe(shown);
  });
});

test('has the words that replace those of a safe match and of its minute without heartbeats', () => {
  const row = rowOf(liveMatch(), PUBLISHED_AT);
  expect(row).toMatch(
    /class="current"><b>Safe<\/b>.*class="withdrawn"><b>Halted<\/b>.*no word from the server</,
  );
  expect(row).toMatch(/class="current"><span class="minute">65′<.*class="withdrawn"><span class="minute">–</);
  for (const text of ['Safe', '65′', '2H']) expect(row.split(text), text).toHaveLength(2);
});

test('shows no match as safe in a page that may be viewed for any time', () => {
  const row = rowOf(liveMatch(), PUBLISHED_AT, false);
  expect(text(row)).toContain('Waiting: for the next update');
  expect(row).not.toMatch(/safe/i);
  expect(text(rowOf(liveMatch(unsafe('possible_goal')), PUBLISHED_AT, false))).toContain(
    'Halted: possible goal',
  );
});

test('tells screen readers how a finished match ended', () => {
  const when = (changes: object) =>
    text(whenCell(liveMatch({ ...FINAL, ...changes }), { now: PUBLISHED_AT, isLive: true }));
  expect(when({})).toBe('FT in regular time, 15 Aug');
  expect(when({ status_id: 13 })).toBe('Pens after penalties, 15 Aug');
});

test('says for how long a match is quiet', () => {
  expect(text(rowOf(liveMatch(), PUBLISHED_AT + 300))).toMatch(/ no update for 5 min$/);
});
