import { describe, expect, test } from 'vitest';
import { TABLE_TYPES } from './columns.ts';
import { type Game, readGame } from './games.ts';
import { touchedBy } from './tables.ts';
import { deriveTables } from './testing/derive.ts';
import {
  GOAL,
  KNOWN,
  LIVE,
  league,
  lines,
  result,
  results,
  rulesOf,
  SCHEDULED,
  score,
  table,
  teamOf,
} from './testing/results.ts';
import type { SeasonResult } from './types.ts';

/** A over B, C drew with A, B over C: 4, 3 and 1 points. */
const SEASON = results('A 2-0 B, C 1-1 A, B 3-1 C');
const POINTS = ['1 A 4', '2 B 3', '3 C 1'];

/** Returns the reasons of all flags, by event. */
function flags(games: SeasonResult[], rules = rulesOf()): string[] {
  return deriveTables(games, rules)
    .flags.filter(({ reason }) => reason === 'unknown_score' || reason === 'unknown_participant')
    .map(({ event_id, reason }) => `${event_id} ${reason}`);
}

describe('the league table', () => {
  test('counts matches, goals and points, and shows the newest result first', () => {
    const codes = ['mp', 'won', 'draw', 'lost', 'goals_scored', 'goals_allowed', 'goals_diff', 'pts', 'form'];
    expect(lines(table('league', SEASON), ...codes)).toEqual([
      '1 A 2 1 1 0 3 1 2 4 D,W',
      '2 B 2 1 0 1 3 3 0 3 W,L',
      '3 C 2 0 1 1 2 4 -2 1 L,D',
    ]);
    const points = { won: 4, draw: 2, lost: 1 };
    expect(league('pts', SEASON, rulesOf({ points }))).toEqual(['1 A 6', '2 B 5', '3 C 3']);
  });

  test('gives teams equal on everything one rank, in the order of their ids', () => {
    const equal = results('D 1-0 C, B 1-0 A');
    expect(lines(table('league', equal))).toEqual(['1 B', '1 D', '3 A', '3 C']);
  });

  test('includes teams that have not played yet', () => {
    expect(league('mp pts form', [result(1, 'A ? B', SCHEDULED)])).toEqual(['1 A 0 0 ', '1 B 0 0 ']);
  });

  test('shows no more of the form than the rules say', () => {
    const games = results('A 1-1 B, A 2-1 B, A 3-1 B');
    expect(league('form', games, rulesOf({ form_matches: 2 }))[0]).toBe('1 A W,W');
  });

  test('moves a zone on to the next team where one is not entitled to it', () => {
    // 3. Liga 2019-20: the reserves of Bayern won it; second and third went up, the fourth played off.
    const top = results('A 4-0 E, B 3-0 E, C 2-0 E, D 1-0 E');
    const zone = (id: number, name: string, from: number, to = from) => {
      return { id, name, from, to, colour: '#fff' };
    };
    const zones = [zone(4, 'Down', 5), zone(1, 'Up', 1, 2), zone(2, 'Play-off', 3), zone(3, 'Cup', 1, 4)];
    const zonesWith = (not_entitled: unknown[], games = top) =>
      table('league', games, rulesOf({ zones, not_entitled }))
        .rows.map(({ zone }) => zone)
        .join(', ');
    expect(zonesWith([])).toBe('Up, Up, Play-off, Cup, Down');
    expect(zonesWith([{ participant_id: 1, zones: [1, 2] }])).toBe('Cup, Up, Up, Play-off, Down');
    // A team may go down that may not go up.
    expect(zonesWith([{ participant_id: 5, zones: [1, 2, 3] }])).toBe('Up, Up, Play-off, Cup, Down');
    expect(zonesWith([{ participant_id: 1, zones: [1] }], results('A 1-0 C, B 1-0 D'))).toMatch(/^Cup, Up, /);
  });

  test('names zones by rank', () => {
    const zones = [{ id: 1, name: 'Up', colour: '#fff', from: 1, to: 1 }];
    const { rows } = table('league', SEASON, rulesOf({ zones }));
    expect(rows.map(({ zone }) => zone ?? '')).toEqual(['Up', '', '']);
  });
});

