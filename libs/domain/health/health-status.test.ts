import { describe, expect, test } from 'vitest';
import type { HealthGap, HealthProgress } from '#records/types.ts';
import {
  addGap,
  addUnpublished,
  aliveSince,
  applyVerdict,
  fillGaps,
  type HealthStatus,
  unpublishedGap,
} from './health-status.ts';
import { GOOD, type HealthReason, type HealthVerdict } from './verdict.ts';

const T = 1_000_000;
const SIGNS = { lastAt: T - 500, backAt: null };
const BACK = { ...SIGNS, backAt: T - 50 };
const gap = (changes: Partial<HealthGap> = {}): HealthGap => ({
  from: 10,
  to: 20,
  reason: 'silence',
  action: 'none',
  published_from: null,
  published_to: null,
  ...changes,
});
const open = (changes: Partial<HealthGap> = {}): HealthGap => gap({ to: null, action: 'open', ...changes });
const bad = (
  kind: 'stale' | 'down' | 'recovering',
  reason: HealthReason,
  progress: HealthProgress | null = null,
): HealthVerdict => ({ kind, reason, since: T - 100, progress });
const health = (changes: Partial<HealthStatus> = {}): HealthStatus => ({ ...aliveSince(5), ...changes });
/** A status that is not good, with an open gap after a closed one. */
const broken = (changes: Partial<HealthStatus> = {}, last: Partial<HealthGap> = {}): HealthStatus =>
  health({
    state: 'stale',
    reason: 'silence',
    since: 7,
    gaps: [gap(), open({ from: 30, ...last })],
    gap_count: 2,
    ...changes,
  });

test('begins alive, without gaps', () => {
  const none = { reason: null, progress: null, gaps: [], gap_count: 0 };
  expect(aliveSince(5)).toEqual({ state: 'alive', since: 5, ...none });
});

describe('a verdict that is not good', () => {
  test('opens a gap at the last sign of life', () => {
    expect(applyVerdict(health({ gaps: [gap()], gap_count: 1 }), bad('stale', 'silence'), SIGNS, T)).toEqual({
      state: 'stale',
      reason: 'silence',
      since: T - 100,
      progress: null,
      gaps: [gap(), open({ from: T - 500, published_from: T })],
      gap_count: 2,
    });
  });

  test('changes nothing when it repeats', () => {
    const before = broken();
    expect(applyVerdict(before, bad('stale', 'silence'), SIGNS, T)).toBe(before);
    const progress = { from: 1, to: 9, position: 2 };
    const recovering = broken({ state: 'recovering', reason: 'network', progress });
    const repeated = bad('recovering', 'network', { ...progress, to: 10 });
    expect(applyVerdict(recovering, repeated, SIGNS, T)).toBe(recovering);
  });

  test.each<[string, HealthVerdict, Partial<HealthStatus>]>([
    ['another state', bad('down', 'silence'), { state: 'down', reason: 'silence', since: T - 100 }],
    ['another reason', bad('stale', 'network'), { state: 'stale', reason: 'network', since: T - 100 }],
  ])('of %s keeps the open gap', (_, verdict, changes) => {
    const before = broken();
    expect(applyVerdict(before, verdict, BACK, T)).toEqual({ ...before, ...changes });
  });

  test.each<[string, HealthProgress | null, HealthProgress | null]>([
    ['that was null', null, { from: 1, to: 9, position: 2 }],
    ['that becomes null', { from: 1, to: 9, position: 2 }, null],
    ['of another position', { from: 1, to: 9, position: 2 }, { from: 1, to: 9, position: 3 }],
    ['of another start', { from: 1, to: 9, position: 2 }, { from: 0, to: 9, position: 2 }],
  ])('reports progress %s, and keeps its start', (_, from, to) => {
    const before = broken({ state: 'recovering', reason: 'network', progress: from });
    expect(applyVerdict(before, bad('recovering', 'network', to), BACK, T)).toEqual({
      ...before,
      progress: to,
    });
  });

  test.each<[HealthReason, HealthReason, string]>([
    ['backlog', 'network', 'network'],
    ['backlog', 'backlog', 'backlog'],
    ['silence', 'network', 'silence'],
  ])('names an open gap of %s, when the reason becomes %s, after %s', (was, is, named) => {
    const before = broken({ state: 'down', reason: 'contract' }, { reason: was });
    const { gaps } = applyVerdict(before, bad('down', is), SIGNS, T);
    expect(gaps).toEqual([gap(), open({ from: 30, reason: named })]);
  });

  test('keeps the last hundred gaps and counts all', () => {
    const gaps = Array.from({ length: 100 }, (_, from) => gap({ from }));
    const after = applyVerdict(health({ gaps, gap_count: 100 }), bad('stale', 'silence'), SIGNS, T);
    expect([after.gaps.length, after.gap_count]).toEqual([100, 101]);
    expect([after.gaps[0]?.from, after.gaps.at(-1)?.from]).toEqual([1, T - 500]);
  });
});

