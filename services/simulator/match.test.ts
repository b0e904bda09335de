import { describe, expect, test } from 'vitest';
import { matchState, newMatch } from '#domain/match.ts';
import type { MatchState } from '#records/types.ts';
import { DATASETS, finalScore, type MatchFacts, readDataset } from '../../data/dataset.ts';
import { rounds } from '../../test/support/rounds.ts';
import { CONTENT_FAULTS, type ContentFault, DISALLOWING, parseFaults } from './faults.ts';
import { type SimulatedMatch, simulateMatch } from './match.ts';
import type { ProviderMessage } from './records.ts';
import { applyAll, stateAfter } from './testing/states.ts';

/** Of each competition the last matches: what happens in a match repeats. */
const lastMatches = (name: (typeof DATASETS)[number], count: number) => {
  const { competition, matches } = readDataset(name);
  return { competition, matches: matches.slice(-count) };
};
const DATA = DATASETS.map((name) => lastMatches(name, rounds(24)));
/** The knock-out with its extra times and shoot-outs, which the last six have too. */
const TOURNAMENT = DATA.slice(0, 1);
const KICK_OFF = 1_530_000_000;

function simulateAll(
  faults: string,
  every = { keepAliveEvery: 0, clockEvery: 0 },
  data = DATA,
  seed = 'test',
): SimulatedMatch[] {
  const matchSettings = { seed, faults: parseFaults(faults), ...every };
  return data.flatMap(({ competition, matches }) =>
    matches.map((facts) => simulateMatch(facts, competition, KICK_OFF, matchSettings)),
  );
}

function score([home, away]: readonly [number, number]) {
  return { home, away };
}

/** Expects the official result, whatever faults were invented during the match. */
function expectOfficial(facts: MatchFacts, state: MatchState): void {
  const official = score(finalScore(facts));
  const known = facts.facts === 'all';
  expect({ ...state, id: facts.id }).toMatchObject({
    id: facts.id,
    score: official,
    firm: official,
    reported: official,
    agreement: 'agrees',
    shoot_out: facts.pens === undefined ? null : score(facts.pens),
    under_review: false,
    source: 'reported',
    ...(known ? { derived: official } : {}),
    coverage: known ? 'complete' : 'partial',
    status_type: 'finished',
    orphans: [],
    anomalies: [],
    guard: { safe: true, reasons: [] },
    verified_result: true,
  });
}

describe('the messages of every match have the official score', () => {
  const expectAllOfficial = (simulated: readonly SimulatedMatch[]): void => {
    for (const { facts, messages } of simulated) expectOfficial(facts, stateAfter(facts.id, messages));
  };

  test.each(['none', 'many'])('with faults %s', (faults) => {
    expectAllOfficial(simulateAll(faults));
  });

  const others = Object.keys(CONTENT_FAULTS).filter((fault) => !DISALLOWING.some((way) => way === fault));
  test.each(['some', ...others.map((fault) => `${fault}=1`)])('with faults %s, in a tournament', (faults) => {
    expectAllOfficial(simulateAll(faults, undefined, TOURNAMENT));
  });
});

describe('an invented goal', () => {
  const reasons: Record<(typeof DISALLOWING)[number], string> = {
    rejected: 'cancelled',
    cancelled: 'cancelled',
    deleted: 'removed',
    goal_cancelled: 'goal_cancelled',
    goal_cancelled_child: 'goal_cancelled',
    every_way: 'removed',
    goal_cancelled_twice: 'goal_cancelled',
  };

  test.each(DISALLOWING)('that is %s is first in the score, and then not', (way) => {
    const simulated = simulateAll(`${way}=1`, undefined, TOURNAMENT);
    const once = simulated.filter(({ invented }) => invented[way] === 1);
    expect(once.length).toBeGreaterThan(0.75 * rounds(24));
    for (const { facts, messages, invented } of simulated) {
      const end = stateAfter(facts.id, messages);
      expectOfficial(facts, end);
      if (invented[way] !== 1) continue;
      const [[goal = '', why] = []] = Object.entries(end.void_goals);
      expect([Object.keys(end.void_goals).length, why]).toEqual([1, reasons[way]]);
      const scored = messages.findIndex(({ data }) => data.incident?.id === goal);
      const match = newMatch(facts.id);
      applyAll(match, messages.slice(0, scored));
      const before = matchState(match);
      applyAll(match, messages.slice(scored, scored + 1));
      const after = matchState(match);
      expect(total(after)).toBe(total(before) + 1);
      expect(after).toMatchObject({ under_review: true, agreement: 'agrees', firm: before.firm });
    }
  });
});

function total({ score: current }: MatchState): number {
  return (current?.home ?? 0) + (current?.away ?? 0);
}

describe('the messages of a match', () => {
  const simulated = simulateAll('many,same_second=0,odd_field=0', { keepAliveEvery: 30, clockEvery: 60 });

  test('are in order of ut, and carry the same event when they have the same ut', () => {
    for (const { messages } of simulated) {
      const times = messages.map(({ ut }) => ut);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      let last: ProviderMessage | undefined;
      for (const message of messages.filter(({ type }) => type !== 'event_keep_alive')) {
        if (last !== undefined && message.ut === last.ut) expect(message.data.event).toBe(last.data.event);
        else expect(message.ut).toBeGreaterThan(last?.ut ?? 0);
        last = message;
      }
    }
  });

  test('reuse an identifier only when the fault is set', () => {
    const repeats = (match: SimulatedMatch) =>
      match.messages.length - new Set(match.messages.map(({ id }) => id)).size;
    for (const match of simulated) expect(repeats(match)).toBe(match.invented.reused_id ?? 0);
    for (const match of simulateAll('none')) expect(repeats(match)).toBe(0);
  });

  test('are the same for the same seed, and differ for another seed', () => {
    const every = { keepAliveEvery: 30, clockEvery: 60 };
    const simulate = (seed: string) => simulateAll('many', every, [lastMatches(DATASETS[0], 1)], seed);
    expect(simulate('a')).toEqual(simulate('a'));
    expect(simulate('a')).not.toEqual(simulate('b'));
  });
});

test('parses settings of faults, and rejects unknown ones with the known names', () => {
  const some = { ...parseFaults('some'), delay: 0.5, every_way: 2 };
  expect(parseFaults('some,delay=0.5,every_way=2')).toEqual(some);
  expect(parseFaults('duplicate=1').duplicate).toBe(1);
  const kinds: ContentFault[] = [...DISALLOWING];
  expect(kinds.every((kind) => parseFaults('none')[kind] === 0)).toBe(true);
  expect(() => parseFaults('dupe=1')).toThrow(/unknown fault "dupe"; known are none, some, many, duplicate/);
  expect(() => parseFaults('delay=2')).toThrow('delay: the rate must be a number from 0 to 1');
  expect(() => parseFaults('review=')).toThrow('review: the rate must be a number from 0 to 5');
});