test('rows of teams have the acronym and area of the team, and those of persons have none', () => {
  const known = { ...teamOf(1, 'A'), acronym: 'AAA', area_id: 7, area_name: 'Somewhere' };
  const games = [result(1, 'A 1-0 B', { home: known, goals: [GOAL] })];
  const [home, away] = table('league', games).rows;
  expect(home?.participant).toMatchObject({ acronym: 'AAA', area_id: 7, area_name: 'Somewhere' });
  const unknown = { acronym: null, area_id: null, area_name: null };
  expect(away?.participant).toMatchObject(unknown);
  // The scorer has the id of no team.
  const ofPerson = { participant: unknown, played: null, points: null };
  expect(table('top_scorers', games).rows).toMatchObject([ofPerson]);
  const scorer = { ...GOAL, player: { id: 1, name: 'One' } };
  const sameId = [result(1, 'A 1-0 B', { home: known, goals: [scorer] })];
  expect(table('top_scorers', sameId).rows[0]?.participant.acronym).toBeNull();
});

describe('corrections', () => {
  const corrections = [{ participant_id: 1, value: -2, reason: 'Financial issues', from: '2024-01-02' }];
  const rules = rulesOf({ corrections });

  test('change the points, and are shown with reason and day', () => {
    const corrected = table('league', SEASON, rules);
    expect(lines(corrected, 'pts')).toEqual(['1 B 3', '2 A 2', '3 C 1']);
    expect(corrected.rows.map(({ corrections }) => corrections)).toEqual([0, -2, 0]);
    expect(corrected.corrections).toMatchObject([
      { participant_id: 1, points: -2, reason: 'Financial issues' },
    ]);
  });

  test('show the table of a day in the middle of the season', () => {
    expect(league('pts', SEASON, rules, '2024-01-01')).toEqual(['1 A 3', '2 C 0', '3 B 0']);
    expect(table('league', SEASON, rules, '2024-01-01').corrections).toEqual([]);
    expect(league('pts', SEASON, rules, '2024-01-02')).toEqual(['1 A 2', '2 C 1', '3 B 0']);
  });

  test('are in force before a team’s last round from their first day on', () => {
    const before = (from: string) => {
      const rules = rulesOf({ corrections: [{ participant_id: 1, value: -4, reason: 'Quit', from }] });
      const last = [...SEASON, ...results('A 0-0 B, C 0-0 B', { first: 4 })];
      return table('league', last, rules).rows.find(({ participant }) => participant.name === 'B')?.last_rank;
    };
    expect([before('2024-01-04'), before('2024-01-05')]).toEqual([1, 2]);
  });

  test('apply to no table of home games, away games or halves, and to no other group', () => {
    expect(lines(table('home', SEASON, rules), 'home_pts')[0]).toBe('1 B 3');
    const zones = [{ id: 1, name: 'Up', colour: '#fff', from: 1, to: 1 }];
    expect(table('home', SEASON, { ...rules, zones })).toMatchObject({ corrections: [], zones: [] });
    const elsewhere = rulesOf({ corrections: [{ participant_id: 99, value: 3, reason: 'Quit' }] });
    expect(table('league', SEASON, elsewhere).corrections).toEqual([]);
  });
});

describe('a decision of an association', () => {
  test('awards a result in place of the played one, or of none', () => {
    const rules = rulesOf({ awarded: [{ event_id: 1, home: 0, away: 3 }] });
    expect(league('pts', SEASON, rules)).toEqual(['1 B 6', '2 C 1', '3 A 1']);
    const never = [result(1, 'A ? B', SCHEDULED)];
    expect(league('pts goals_diff', never, rules)).toEqual(['1 B 3 3', '2 A 0 -3']);
    expect(flags(never, rules)).toEqual([]);
  });

  test('leaves the provider’s awarded win as reported', () => {
    expect(league('pts', [result(1, 'A 3-0 B', { status_id: 12 })])).toEqual(['1 A 3', '2 B 0']);
  });

  test('annuls a match', () => {
    expect(league('mp pts', SEASON, rulesOf({ annulled: [1] }))).toEqual(['1 B 1 3', '2 A 1 1', '3 C 2 1']);
  });

  test('expels a team, and keeps or annuls its results', () => {
    const rules = (results: string) => rulesOf({ expelled: [{ participant_id: 1, results }] });
    expect(league('pts', SEASON, rules('kept'))).toEqual(['1 B 3', '2 C 1', '3 A 4']);
    expect(league('pts', SEASON, rules('annulled'))).toEqual(['1 B 3', '2 C 0', '3 A 0']);
  });

  test('ranks a curtailed season by points per game', () => {
    const early = [...SEASON, ...results('C 1-0 B, C 1-1 B', { first: 4 })];
    expect(league('mp pts', early)).toEqual(['1 C 4 5', '2 A 2 4', '3 B 4 4']);
    const rules = rulesOf({ curtailed: true });
    expect(league('mp pts', early, rules)).toEqual(['1 A 2 4', '2 C 4 5', '3 B 4 4']);
    expect(lines(table('league', results('A 1-0 C, B 2-0 D'), rules))).toEqual(['1 B', '2 A', '3 C', '4 D']);
  });
});

