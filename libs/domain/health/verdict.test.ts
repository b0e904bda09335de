import { expect, test } from 'vitest';
import { LIMITS } from '../testing/health.ts';
import { backlogDue, GOOD, type HealthVerdict, judgeContent, judgeMatch, silenceDue } from './verdict.ts';

const HEARD = 1_000_000;

/** A live match whose clock runs, with a message just now. */
type MatchInputs = Parameters<typeof judgeMatch>[0];

const match = (changes: Partial<MatchInputs> = {}): MatchInputs => ({
  live: true,
  over: false,
  runs: true,
  runsSince: HEARD - 60_000,
  signs: { heardAt: HEARD, late: null },
  keepAliveAt: null,
  waitingSince: null,
  readTo: Number.POSITIVE_INFINITY,
  source: GOOD,
  ...changes,
});
const verdict =
  <K extends 'stale' | 'delayed' | 'down', R extends string>(kind: K, reason: R) =>
  (since: number) =>
    ({ kind, reason, since, progress: null }) as const;
const stale = verdict('stale', 'silence');
const delayed = verdict('delayed', 'delay');
const behind = verdict('down', 'backlog');
const LATE = { heardAt: HEARD, late: { reason: 'delay', receivedAt: HEARD + 9_000 } } as const;

test.each<[string, Partial<MatchInputs>, number | null]>([
  ['20 s after the last message while the clock runs', {}, HEARD + 20_000],
  ['20 s after the clock started', { runsSince: HEARD + 3_000 }, HEARD + 23_000],
  ['never while the clock is stopped without keep-alives', { runs: false }, null],
  ['90 s after the last message if keep-alives come', { runs: false, keepAliveAt: HEARD }, HEARD + 90_000],
  ['never when the match is not live', { runs: false, live: false, keepAliveAt: HEARD }, null],
  ['never where the match is over', { over: true }, null],
])('silence is due: %s', (_, changes, due) => {
  expect(silenceDue(match(changes), LIMITS)).toBe(due);
});

test.each<[string, Partial<MatchInputs>, number | null]>([
  ['never when no message waits', {}, null],
  ['5 s after the waiting message', { waitingSince: HEARD }, HEARD + 5_000],
  ['never where the match is over', { waitingSince: HEARD, over: true }, null],
])('a backlog is due: %s', (_, changes, due) => {
  expect(backlogDue(match(changes), LIMITS)).toBe(due);
});

const down: HealthVerdict = { kind: 'down', reason: 'network', since: HEARD, progress: null };
test.each<[string, Partial<MatchInputs>, number, HealthVerdict]>([
  ['good before its silence is due', {}, HEARD + 19_999, GOOD],
  ['stale once its silence is due', {}, HEARD + 20_000, stale(HEARD + 20_000)],
  ['good while silence does not count', { runs: false }, HEARD + 1e6, GOOD],
  ['good before its backlog is due', { waitingSince: HEARD }, HEARD + 4_999, GOOD],
  ['behind once its backlog is due', { waitingSince: HEARD }, HEARD + 5_000, behind(HEARD + 5_000)],
  ['behind rather than stale', { waitingSince: HEARD }, HEARD + 30_000, behind(HEARD + 5_000)],
  ['delayed, as long as it is not silent', { signs: LATE }, HEARD + 28_999, delayed(HEARD + 9_000)],
  ['stale 20 s after the last late content', { signs: LATE }, HEARD + 29_000, stale(HEARD + 29_000)],
  ['delayed while its clock is stopped', { signs: LATE, runs: false }, HEARD + 1e6, delayed(HEARD + 9_000)],
  ['behind rather than delayed', { signs: LATE, waitingSince: HEARD }, HEARD + 9_000, behind(HEARD + 5_000)],
  ['ended rather than delayed', { signs: LATE, over: true }, HEARD + 9_000, { kind: 'ended' }],
  ['judged by its source first', { source: down, waitingSince: HEARD }, HEARD + 30_000, down],
  ['ended where it is over, whatever its source is', { over: true, source: down }, HEARD, { kind: 'ended' }],
])('a match is: %s', (_, changes, now, verdict) => {
  expect(judgeMatch(match(changes), LIMITS, now)).toEqual(verdict);
});

test.each<[string, number, number, HealthVerdict]>([
  ['counts in the millisecond that it is due', HEARD, HEARD, stale(HEARD)],
  ['does not count before', HEARD + 9, HEARD - 1, GOOD],
  ['may be a message that is not read yet, for half a second', HEARD - 1, HEARD + 499, GOOD],
  ['is a backlog if messages are not read after half a second', HEARD - 1, HEARD + 500, behind(HEARD)],
  ['is silence if all messages are read', HEARD, HEARD + 500, stale(HEARD)],
])('silence that is due: %s', (_, readTo, now, verdict) => {
  expect(judgeContent(null, HEARD, readTo, now)).toEqual(verdict);
});
