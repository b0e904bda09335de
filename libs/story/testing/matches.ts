import { SOCCER_CLOCK } from '#domain/clock.ts';
import { NO_HALTS } from '#trading/halts.ts';
import type { BoardMatch } from '../match.ts';

/** Time of the last message of the tests' matches, Unix seconds. */
export const PUBLISHED_AT = 1_790_000_000;

/** Returns a match in its second half, 1-0, whose clock shows 20:00 at `PUBLISHED_AT`. */
export function liveMatch(changes: Partial<BoardMatch> = {}): BoardMatch {
  return {
    event_id: 7000001,
    version: 3,
    home: { name: 'Home', short_name: 'HOM', acronym: 'HOM' },
    away: { name: 'Away', short_name: 'AWA', acronym: 'AWA' },
    start_date: '2026-08-15 15:00',
    status_id: 34,
    status_type: 'live',
    clock: { time: 1200, status: 'running', ut: PUBLISHED_AT },
    clock_rule: SOCCER_CLOCK,
    periods: [],
    status_words: null,
    score: { home: 1, away: 0 },
    firm: { home: 1, away: 0 },
    shoot_out: null,
    goals: [],
    half_time: null,
    red_cards: { home: 0, away: 0 },
    yellow_cards: { home: 0, away: 0 },
    source: 'incidents',
    derived: { home: 1, away: 0 },
    reported: { home: 1, away: 0 },
    agreement: 'agrees',
    under_review: false,
    guard: { safe: true, reasons: [] },
    feed: { believed: true, state: 'alive', reason: null, delay: null },
    halted_since: null,
    halts: NO_HALTS,
    competition_id: 6628,
    season_id: 25528,
    stage_id: 76600,
    group_id: null,
    levels: { competition: 'League', season: 'League 26/27', stage: 'Regular season', group: null },
    ut: PUBLISHED_AT,
    received_at: PUBLISHED_AT * 1000,
    ...changes,
  };
}
