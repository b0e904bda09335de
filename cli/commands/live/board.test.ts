import { describe, expect, test } from 'vitest';
import { SOCCER_CLOCK } from '#domain/clock.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import type { FeedStatus, SourceFeedStatus } from '#trading/feed-status.ts';
import { NO_HALTS } from '#trading/halts.ts';
import { ALIVE, SILENT } from '#trading/testing/feeds.ts';
import { tradingOf } from '#trading/trading.ts';
import { widthOf } from '../../table.ts';
import { boardLines, type LiveRow } from './board.ts';

const NOW = 1_531_670_010_000;
const SOURCES = [{ ...ALIVE, source: 'webhook' }] satisfies SourceFeedStatus[];
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

const lines = (matches: readonly LiveRow[], width: number | null = null) =>
  boardLines(matches, SOURCES, { now: NOW, width });

describe('the board of live matches', () => {
  test('shows no minute, and permits no trading, when the broker is silent', () => {
    expect(lines([live(1, ALIVE, ['states_unread'])])[3]).toMatch(/^ {5}- .*halted: no word from the server/);
  });

  test('fits a narrow terminal, and shows the firm score where it differs', () => {
    const stale = live(3_100_041, SILENT);
    const state = { ...stale.state, score: { home: 2, away: 0 } };
    const [, , , reviewed, same] = lines([{ ...stale, state }, live(22, ALIVE)]);
    expect(reviewed).toMatch(/ 2–0 \(firm 1–0\) .*halted: feed stale \(nothing received\) +12 s +3100041$/);
    expect(same).toMatch(/ 1–0 +Croatia +safe +12 s +22$/);
    for (const columns of [120, 70, 40])
      for (const line of lines([stale], columns)) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });
});
