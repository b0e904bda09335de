import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { MatchState } from '#records/types.ts';
import { type MatchFacts, readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../../../services/simulator/faults.ts';
import { simulateMatch } from '../../../services/simulator/match.ts';
import type { PlaySummary } from '../../../services/simulator/player.ts';
import { stateAfter } from '../../../services/simulator/testing/states.ts';
import { checkFaults, checksOf, mismatches, type PlayOutcome } from './check.ts';
import { renderReport } from './report.ts';

const DATASET = readDataset('world-cup-2018');
const MATCHES = [DATASET.matches[0], DATASET.matches[50]].filter(
  (match): match is MatchFacts => match !== undefined,
);
const SIMULATED = MATCHES.map((facts) =>
  simulateMatch(facts, DATASET.competition, 1_530_000_000, {
    seed: 'check',
    faults: parseFaults('every_way=1,cancelled=1,goal_cancelled=1'),
    keepAliveEvery: 0,
    clockEvery: 0,
  }),
);
const STATES = SIMULATED.map(({ facts, messages }) => stateAfter(facts.id, messages));

function found(change: Partial<PlayOutcome> = {}, states: readonly MatchState[] = STATES): PlayOutcome {
  return {
    states: new Map(states.map((state) => [state.event_id, state])),
    arrived: 120,
    messages: 100,
    ahead: 0,
    deadLetters: 3,
    transitions: 80,
    repeatedTransitions: 0,
    tables: [],
    ...change,
  };
}

function summary(change: Partial<PlaySummary> = {}): PlaySummary {
  const faults = { duplicate: 1_234, reorder: 2, delay: 3, drop: 4, signature: 5, malformed: 3 };
  return {
    dataset: 'world-cup-2018',
    matches: 2,
    messages: 100,
    delivered: 118,
    deliveries: 20,
    requests: 25,
    retries: 0,
    faults,
    invented: { every_way: 2, cancelled: 2, goal_cancelled: 2, review: 1 },
    forged: { refused: 5, accepted: 0 },
    malformed: { not_json: 2, not_text: 1 },
    seconds: 10,
    ...change,
  };
}

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
      const wrong = mismatches(MATCHES, found({}, STATES.with(n, change(state))));
      expect(wrong.map(({ facts }) => facts.id)).toEqual([state.event_id]);
    }
  });

  test('are wrong when a match is missing', () => {
    const wrong = mismatches(MATCHES, found({}, STATES.slice(0, 1)));
    expect(wrong).toEqual([{ facts: MATCHES[1], state: undefined }]);
  });
});

describe('the checks', () => {
  const failing = (sent: PlaySummary, seen: PlayOutcome) =>
    checksOf(sent, seen)
      .filter(({ holds }) => !holds)
      .map(({ what }) => what.split(':')[0]);

  test('hold when the outcome equals what was sent', () => {
    expect(failing(summary(), found())).toEqual([]);
  });

  test.each([
    ['a message is missing', summary({ messages: 101 }), found(), 'every message that was accepted is there'],
    [
      'a transition is published twice',
      summary(),
      found({ repeatedTransitions: 1 }),
      'every transition is published once',
    ],
    [
      'a goal more is void',
      summary({ invented: { every_way: 2, cancelled: 1, goal_cancelled: 2 } }),
      found(),
      'every goal that was disallowed is void, and no other',
    ],
    [
      'a goal is void for another reason',
      summary({ invented: { every_way: 1, cancelled: 3, goal_cancelled: 2 } }),
      found(),
      'every goal that was disallowed is void, and no other',
    ],
    [
      'a forged signature was accepted',
      summary({ forged: { refused: 4, accepted: 1 } }),
      found(),
      'every forged signature was refused',
    ],
    [
      'a time of a clock ahead is believed',
      summary({ invented: { every_way: 2, cancelled: 2, goal_cancelled: 2, stamped_ahead: 1 } }),
      found(),
      'every time of a clock ahead is recognized as wrong',
    ],
    [
      'a dead letter is missing',
      summary(),
      found({ deadLetters: 2 }),
      'every unreadable body is a dead letter',
    ],
  ])('fail when %s', (_name, sent, seen, what) => {
    expect(failing(sent, seen)).toEqual([what]);
  });
});

describe('the check of the faults', () => {
  test.each([
    ['duplicate=0.5', summary(), 'every kind of fault occurred: 1 of 1 kinds'],
    // Two are expected: it may happen that there is none.
    ['odd_field=1', summary(), 'every kind of fault occurred: 0 of 0 kinds'],
    ['odd_field=2', summary(), 'every kind of fault occurred: 0 of 1 kinds, not odd_field'],
    ['gzip=0.5,duplicate=0.5', summary(), 'every kind of fault occurred: 1 of 2 kinds, not gzip'],
  ])('names those of the setting %s that did not occur', (setting, sent, what) => {
    expect(checkFaults(setting, sent)).toEqual({ what, holds: !what.includes(', not') });
  });
});

describe('the report', () => {
  const report = (seen: PlayOutcome) =>
    stripVTControlCharacters(
      renderReport({
        dataset: DATASET,
        matches: MATCHES,
        wrong: mismatches(MATCHES, seen),
        checks: checksOf(summary(), seen),
        summary: summary(),
        found: seen,
        webhook: { messages: 90, requests: 12, goals: 7, disallowed: 6, differing: 0 },
      }),
    );

  test('shows the final scores that are wrong, beside the official ones', () => {
    const [first, second] = STATES;
    if (first === undefined || second === undefined) throw new Error('no states');
    const text = report(
      found({}, [
        { ...first, score: { home: 6, away: 0 } },
        { ...second, status_type: 'live', status_id: 36, shoot_out: null },
      ]),
    );
    expect(text).toContain('✗ 0 of 2 final scores are the official ones; these are not:');
    expect(text).toContain('Russia - Saudi Arabia (event 310001): 6-0, officially 5-0');
    expect(text).toContain(
      'Spain - Russia (event 310051): 1-1, not over (status 36), officially 1-1 (3-4 on penalties)',
    );
    expect(report(found({}, [first]))).toContain('Spain - Russia (event 310051): missing, officially');
  });
});
