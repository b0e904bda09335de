import { describe, expect, test } from 'vitest';
import { SOCCER_CLOCK } from '#domain/clock-rule.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import type { FeedStatus, SourceFeedStatus } from '#trading/feed-status.ts';
import { NO_HALTS } from '#trading/halts.ts';
import { tradingOf } from '#trading/trading.ts';
import { widthOf } from '../../table.ts';
import { boardLines, type LiveRow } from './board.ts';

const NOW = 1_531_670_010_000;
const ALIVE: FeedStatus = {
  believed: true,
  state: 'alive',
  reason: null,
  since: null,
  delay: null,
  source: 'webhook',
};
const SILENT: FeedStatus = { ...ALIVE, believed: false, state: 'stale', reason: 'silence' };
const SOURCES = [{ ...ALIVE, source: 'webhook' }] satisfies SourceFeedStatus[];
const ANY_ROOM = { columns: null, rows: null };

function live(id: number, feed: FeedStatus, doubts: readonly string[] = []): LiveRow {
  const guard = { safe: true, reasons: [] };
  const state = {
    ...sampleOf('match-state'),
    event_id: id,
    guard,
    firm: { home: 1, away: 0 },
    clock_rule: SOCCER_CLOCK,
    status_name: null,
    periods: [],
  };
  return { state, feed, trading: tradingOf(state, feed, NO_HALTS, doubts), lastReceivedAt: NOW - 12_345 };
}

const lines = (matches: readonly LiveRow[], room: Parameters<typeof boardLines>[2]['room'] = ANY_ROOM) =>
  boardLines(matches, SOURCES, { now: NOW, room });

describe('the board of live matches', () => {
  test('shows no minute, and permits no trading, when the broker is silent', () => {
    expect(lines([live(1, ALIVE, ['states_unread'])])[3]).toMatch(/^ {5}- .*halted: no word from the server/);
  });

  test.each([
    [120, 10],
    [70, 8],
    [40, 5],
  ])('fits a terminal of %i columns and %i rows', (columns, rows) => {
    const shown = lines(
      Array.from({ length: 30 }, (_, id) => live(id, SILENT)),
      { columns, rows },
    );
    expect(shown.length).toBeLessThanOrEqual(rows);
    const matches = columns === 120 ? rows - 4 : Math.floor((rows - 3) / 2);
    expect(shown.at(-1)).toBe(`and ${30 - matches} more`);
    for (const line of shown) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  test('shows teams, ids and reasons whole on a terminal of 60 columns, and the firm score where it differs', () => {
    const stale = live(3_100_041, SILENT);
    const reviewed = { ...stale.state, score: { home: 2, away: 0 } };
    const names = {
      home: { ...stale.state.home, name: 'Borussia M’gladbach' },
      away: { ...stale.state.away, name: 'Eintracht Frankfurt' },
    };
    const state = { ...reviewed, ...names } as LiveRow['state'];
    expect(lines([{ ...stale, state }, live(22, ALIVE)], { columns: 60, rows: null }).slice(2)).toEqual([
      "   19'  Borussia M’gladbach 2–0 Eintracht Frankfurt  3100041",
      '    firm 1–0  halted: feed stale (nothing received)  12 s',
      "   19'  France 1–0 Croatia  22",
      '    safe  12 s',
    ]);
  });
});
