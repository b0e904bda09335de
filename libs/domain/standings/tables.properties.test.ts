import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cells, LIVE, lines, result, rulesOf, SCHEDULED, table } from './testing/results.ts';
import type { SeasonResult } from './types.ts';

const LEAGUE_CODES = ['mp', 'won', 'draw', 'lost', 'goals_scored', 'goals_allowed', 'pts', 'form'];

const letters = ['A', 'B', 'C', 'D'];
const anyResult = fc.record({
  text: fc.tuple(
    fc.constantFrom(...letters),
    fc.constantFrom('?', '0-0', '1-0', '1-2', '3-3'),
    fc.constantFrom(...letters),
  ),
  status: fc.constantFrom({}, {}, {}, LIVE, SCHEDULED, { status_id: 7 }),
});
const anyResults = fc
  .array(anyResult, { maxLength: 12 })
  .map((made) => made.map(({ text, status }, at) => result(at + 1, text.join(' '), status)));
const hard = rulesOf({
  tie_break: ['points', { head_to_head: ['points', 'goals_diff'], again: true }, 'goals_diff'],
  corrections: [{ participant_id: 1, value: -1, reason: 'Quit', from: '2024-01-03' }],
});

describe('the tables of any results', () => {
  test('have a live table that is the league table as if games in play had ended', () => {
    fc.assert(
      fc.property(anyResults, (set) => {
        const ended = set.map((one) =>
          one.status_type === 'live' ? { ...one, status_id: 11, status_type: 'finished' } : one,
        );
        const shown = (kind: 'league' | 'live', results: SeasonResult[]) =>
          lines(table(kind, results, hard), 'mp', 'goals_diff', 'pts', 'form');
        expect(shown('live', set)).toEqual(shown('league', ended));
      }),
    );
  });

  test('have a live table that equals the league table for teams that do not play', () => {
    fc.assert(
      fc.property(anyResults, (set) => {
        const idle = new Set(
          table('live', set, hard)
            .rows.filter((row) => row.columns.is_playing === 'no')
            .map(({ participant }) => participant.name),
        );
        const shown = (kind: 'league' | 'live') => {
          const { rows } = table(kind, set, hard);
          const ofIdle = rows.filter(({ participant }) => idle.has(participant.name));
          return ofIdle
            .map((row) => LEAGUE_CODES.map((code) => [row.participant.name, cells('league', row).get(code)]))
            .sort();
        };
        expect(shown('live')).toEqual(shown('league'));
      }),
    );
  });

  test('have the last ranks of a table without the last round of each team', () => {
    // Rounds are as mixed as possible.
    const anyMatches = fc.array(
      fc.record({
        day: fc.integer({ min: 1, max: 9 }),
        round_id: fc.constantFrom(null, 1, 2, 3),
        text: fc.constantFrom('A 1-0 B', 'B 2-2 A', 'C 0-1 D', 'A 0-2 C', 'D 1-0 B'),
      }),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(anyMatches, (made) => {
        const set = made.map(({ day, round_id, text }, at) =>
          result(at + 1, text, { round_id, start_date: `2024-01-0${day} 15:00` }),
        );
        const { rows } = table('league', set);
        const expected = rows.map(({ participant: { id } }) => {
          const own = set.filter(({ home, away }) => home?.id === id || away?.id === id).sort(byStart);
          const before = own.length < 2 ? [] : resultsBefore(own.at(-1), set);
          const others = set.map((one) => (before.includes(one) ? one : { ...one, ...SCHEDULED }));
          return before.length === 0
            ? null
            : table('league', others).rows.find((row) => row.participant.id === id)?.rank;
        });
        expect(rows.map(({ last_rank }) => last_rank)).toEqual(expected);
      }),
    );
  });
});

const byStart = (a: SeasonResult, b: SeasonResult) =>
  String(a.start_date).localeCompare(String(b.start_date)) || a.event_id - b.event_id;

/** `last_rank` by docs/reference/standings.md, match by match. */
function resultsBefore(last: SeasonResult | undefined, results: readonly SeasonResult[]): SeasonResult[] {
  const earlier = results
    .filter(({ start_date }) => String(start_date) < String(last?.start_date))
    .sort(byStart);
  return earlier.filter((one, at) => {
    if (one.round_id === null || one.round_id !== last?.round_id) return true;
    const teams = [one.home?.id, one.away?.id];
    return earlier
      .slice(at + 1)
      .some(({ home, away }) => teams.includes(home?.id) || teams.includes(away?.id));
  });
}