describe('tables do not count', () => {
  test('a match that was deleted or moved away, nor its teams', () => {
    const deleted = { status_id: null, status_type: 'deleted' };
    const gone = [result(4, 'D 1-0 E', deleted), result(5, 'F 1-0 G', { removed: true })];
    expect(league('pts', [...SEASON, ...gone])).toEqual(POINTS);
  });

  test('an unknown score, nor an unknown team; both are flagged', () => {
    const games = [...SEASON, result(4, 'C ? A'), result(5, 'C 9-0 A', { away: null })];
    // Nor does it move the last round of its teams.
    expect(table('league', games).rows).toEqual(table('league', SEASON).rows);
    expect(flags(games)).toEqual(['4 unknown_score', '5 unknown_participant']);
  });

  test('an unknown half, in the table of that half alone', () => {
    const halves = { first_half: score('1-0'), second_half: score('0-2') };
    const games = [result(1, 'A 1-2 B', halves), result(2, 'A 3-0 B')];
    const first = lines(table('halftime', games), 'mp', '1half_won', '1half_pts');
    expect(first).toEqual(['1 A 1 1 3', '2 B 1 0 0']);
    const second = lines(table('second_half', games), 'mp', '2half_goals_diff', '2half_pts');
    expect(second).toEqual(['1 B 1 2 3', '2 A 1 -2 0']);
    expect(league('mp', games)).toEqual(['1 A 2', '2 B 2']);
    expect(deriveTables(games, rulesOf()).flags).toContainEqual({
      event_id: 2,
      reason: 'unknown_first_half',
    });
  });
});

describe('the live table', () => {
  const playing = [...SEASON, result(4, 'C 4-1 A', LIVE)];

  test('counts games in play, and shows who plays', () => {
    const live = table('live', playing);
    expect(lines(live, 'mp', 'pts', 'is_playing', 'home_result', 'away_result', 'event_id')).toEqual([
      '1 C 3 4 yes 4 1 4',
      '2 A 3 4 yes 4 1 4',
      '3 B 2 3 no   ',
    ]);
    expect(league('pts', playing)).toEqual(POINTS);
    // A match to come is in no round yet.
    expect(table('live', [...playing, result(5, 'A ? B', SCHEDULED)]).rows).toEqual(live.rows);
  });

  test('shows who plays also if the score is unknown', () => {
    const unknown = table('live', [...SEASON, result(4, 'C ? A', LIVE)]);
    const shown = lines(unknown, 'pts', 'is_playing', 'home_result', 'event_id');
    expect(shown).toEqual(['1 A 4 yes  4', '2 B 3 no  ', '3 C 1 yes  4']);
  });
});

describe('the other tables of teams', () => {
  test('split by home and away', () => {
    expect(lines(table('home', SEASON), 'home_mp', 'home_goals_diff', 'home_pts', 'home_form')).toEqual([
      '1 B 1 2 3 W',
      '2 A 1 2 3 W',
      '3 C 1 0 1 D',
    ]);
    expect(lines(table('away', SEASON), 'away_lost', 'away_pts')).toEqual(['1 A 0 1', '2 C 1 0', '3 B 1 0']);
    expect(lines(table('wide', SEASON), 'pts', 'home_pts', 'away_pts', 'home_form', 'away_form')).toEqual([
      '1 A 4 3 1 W D',
      '2 B 3 3 0 W L',
      '3 C 1 1 0 D L',
    ]);
  });

  test('of venues rank by the totals there, and by nothing else', () => {
    const games = results('A 1-0 C, B 1-0 D, C 0-0 A, D 0-3 B');
    const names = ['points', 'goals_diff', 'away_goals', 'opponents_points'];
    const tie_break = [...names, { head_to_head: ['points'] }];
    expect(lines(table('home', games, rulesOf({ tie_break }))).slice(0, 2)).toEqual(['1 A', '1 B']);
  });

  test('rank by form', () => {
    const games = [...SEASON, result(4, 'C 1-0 B')];
    const form = table('form', games, rulesOf({ form_matches: 1 }));
    expect(lines(form, 'form')).toEqual(['1 C W', '2 A D', '3 B L']);
  });

  test('show the current runs of teams', () => {
    const runs = ['wins', 'draws', 'losses', 'no_wins', 'no_draws', 'no_losses'];
    const shown = lines(table('streaks', SEASON), ...runs);
    expect(shown).toEqual(['1 B 1 0 0 0 2 1', '2 A 0 1 0 1 0 2', '3 C 0 0 1 2 1 0']);
    expect(table('streaks', SEASON).rows.map(({ last_rank }) => last_rank)).toEqual([3, 1, 2]);
  });
});

