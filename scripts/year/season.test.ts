import { expect, test } from 'vitest';
import {
  kickOffOf,
  MATCH_MINUTES,
  matchesOfYear,
  messagesOf,
  postponement,
  seasonId,
  tableOf,
  type YearMatch,
} from './season.ts';

const matches = matchesOfYear();

test('plays every pair of a league once at home and once away in the first season', () => {
  for (const [season, own] of Map.groupBy(
    matches.filter((match) => match.season === 0),
    ({ league }) => seasonId(league, 0),
  )) {
    const pairs = new Set(own.map(({ teams }) => teams.join('-')));
    expect([season, pairs.size]).toEqual([season, 90]);
    const rounds = Map.groupBy(own, ({ round }) => round);
    for (const round of rounds.values()) expect(new Set(round.flatMap(({ teams }) => teams)).size).toBe(10);
  }
});

test('plays matches on New Year, on the leap day and between both seasons', () => {
  const days = new Set(matches.map(({ day }) => day));
  for (const day of ['2028-01-01', '2028-02-29', '2028-06-10']) expect(days).toContain(day);
});

test('writes all messages of a match within its time, the last with its final score', () => {
  for (const match of matches.filter(({ number }) => number % 20 === 0)) {
    const messages = messagesOf(match);
    expect(messages[0]?.at).toBe(kickOffOf(match.day));
    expect(messages.at(-1)?.at).toBeLessThanOrEqual(kickOffOf(match.day) + MATCH_MINUTES * 60_000);
    expect(messages.at(-1)?.message).toMatchObject({
      data: {
        event: {
          id: match.eventId,
          status_id: 11,
          participants: match.teams.map((id, side) => ({
            id,
            results: expect.arrayContaining([{ id: 2, value: [match.final.home, match.final.away][side] }]),
          })),
        },
      },
    });
  }
});

test('postpones a match by its status alone', () => {
  const [match] = matches;
  if (match === undefined) throw new Error('no match');
  expect(postponement(match, 0)).toMatchObject({ data: { event: { id: match.eventId, status_id: 5 } } });
});

test('sums a table by hand', () => {
  const [match] = matches;
  if (match === undefined) throw new Error('no match');
  const played: YearMatch[] = [
    { ...match, teams: [1, 2], final: { home: 2, away: 1 } },
    { ...match, teams: [2, 1], final: { home: 0, away: 0 } },
  ];
  expect(tableOf(played)).toEqual(
    new Map([
      [1, { mp: 2, pts: 4, goals_scored: 2, goals_allowed: 1 }],
      [2, { mp: 2, pts: 1, goals_scored: 1, goals_allowed: 2 }],
    ]),
  );
});
