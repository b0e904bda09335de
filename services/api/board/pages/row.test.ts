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

describe('a row', () => {
  const cases: readonly (readonly [string, Partial<BoardMatch>, string, string])[] = [
    ['a match that is safe', {}, 'safe', '66′ 2H Home Away 1–0 Safe to trade 14:13:20'],
    [
      'a goal under review, with the firm score',
      { under_review: true, firm: { home: 0, away: 0 }, guard: { safe: false, reasons: ['under_review'] } },
      'halted',
      '66′ 2H Home Away 1–0 firm 0–0 Halted: score under review 14:13:20',
    ],
    [
      'every reason of the guard, in words',
      { guard: { safe: false, reasons: ['possible_var', 'bet_suspended', 'new_reason'] } },
      'halted',
      '66′ 2H Home Away 1–0 Halted: video review, betting suspended, new reason 14:13:20',
    ],
    [
      'since when it is halted',
      { guard: { safe: false, reasons: ['bet_suspended'] }, halted_since: (PUBLISHED_AT - 120) * 1000 },
      'halted',
      '66′ 2H Home Away 1–0 Halted since 14:11: betting suspended 14:13:20',
    ],
    [
      'a score that differs',
      {
        agreement: 'differs',
        reported: { home: 2, away: 0 },
        guard: { safe: false, reasons: ['score_differs'] },
      },
      'halted',
      '66′ 2H Home Away 1–0 Halted: provider says 2–0 14:13:20',
    ],
    [
      'a shoot-out',
      { status_id: 141, shoot_out: { home: 3, away: 4 } },
      'safe',
      'Pens Home Away 1–0 pens 3–4 Safe to trade 14:13:20',
    ],
    [
      'cards',
      { red_cards: { home: 1, away: 2 }, yellow_cards: { home: 3, away: 1 } },
      'safe',
      '66′ 2H Home (red card) (3 yellow cards)3 Away (2 red cards)2 (yellow card) 1–0 Safe to trade 14:13:20',
    ],
    [
      'who scored, and the score at half-time',
      {
        score: { home: 3, away: 1 },
        firm: { home: 3, away: 1 },
        goals: [
          { side: 'home', player: 'A. Silva', minute: '12', kind: 'penalty' },
          { side: 'away', player: 'B. Costa', minute: '45+2', kind: 'own_goal' },
          { side: 'home', player: null, minute: '50', kind: 'goal' },
          { side: 'home', player: 'A. Silva', minute: null, kind: 'goal' },
        ],
        half_time: { home: 1, away: 1 },
      },
      'safe',
      '66′ 2H Home, goals: A. Silva 12′ (pen.), 50′ Away, goals: B. Costa 45+2′ (own goal) 3–1 , half-time HT 1–1 Safe to trade 14:13:20',
    ],
    [
      'no more than two scores beside the score',
      {
        status_id: 141,
        shoot_out: { home: 3, away: 4 },
        firm: { home: 0, away: 0 },
        half_time: { home: 1, away: 0 },
      },
      'safe',
      'Pens Home Away 1–0 firm 0–0pens 3–4 Safe to trade 14:13:20',
    ],
    [
      'a match that is halted and whose feed is down',
      {
        guard: { safe: false, reasons: ['possible_goal'] },
        feed: { believed: false, state: 'down', reason: 'backlog', delay: null },
      },
      'halted',
      '66′ 2H Home Away 1–0 Halted: possible goal, feed down (our own delay) 14:13:20',
    ],
    [
      'an upcoming match without feed health',
      {
        status_id: 1,
        status_type: 'scheduled',
        feed: { believed: false, state: 'unknown', reason: null, delay: null },
        score: null,
        firm: null,
      },
      'not_in_play',
      '15:0015 Aug Home Away v',
    ],
    [
      'an upcoming match for which the provider already sends a score',
      {
        status_id: 1,
        status_type: 'scheduled',
        score: { home: 0, away: 0 },
        firm: { home: 0, away: 0 },
      },
      'not_in_play',
      '15:0015 Aug Home Away v',
    ],
    [
      'a match in play without a known score',
      { score: null, firm: null, agreement: 'unknown', reported: null },
      'halted',
      '66′ 2H Home Away ?–? Halted: score unknown 14:13:20',
    ],
    [
      'an upcoming match that is halted',
      {
        status_id: 1,
        status_type: 'scheduled',
        score: null,
        firm: null,
        guard: { safe: false, reasons: ['bet_suspended'] },
      },
      'halted',
      '15:0015 Aug Home Away v Halted: betting suspended',
    ],
    ['a finished match, which has no guard', FINAL, 'not_in_play', 'FT15 Aug Home Away 1–0'],
    [
      'a finished match with a guard that is not safe',
      { ...FINAL, guard: { safe: false, reasons: ['game_break'] } },
      'not_in_play',
      'FT15 Aug Home Away 1–0',
    ],
    [
      'a result that differs, under review',
      {
        ...FINAL,
        under_review: true,
        source: 'reported',
        derived: { home: 2, away: 0 },
        agreement: 'differs',
        guard: { safe: false, reasons: ['under_review', 'score_differs', 'missing_from_list'] },
      },
      'check',
      'FT15 Aug Home Away 1–0 Check: a goal is still under review, 1–0 (result), played 2–0, not on the provider’s latest list',
    ],
    [
      'a verified result that differs from what was played',
      { ...FINAL, source: 'reported', derived: { home: 2, away: 0 }, agreement: 'differs' },
      'not_in_play',
      'FT15 Aug Home Away 1–0',
    ],
    [
      'an end after penalties',
      { ...FINAL, status_id: 13, shoot_out: { home: 3, away: 4 } },
      'not_in_play',
      'Pens15 Aug Home Away 1–0 on pens 3–4',
    ],
    [
      'an abandoned match, which has no result',
      { ...FINAL, status_id: 7 },
      'check',
      'Abandoned15 Aug Home Away 1–0 Check: no result unless one is awarded',
    ],
    [
      'a cancelled match, which has no guard',
      { status_id: 3, status_type: 'cancelled' },
      'not_in_play',
      'Cancelled15 Aug Home Away 1–0',
    ],
  ];
  test.each(cases)('%s', (_, changes, guard, shown) => {
    const row = rowOf(liveMatch(changes), PUBLISHED_AT + 20);
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
  const halted = liveMatch({ guard: { safe: false, reasons: ['possible_goal'] } });
  expect(text(rowOf(halted, PUBLISHED_AT, false))).toContain('Halted: possible goal');
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
