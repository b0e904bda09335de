import { expect, test, vi } from 'vitest';
import type { NormalizedMessage } from '#records/types.ts';
import { MatchWatch } from './watch.ts';

const NOW = 1_000_000;
const SETTINGS = {
  unconfirmedMs: 10,
  silenceMs: 20,
  verifyMs: 300,
  settleMs: 40,
  verifyWithin: 86_400,
  follows: ({ sport_id }: { sport_id?: unknown }) => sport_id === 5,
};
const START = new Date((NOW - 3_600) * 1000).toISOString().slice(0, 16).replace('T', ' ');

const live = (more: object = {}) => {
  return { id: 9, sport_id: 5, status_type: 'live', clock_status: 'stopped', start_date: START, ...more };
};
const finished = (more: object = {}) => live({ status_type: 'finished', ...more });

function message(confirmation: string | null, deleted = false, ut = NOW): NormalizedMessage {
  const incident = { deleted, incident: { id: '5-1', confirmation, ut } };
  return { event_id: 9, event: {}, incident, unreadable: null } as NormalizedMessage;
}

/** A list without incidents. */
const NONE: ReadonlyMap<string, number> = new Map();
const LISTED = new Map([['5-1', NOW]]);

type CheckResult = Parameters<MatchWatch['checked']>[1];

/** Reports a check of the event, of a list without incidents unless `changes` say otherwise. */
const checked = (watch: MatchWatch, now: number, changes: Partial<CheckResult> = {}) =>
  watch.checked(9, { snapshotAt: NOW, listed: NONE, unconfirmed: [], contradicted: false, now, ...changes });

/** Returns a watch that has seen and checked an event once, at 0. */
function checkedOnce(event: object, verified: [number, number][] = []): MatchWatch {
  const watch = new MatchWatch(SETTINGS, verified);
  watch.onEvent({ ...event }, NOW, 0);
  expect(watch.claim(0)).toBe(9);
  expect(watch.claim(0)).toBe(null);
  checked(watch, 0);
  return watch;
}

/** Expects that a check of the event is due at `now`, not before, and begins it. */
function expectDueAt(watch: MatchWatch, now: number): void {
  expect([watch.claim(now - 1), watch.claim(now)]).toEqual([null, 9]);
}

test('checks a new live event at once, and not again while its clock is stopped and nothing is unconfirmed', () => {
  const watch = checkedOnce(live());
  expect(watch.claim(1_000_000)).toBe(null);
});

test('checks an event until its incidents are confirmed', () => {
  const watch = checkedOnce(live());
  watch.onMessage(message('tbd'), 3);
  expectDueAt(watch, 10);
  checked(watch, 10, { listed: LISTED, unconfirmed: ['5-1'] });
  expect(watch.claim(19)).toBe(null);
  watch.onMessage(message('confirmed'), 19);
  expect(watch.claim(1_000)).toBe(null);
  watch.onMessage(message('tbd'), 1_000);
  watch.onMessage(message('tbd', true), 1_001);
  expect(watch.claim(2_000)).toBe(null);
});

test('checks an event whose feed is silent while the clock runs, counted from the last message or check', () => {
  const watch = checkedOnce(live({ clock_status: 'running' }));
  watch.onMessage(message(null), 15);
  expectDueAt(watch, 35);
  checked(watch, 36);
  expectDueAt(watch, 56);
});

test('checks a finished event at once and again until it is verified', () => {
  const watch = checkedOnce(live());
  watch.onEvent(finished(), NOW, 5);
  expect(watch.claim(5)).toBe(9);
  checked(watch, 5);
  watch.onEvent(finished(), NOW, 6);
  expectDueAt(watch, 305);
  watch.verified(9, NOW);
  watch.onEvent(finished({ ut: NOW }), NOW, 306);
  expect(watch.claim(10_000)).toBe(null);
  watch.onEvent(finished({ ut: NOW + 1 }), NOW, 10_000);
  expect(watch.claim(10_000)).toBe(9);
});

test('treats an event that ended long ago as verified unless it is watched', () => {
  const old = { start_date: '1970-01-01 00:00' };
  const watch = new MatchWatch(SETTINGS, []);
  watch.onEvent(finished(old), NOW, 0);
  expect(watch.counts()).toEqual({ live: 0, finished: 0 });
  watch.onEvent(live(old), NOW, 0);
  watch.onEvent(finished(old), NOW, 0);
  expect(watch.counts()).toEqual({ live: 0, finished: 1 });
  expect(watch.isSettled(finished(old), NOW)).toBe(true);
});

test.each([
  ['yes', true],
  [true, true],
  ['1', true],
  ['no', false],
  [undefined, false],
])('settles an event by its verified_result %s: %s', (verified_result, settled) => {
  const watch = new MatchWatch(SETTINGS, []);
  expect(watch.isSettled(finished({ verified_result }), NOW)).toBe(settled);
  expect(watch.isSettled(live({ verified_result }), NOW)).toBe(false);
});