test('streaks rank the longer run without a win lower', () => {
  const games = results('B 1-0 C, B 0-1 D, B 0-1 E, A 0-1 C, A 0-1 D, A 0-1 E');
  expect(lines(table('streaks', games)).slice(-2)).toEqual(['4 B', '5 A']);
});

test('popular results of equal frequency are in the order of goals', () => {
  const games = results('A 1-0 C, A 0-3 B');
  expect(lines(table('popular_results', games), 'result', 'amount')).toEqual(['1 1:0 1:0 1', '1 0:3 0:3 1']);
});

test('has every kind of table, each with columns of its type alone', () => {
  const { tables } = deriveTables(SEASON, rulesOf());
  expect([...tables.keys()]).toEqual([...TABLE_TYPES.keys()]);
  for (const [kind, { rows }] of tables) {
    const codes = new Set(TABLE_TYPES.get(kind)?.columns.map(({ code }) => code));
    for (const row of rows) expect(Object.keys(row.columns).filter((code) => !codes.has(code))).toEqual([]);
  }
  expect(tables.get('league')?.rows[0]?.played).toBe(2);
});

const ALL = [...TABLE_TYPES.keys()];
const OF_SCHEDULED = ['team_overall_stats', 'overall_stats'];

const gone = { status_type: 'cancelled' };
const A = teamOf(1, 'A');

function game(changes: Partial<SeasonResult> = {}): Game {
  const read = readGame(result(1, 'A 1-0 B', { ...KNOWN, ...changes }), rulesOf());
  if (read === null) throw new Error('it is no game');
  return read;
}

test.each<[Partial<SeasonResult>, Partial<SeasonResult>, readonly string[]]>([
  [{}, {}, []],
  [{}, { score: score('2-0') }, ALL],
  [{}, { round_id: 2 }, ALL],
  [LIVE, { ...LIVE, start_date: '2024-01-02 15:00' }, ALL],
  [LIVE, { ...LIVE, home: { ...A, id: 3 } }, ALL],
  [{}, { home: { ...A, name: 'AA' } }, ALL],
  [{}, { home: { ...A, acronym: 'AAA' } }, ALL],
  [{}, { home: { ...A, area_id: 5 } }, ALL],
  [{}, { home: { ...A, area_name: 'England' } }, ALL],
  [LIVE, { ...LIVE, away: teamOf(2, 'BB') }, ALL],
  [{}, { second_half: null }, ALL],
  [{}, { goals: null }, ALL],
  [{}, { goals: [] }, ALL],
  [{}, { cards: null }, ALL],
  [LIVE, {}, ALL],
  [{}, SCHEDULED, ALL],
  [LIVE, { ...LIVE, score: score('3-0') }, ['live']],
  [SCHEDULED, LIVE, ['live', ...OF_SCHEDULED]],
  [LIVE, gone, ['live']],
  [SCHEDULED, { ...SCHEDULED, round_id: 2 }, []],
  [SCHEDULED, gone, OF_SCHEDULED],
  [gone, gone, []],
])('a game with %j that becomes one with %j touches %j', (before, after, kinds) => {
  expect(touchedBy(game(before), game(after))).toEqual(kinds);
  expect(touchedBy(game(after), game(before))).toEqual(kinds);
});

test('a new or removed game touches every table; no game touches none', () => {
  expect(touchedBy(null, game(SCHEDULED))).toEqual(ALL);
  expect(touchedBy(game(SCHEDULED), null)).toEqual(ALL);
  expect(touchedBy(null, null)).toEqual([]);
});