describe('a good verdict', () => {
  test('changes nothing while alive', () => {
    const before = health();
    expect(applyVerdict(before, GOOD, SIGNS, T)).toBe(before);
  });

  test.each<[string, Partial<HealthStatus>, Partial<HealthGap>, number | null, Partial<HealthGap>]>([
    ['at the first sign of life', {}, {}, T - 50, { to: T - 50, action: 'none' }],
    ['now without a sign of life', {}, {}, null, { to: T, action: 'none' }],
    ['no earlier than it began', {}, { from: T + 9 }, T - 50, { to: T + 9, action: 'none' }],
    ['now, caught up, after our delay', {}, { reason: 'backlog' }, T - 50, { to: T, action: 'caught_up' }],
    ['now, caught up, after a recovery', { state: 'recovering' }, {}, T - 50, { to: T, action: 'caught_up' }],
  ])('closes the gap %s', (_, changes, last, backAt, closed) => {
    const before = broken({ progress: { from: 1, to: 9, position: 2 }, ...changes }, last);
    expect(applyVerdict(before, GOOD, { lastAt: T, backAt }, T)).toEqual({
      ...aliveSince(T),
      state: 'recovered',
      gaps: [gap(), open({ from: 30, ...last, ...closed, published_to: T })],
      gap_count: 2,
    });
  });

  test('is recovered for a minute, then alive', () => {
    const recovered = health({ state: 'recovered', since: T, gaps: [gap()], gap_count: 1 });
    expect(applyVerdict(recovered, GOOD, SIGNS, T + 59_999)).toBe(recovered);
    const alive = { ...recovered, state: 'alive', since: T + 60_000 };
    expect(applyVerdict(recovered, GOOD, SIGNS, T + 60_000)).toEqual(alive);
  });

  test('makes an ended match alive again, and records that nobody believed it meanwhile', () => {
    const ended = health({ state: 'ended', since: 9, gaps: [gap()], gap_count: 1 });
    const over = { from: 9, to: T, published_from: 9, published_to: T };
    expect(applyVerdict(ended, GOOD, SIGNS, T)).toEqual({
      ...ended,
      state: 'alive',
      since: T,
      gaps: [gap(), gap({ ...over, reason: 'ended', action: 'caught_up' })],
      gap_count: 2,
    });
  });

  test('closes nothing without an open gap', () => {
    const down = health({ state: 'down', reason: 'network', gaps: [gap()], gap_count: 1 });
    expect(applyVerdict(down, GOOD, SIGNS, T).gaps).toEqual([gap()]);
    expect(applyVerdict({ ...down, gaps: [] }, GOOD, SIGNS, T).gaps).toEqual([]);
  });
});