test('does not watch unfollowed or upcoming events; stops watching cancelled ones', () => {
  const watch = new MatchWatch(SETTINGS, []);
  watch.onEvent(live({ sport_id: 6 }), NOW, 0);
  watch.onEvent(live({ id: 10, status_type: 'scheduled' }), NOW, 0);
  expect(watch.counts()).toEqual({ live: 0, finished: 0 });
  watch.onEvent(live(), NOW, 0);
  watch.onEvent(live({ status_type: 'cancelled' }), NOW, 0);
  expect(watch.counts()).toEqual({ live: 0, finished: 0 });
});

test('backs off after failed checks, and resets after a good one', () => {
  const watch = new MatchWatch(SETTINGS, []);
  watch.onEvent(finished(), NOW, 0);
  const wait = vi.fn((failures: number) => failures * 10);
  const fail = (now: number): void => watch.failed(9, now, wait);
  expect(watch.claim(0)).toBe(9);
  fail(0);
  expectDueAt(watch, 10);
  fail(10);
  expectDueAt(watch, 30);
  checked(watch, 30);
  expect(watch.claim(330)).toBe(9);
  fail(330);
  expect(wait.mock.calls).toEqual([[1], [2], [1]]);
});

test('checks again when an incident is reported after the snapshot that removes it', () => {
  const watch = checkedOnce(live());
  watch.onMessage(message(null, false, NOW - 4), 1);
  expect(watch.claim(1_000)).toBe(null);
  const late = checkedOnce(live());
  late.onMessage(message(null, false, NOW - 5), 2);
  expectDueAt(late, 10);
  checked(late, 11, { snapshotAt: NOW + 8, listed: LISTED });
  expect(late.claim(1_000)).toBe(null);
});

test.each([
  ['lacks an incident', false, NONE, LISTED],
  ['has an incident that was deleted', true, LISTED, NONE],
])('reads a list that %s again until it shows the report of the feed', (_, deleted, behind, listed) => {
  const watch = checkedOnce(live());
  watch.onMessage(message(null, deleted), 1);
  watch.onBoard(5, new Set());
  expect(watch.claim(2)).toBe(9);
  checked(watch, 3, { snapshotAt: NOW + 60, listed: behind });
  expectDueAt(watch, 13);
  checked(watch, 14, { snapshotAt: NOW + 70, listed });
  expect(watch.claim(1_000)).toBe(null);
});

test('lets a list override the feed after the settle margin', () => {
  const watch = checkedOnce(live());
  watch.onMessage(message(null, false, NOW), 1);
  watch.onBoard(5, new Set());
  for (const now of [2, 12, 22, 32, 42]) {
    expect(watch.claim(now)).toBe(9);
    checked(watch, now, { snapshotAt: NOW + 60 + now });
  }
  expect(watch.claim(1_000)).toBe(null);
});

test('does not verify a finished event while the lists may lag behind its last report', () => {
  const watch = checkedOnce(finished());
  const reported = { ...message(null), incident: null };
  const check = (now: number): boolean => {
    expectDueAt(watch, now);
    return checked(watch, now, { snapshotAt: NOW + now });
  };
  watch.onMessage(reported, 100);
  expect(check(140)).toBe(true);
  watch.onMessage(reported, 150);
  watch.verified(9, NOW);
  expect(watch.counts().finished).toBe(1);
  expect(check(190)).toBe(true);
  watch.verified(9, NOW);
  expect(watch.counts().finished).toBe(0);
});

test('checks an event twice when it is already finished when first seen', () => {
  const watch = new MatchWatch(SETTINGS, []);
  // The feed may report everything before a list shows the event, and a list may show it before its incidents.
  watch.onMessage(message(null), 0);
  watch.onEvent(finished(), NOW, 1);
  const check = (now: number): boolean => {
    expect(watch.claim(now)).toBe(9);
    return checked(watch, now, { snapshotAt: NOW + now });
  };
  expect(check(1)).toBe(false);
  watch.verified(9, NOW);
  expect(watch.claim(40)).toBe(null);
  expect(check(41)).toBe(true);
  watch.verified(9, NOW);
  expect(watch.counts().finished).toBe(0);
});

test.each([
  ['fields', { ...message(null), incident: null }],
  ['an incident', { ...message('confirmed', false, NOW - 100), event: null }],
])('checks a verified event again after a late feed message with %s', (_, reported) => {
  const watch = new MatchWatch(SETTINGS, [[9, NOW]]);
  watch.onMessage({ ...message(null), event: null, incident: null }, 1);
  expect(watch.claim(1)).toBe(null);
  watch.onMessage(reported, 2);
  expect(watch.claim(2)).toBe(9);
});

test('keeps an incident unconfirmed that is reported during a check', () => {
  const watch = checkedOnce(live());
  watch.onMessage(message('tbd'), 1);
  expect(watch.claim(10)).toBe(9);
  checked(watch, 11);
  expect(watch.claim(1_000)).toBe(null);
  watch.onBoard(5, new Set());
  expect(watch.claim(1_000)).toBe(9);
  watch.onMessage(message('tbd'), 1_001);
  checked(watch, 1_002);
  expect(watch.claim(1_012)).toBe(9);
});
