import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { MatchState, MatchTransition } from '#topics/generated/types.ts';
import { readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../../../services/simulator/faults.ts';
import { schedule } from '../../../services/simulator/schedule.ts';
import { stateAfter } from '../../../services/simulator/testing/states.ts';
import { DemoBoard } from './board.ts';
import { renderProgress, renderTable } from './table.ts';

const DATASET = readDataset('world-cup-2018');
const [FIRST, ...LATER] = schedule(DATASET, {
  seed: 'table',
  faults: parseFaults('rejected=1'),
  keepAliveEvery: 0,
  clockEvery: 60,
});
if (FIRST === undefined) throw new Error('no wave');
const FINAL = LATER.at(-1)?.matches.at(-1);

const known = new Map<number, MatchState[]>();

/** The states of the first wave, `seconds` after its first message. */
function statesAt(seconds: number): MatchState[] {
  const states = known.get(seconds) ?? statesUntil((FIRST?.startsAt ?? 0) + seconds);
  known.set(seconds, states);
  return states;
}

function statesUntil(time: number): MatchState[] {
  return (FIRST?.matches ?? [])
    .map(({ facts, messages }) => ({ facts, messagesSoFar: messages.filter(({ ut }) => ut <= time) }))
    .filter(({ messagesSoFar }) => messagesSoFar.length > 0)
    .map(({ facts, messagesSoFar }) => stateAfter(facts.id, messagesSoFar));
}

function boardOf(states: readonly MatchState[], now = () => 0): DemoBoard {
  const board = new DemoBoard(DATASET, 64, now);
  for (const state of states) board.state(state);
  return board;
}

function lines(board: DemoBoard, columns: number, rows: number): string[] {
  return renderTable(board, { columns, rows, seconds: 75 }).map(stripVTControlCharacters);
}

const FULL_TIME = 12_000;

describe('the live table', () => {
  test.each([
    [200, 60],
    [120, 40],
    [80, 24],
    [66, 16],
    [64, 12],
    [63, 24],
    [80, 11],
    [20, 5],
  ])('fits into %i columns and %i rows at any time', (columns, rows) => {
    for (let seconds = 0; seconds <= FULL_TIME; seconds += 1500) {
      const shown = lines(boardOf(statesAt(seconds)), columns, rows);
      expect(shown.length).toBeLessThan(rows);
      for (const line of shown) expect(line.length).toBeLessThan(columns);
    }
  });

  test('has as many lines at any time', () => {
    const counts = [0, 1500, 4000, FULL_TIME].map(
      (seconds) => lines(boardOf(statesAt(seconds)), 100, 32).length,
    );
    expect(new Set(counts).size).toBe(1);
  });

  test('shows score, minute, status, review and guard of each match', () => {
    const state = statesAt(1500)[0];
    if (state === undefined) throw new Error('no state');
    const shown = { ...state, score: { home: 1, away: 0 } };
    const reviewed = {
      ...shown,
      under_review: true,
      guard: { safe: false, reasons: ['under_review', 'bet_suspended'] },
    };
    expect(matchLine([shown])).toMatch(/^\d\d' +Russia {2}1 - 0 {2}Saudi Arabia +1st half +open$/);
    expect(matchLine([reviewed])).toMatch(/Saudi Arabia +1st half +REVIEW {2}review, bets off$/);
  });

  test('marks a match that is over as official, or not', () => {
    const state = statesAt(FULL_TIME)[0];
    if (state === undefined) throw new Error('no state');
    expect(matchLine([state])).toMatch(/^✓ +Russia {2}5 - 0 {2}Saudi Arabia +full time$/);
    const wrong = { ...state, score: { home: 5, away: 1 } };
    expect(matchLine([wrong])).toMatch(/^✗ +Russia {2}5 - 1 {2}Saudi Arabia/);
    expect(matchLine([{ ...state, firm: { home: 4, away: 0 } }])).toMatch(/✗/);
    expect(matchLine([{ ...state, shoot_out: { home: 1, away: 0 } }])).toMatch(/✗/);
    expect(matchLine([{ ...state, score: null }])).toMatch(/✗ +Russia {2}\? - \? {2}/);
  });

  test('knows matches that are not played yet, and those that take long', () => {
    expect(matchLine(statesAt(0))).toMatch(/^ +Russia {2}v +Saudi Arabia +not started/);
    if (FINAL === undefined) throw new Error('no final');
    const shootOut = LATER.flatMap(({ matches }) => matches).find(({ facts }) => facts.pens !== undefined);
    if (shootOut === undefined) throw new Error('no shoot-out');
    const texts = shootOut.messages.map((_message, n) =>
      matchLine([stateAfter(shootOut.facts.id, shootOut.messages.slice(0, n + 1))]),
    );
    for (const text of [
      / before ET /,
      / ET 1st half /,
      /^1[01]\d' /,
      / before pens /,
      /^pens .* pens 1-0 /,
      /✓ .* pens 3-4$/,
    ])
      expect(texts.some((line) => text.test(line))).toBe(true);
  });

  test('shows live matches first, then the latest', () => {
    const old = statesAt(FULL_TIME);
    const [first, ...rest] = old;
    if (first === undefined) throw new Error('no state');
    const board = boardOf([{ ...first, status_type: 'live', status_id: 34 }, ...rest]);
    const shown = board.rows(5).map(({ eventId }) => eventId);
    expect(shown).toEqual([310_001, 310_013, 310_014, 310_015, 310_016]);
  });

  function matchLine(states: readonly MatchState[]): string {
    return lines(boardOf(states), 100, 32)[3] ?? '';
  }
});

describe('the board', () => {
  test('applies states by version, not by order', () => {
    const [state] = statesAt(1500);
    if (state === undefined) throw new Error('no state');
    const board = boardOf([state, { ...state, version: state.version - 1, score: { home: 9, away: 9 } }]);
    expect(board.rows(1)[0]?.score).toBe(`${state.score?.home} - ${state.score?.away}`);
  });

  test('marks a review and a new score for a moment', () => {
    const [state] = statesAt(1500);
    if (state === undefined) throw new Error('no state');
    let now = 0;
    const board = boardOf([{ ...state, score: { home: 0, away: 0 } }], () => now);
    board.state({ ...state, version: state.version + 1, score: { home: 1, away: 0 }, under_review: true });
    board.state({ ...state, version: state.version + 2, score: { home: 1, away: 0 }, under_review: false });
    const marks = () => board.rows(1).map(({ underReview, fresh }) => [underReview, fresh]);
    expect(marks()).toEqual([[true, true]]);
    now = 5_000;
    expect(marks()).toEqual([[false, false]]);
  });

  test('lists goals and disallowed goals, the latest first', () => {
    const [state] = statesAt(1500);
    if (state === undefined) throw new Error('no state');
    const board = boardOf([state]);
    const scoreChange = (before: [number, number], after: [number, number]): MatchTransition =>
      ({
        kind: 'score_changed',
        event_id: state.event_id,
        score: { before: { home: before[0], away: before[1] }, after: { home: after[0], away: after[1] } },
      }) as MatchTransition;
    board.transition(scoreChange([0, 0], [0, 1]));
    board.transition(scoreChange([0, 1], [0, 0]));
    expect(board.news.map((line) => line.trim().replace(/^\S+ +/, ''))).toEqual([
      'Russia 0-0 Saudi Arabia: goal disallowed',
      'Russia 0-1 Saudi Arabia: goal, under review',
    ]);
    expect(board.totals().transitions).toBe(2);
  });

  test('sums up', () => {
    const board = boardOf(statesAt(FULL_TIME));
    const { title, matches, finished, live, goals, disallowed } = board.totals();
    expect({ title, matches, finished, live, goals }).toEqual({
      title: 'World Cup 2018 · Group stage · Round 1',
      matches: 64,
      finished: 16,
      live: 0,
      goals: 38,
    });
    expect(disallowed).toBe(FIRST?.matches.reduce((sum, match) => sum + (match.invented.rejected ?? 0), 0));
    expect(renderProgress(board, 75)).toBe(
      `1:15  World Cup 2018 · Group stage · Round 1: 16 of 64 played, 0 live, 0 under review, ${disallowed} goals disallowed, 0 transitions`,
    );
  });
});