describe('the verdict that a match ended', () => {
  test('closes the open gap', () => {
    expect(applyVerdict(broken(), { kind: 'ended' }, { lastAt: T, backAt: null }, T)).toEqual({
      ...aliveSince(T),
      state: 'ended',
      gaps: [gap(), gap({ from: 30, to: T, published_to: T })],
      gap_count: 2,
    });
  });

  test('changes nothing the second time', () => {
    const ended = health({ state: 'ended' });
    expect(applyVerdict(ended, { kind: 'ended' }, SIGNS, T)).toBe(ended);
  });
});

describe('a reported gap', () => {
  const late = gap({ from: 25, to: 28, action: 'skipped' });

  test('is added before the open one', () => {
    const before = broken();
    expect(addGap(before, late)).toEqual({
      ...before,
      gaps: [gap(), late, open({ from: 30 })],
      gap_count: 3,
    });
  });

  test('is the last one if none is open', () => {
    expect(addGap(health({ gaps: [gap()], gap_count: 1 }), late).gaps).toEqual([gap(), late]);
  });

  test('is added once', () => {
    const before = addGap(health(), late);
    expect(addGap(before, { ...late, to: 29 })).toBe(before);
    expect(addGap(before, { ...late, from: 24 }).gap_count).toBe(2);
    expect(addGap(before, { ...late, action: 'none' }).gap_count).toBe(2);
  });

  test('replaces the oldest of a hundred', () => {
    const gaps = Array.from({ length: 100 }, (_, from) => gap({ from: from + 1_000 }));
    const after = addGap(health({ gaps, gap_count: 100 }), late);
    expect([after.gaps.length, after.gaps[0]?.from, after.gaps.at(-1)]).toEqual([100, 1_001, late]);
  });
});

test('a snapshot fills the closed gaps before it that were not filled', () => {
  const caught = gap({ action: 'caught_up' });
  const before = broken({ gaps: [gap(), gap({ to: 21 }), caught, gap({ from: 30, to: 40 }), open()] });
  expect(fillGaps(before, 21).gaps).toEqual([
    gap({ action: 'snapshot' }),
    gap({ to: 21, action: 'snapshot' }),
    caught,
    gap({ from: 30, to: 40 }),
    open(),
  ]);
  expect(fillGaps(before, 19)).toBe(before);
});

describe('a time in which nothing was published', () => {
  const silent = (from: number, to: number): HealthGap => ({
    from,
    to,
    reason: 'monitor',
    action: 'caught_up',
    published_from: from,
    published_to: to,
  });

  test('is a gap, before one that is open', () => {
    expect(addUnpublished(health(), unpublishedGap(5, 9)).gaps).toEqual([silent(5, 9)]);
    const later = broken({ gaps: [open({ published_from: 9 })], gap_count: 1 });
    expect(addUnpublished(later, unpublishedGap(5, 9))).toMatchObject({
      gaps: [silent(5, 9), { action: 'open' }],
      gap_count: 2,
    });
  });

  test.each([
    ['is over', health({ state: 'ended' })],
    ['was not believed anyway', broken({ gaps: [open({ published_from: 5 })], gap_count: 1 })],
  ])('is no gap of a match that %s', (_, before) => {
    expect(addUnpublished(before, unpublishedGap(5, 9))).toBe(before);
  });

  test('is joined to the one before it, if that ended within a second', () => {
    const first = addUnpublished(health(), unpublishedGap(5, 9));
    expect(addUnpublished(first, unpublishedGap(1_009, 1_200))).toMatchObject({
      gaps: [silent(5, 1_200)],
      gap_count: 1,
    });
    expect(addUnpublished(first, unpublishedGap(1_010, 1_200)).gaps).toHaveLength(2);
  });
});

test('a match that goes on in doubt keeps the time in which it was over', () => {
  const ended = health({ state: 'ended', since: 9 });
  expect(applyVerdict(ended, bad('down', 'backlog'), SIGNS, T)).toMatchObject({
    state: 'down',
    gaps: [
      { from: 9, to: T, reason: 'ended' },
      { reason: 'backlog', action: 'open' },
    ],
    gap_count: 2,
  });
});
