import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { MatchState, StandingsGroup, StandingsRow } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../../../services/simulator/faults.ts';
import { simulateMatch } from '../../../services/simulator/match.ts';
import type { PlaySummary } from '../../../services/simulator/player.ts';
import { stateAfter } from '../../../services/simulator/testing/states.ts';
import type { Platform } from '../../platform.ts';
import { checkTables, mismatches, type PlayOutcome } from './check.ts';
import { renderHowToRead, renderReport } from './play.ts';

const DATASET = readDataset('world-cup-2018');
const MATCHES = [DATASET.matches[0], DATASET.matches[50]].filter((match) => match !== undefined);
const SIMULATED = MATCHES.map((facts) =>
  simulateMatch(facts, DATASET.competition, 1_530_000_000, {
    seed: 'check',
    faults: parseFaults('every_way=1,cancelled=1,goal_cancelled=1'),
    keepAliveEvery: 0,
    clockEvery: 0,
  }),
);
const STATES = SIMULATED.map(({ facts, messages }) => stateAfter(facts.id, messages));

const found = (states = STATES) => ({
  states: new Map(states.map((one) => [one.event_id, one])),
  tables: [],
});

describe('final scores', () => {
  test('are right when they equal the official ones, shoot-outs too', () => {
    expect(MATCHES[1]?.pens).toEqual([3, 4]);
    expect(mismatches(MATCHES, found())).toEqual([]);
  });

  test.each([
    ['the score', (state: MatchState) => ({ ...state, score: { home: 4, away: 0 } })],
    ['the score, unknown', (state: MatchState) => ({ ...state, score: null })],
    ['the firm score', (state: MatchState) => ({ ...state, firm: { home: 4, away: 0 } })],
    ['the shoot-out', (state: MatchState) => ({ ...state, shoot_out: { home: 1, away: 1 } })],
    ['the status', (state: MatchState) => ({ ...state, status_type: 'live', status_id: 34 })],
  ])('are wrong when %s is wrong', (_what, change) => {
    for (const [n, state] of STATES.entries()) {
      const wrong = mismatches(MATCHES, found(STATES.with(n, change(state))));
      expect(wrong.map(({ facts }) => facts.id)).toEqual([state.event_id]);
    }
  });

  test('are wrong when a match is missing', () => {
    const wrong = mismatches(MATCHES, found(STATES.slice(0, 1)));
    expect(wrong).toEqual([{ facts: MATCHES[1], state: undefined }]);
  });
});

test('the report shows the final scores that are wrong, beside the official ones', () => {
  const [first, second] = STATES;
  if (first === undefined || second === undefined) throw new Error('no states');
  const summary = { messages: 100, deliveries: 20, requests: 25, faults: {}, seconds: 10 } as PlaySummary;
  const report = (seen: PlayOutcome) => {
    const [wrong, tables] = [mismatches(MATCHES, seen), checkTables(DATASET, MATCHES, seen.tables)];
    const playing = { dataset: DATASET, matches: MATCHES };
    return stripVTControlCharacters(renderReport(playing, summary, seen.states, wrong, tables));
  };
  const live = { ...second, status_type: 'live', status_id: 36, shoot_out: null };
  const text = report(found([{ ...first, score: { home: 6, away: 0 } }, live]));
  expect(text).toContain('✗ 0 of 2 final scores are the official ones; these are not:');
  expect(text).toContain('Russia - Saudi Arabia (event 310001): 6-0, officially 5-0');
  expect(text).toContain('(event 310051): 1-1, not over (status 36), officially 1-1 (3-4 on penalties)');
  expect(report(found([first]))).toContain('Spain - Russia (event 310051): missing, officially');
});

test('the command that starts the data again is a whole line: zsh takes no comment that is pasted', () => {
  const [cluster, backbone] = [{ brokers: [], prefix: 'touchline.' }, { kind: 'embedded' }];
  const text = renderHowToRead({ cluster, backbone } as unknown as Platform, '/data', false);
  expect(text).toMatch(/^ {2}DATA_DIR=\/data npm run up$/m);
});

describe('tables', () => {
  // Russia - Saudi Arabia 5-0 and Egypt - Uruguay 0-1, of group A.
  const played = DATASET.matches.slice(0, 2);
  const [russia, uruguay] = [played[0]?.home, played[1]?.away];
  const [first] = played;
  const sample = sampleOf('standings');
  const [group] = sample.groups as [StandingsGroup];
  const [row] = group.rows as [StandingsRow];
  const rowOf = (id = 0, goals_for = 0, goals_against = 0) => ({
    ...row,
    participant: { ...row.participant, id },
    played: 1,
    points: goals_for > goals_against ? 3 : 0,
    goals_for,
    goals_against,
  });
  const losers = [rowOf(played[1]?.home, 0, 1), rowOf(played[0]?.away, 0, 5)];
  const rows = [rowOf(russia, 5, 0), rowOf(uruguay, 1, 0), ...losers];
  const league = (of: readonly StandingsRow[], type_id = 2) => ({
    ...sample,
    type_id,
    object_id: first?.stage ?? 0,
    groups: [{ ...group, id: first?.group ?? 0, rows: [...of] }],
  });
  const changed = (of: Partial<StandingsRow>) => [{ ...rowOf(russia, 5, 0), ...of }, ...rows.slice(1)];

  test.each([
    ['every team has the official points and goals', [league(rows)], 1],
    ['a point is missing', [league(changed({ points: 2 }))], 0],
    ['a goal is missing', [league(changed({ goals_for: 4 }))], 0],
    ['a team is missing', [league(rows.slice(1))], 0],
    ['the table is missing', [], 0],
    ['only another type of table exists', [league(rows, 4)], 0],
  ])('are counted when %s', (_, tables, right) => {
    expect(checkTables(DATASET, played, tables)).toEqual({ right, all: 1 });
  });
});
