import { describe, expect, test } from 'vitest';
import type { IngressStatus } from '#records/types.ts';
import { ingressStatus } from '../testing/health.ts';
import { ReadProgress } from './applied.ts';
import { aliveSince, type HealthStatus } from './health-status.ts';
import { SignsOfLife } from './signs-of-life.ts';
import { isUnreadable, SourceTrack } from './source-track.ts';
import { GOOD } from './verdict.ts';

const T = 1_000_000;
const STALE = 20_000;
type MatchesOfSource = Parameters<SourceTrack['judge']>[1];

const NO_MATCHES: MatchesOfSource = { runsSince: null, behindSince: null, readTo: T + 1e9 };

const signsAt = (heardAt: number) => new SignsOfLife(20_000, { heardAt, delay: 0, receivedAt: T });

/** Returns a source with a sign of life at `T`, whose reports are read up to `readTo`. */
function track(health: Partial<HealthStatus> = {}) {
  const read = new ReadProgress();
  const source = new SourceTrack('webhook', { ...aliveSince(5), ...health }, signsAt(T), read);
  return { source, read };
}

const status = (changes: Partial<IngressStatus> = {}) => ingressStatus({ written_at: T, ...changes });
const progress = { from: 900, to: 1_000, position: 950 };
const recovering = (reason: string, since: number) => ({ kind: 'recovering', reason, since, progress });
const down = (reason: string, since: number) => ({ kind: 'down', reason, since, progress: null });

describe('the verdict on reports', () => {
  const RECOVERS = { state: 'recovering', reason: 'network', progress } as const;

  test.each<[string, readonly Partial<IngressStatus>[], unknown]>([
    ['is good without reports', [], GOOD],
    ['is good if one process is up', [{ state: 'down' }, { instance: 'two' }], GOOD],
    ['has the reported reason', [{ state: 'down', reason: 'contract' }], down('contract', T + 9)],
    ['has the reason ingress if none is reported', [{ state: 'down' }], down('ingress', T + 9)],
    [
      'is that it recovers, rather than that another is down',
      [
        { state: 'down', reason: 'network' },
        { instance: 'two', ...RECOVERS },
      ],
      recovering('network', T + 9),
    ],
    ['is of the latest', [{ state: 'up' }, { state: 'down', reason: 'network' }], down('network', T + 9)],
    [
      'is that messages cannot be read, although another process reads',
      [
        { unreadable_in_row: 3, messages_unreadable: 3 },
        { instance: 'two', messages_read: 900 },
      ],
      down('unreadable_messages', T + 9),
    ],
    [
      'is that it recovers, rather than that messages cannot be read',
      [{ ...RECOVERS, unreadable_in_row: 3 }],
      recovering('network', T + 9),
    ],
  ])('%s', (_, reports, verdict) => {
    const { source } = track();
    for (const changes of reports) source.report(status(changes), T);
    expect(source.reported(T + 9)).toEqual(verdict);
  });

  test.each<[string, Partial<HealthStatus>, number]>([
    ['is unchanged since its start', { state: 'down', reason: 'network', since: 7 }, 7],
    ['starts now with another reason', { state: 'down', reason: 'contract', since: 7 }, T + 9],
    ['starts now with another state', { state: 'recovering', reason: 'network', since: 7 }, T + 9],
  ])('%s', (_, health, since) => {
    const { source } = track(health);
    source.report(status({ state: 'down', reason: 'network' }), T);
    expect(source.reported(T + 9)).toEqual(down('network', since));
  });

  test('counts a sign of life no later than now', () => {
    const { source } = track();
    source.report(status({ heard_at: T + 5 }), T + 9);
    expect(source.signs.heardAt).toBe(T + 5);
    source.report(status({ heard_at: T + 50 }), T + 9);
    expect(source.signs.heardAt).toBe(T + 9);
    source.report(status({ heard_at: null }), T + 90);
    source.report(status({ heard_at: T }), T + 90);
    expect(source.signs.heardAt).toBe(T + 9);
  });

  test('counts unreadable messages as no sign of life, and ends with the report that one was read', () => {
    const { source } = track();
    source.report(status({ heard_at: T + 1, unreadable_in_row: 3 }), T + 9);
    source.judge(source.reported(T + 9), NO_MATCHES, STALE, T + 9);
    expect(source).toMatchObject({
      signs: { heardAt: T },
      health: { state: 'down', reason: 'unreadable_messages' },
    });
    source.report(status({ heard_at: T + 20, messages_read: 1 }), T + 20);
    source.judge(source.reported(T + 20), NO_MATCHES, STALE, T + 20);
    const gap = { from: T, to: T + 20, reason: 'unreadable_messages', action: 'none' };
    expect(source.health).toMatchObject({ state: 'recovered', gaps: [gap] });
  });

  test('adds a gap that the ingress service skipped', () => {
    const { source } = track();
    const published = { published_from: null, published_to: null };
    const gap = { from: 1, to: 2, reason: 'network', action: 'skipped', ...published };
    source.report(status({ gap }), T);
    source.report(status({ gap }), T);
    expect(source.health).toMatchObject({ gaps: [gap], gap_count: 1 });
  });
});

describe('a process that no longer reports', () => {
  test('is missing ten seconds after its last report, once all reports until then are read', () => {
    const { source, read } = track();
    expect(source.reportDue).toBeNull();
    source.report(status({ written_at: T - 5 }), T);
    expect(source.reportDue).toBe(T + 9_995);
    read.advance(T - 5);
    for (let at = T; at < T + 9_995; at += 1_000) read.advance(at);
    read.advance(T + 9_994);
    expect(source.reported(T + 9_999)).toEqual(GOOD);
    read.advance(T + 9_995);
    expect(source.reported(T + 9_999)).toEqual(down('ingress', T + 9_995));
  });

  test('is not missing while no report could be read', () => {
    const { source, read } = track();
    source.report(status(), T);
    read.advance(T + 60_000);
    expect([source.reportDue, source.reported(T + 60_000)]).toEqual([T + 70_000, GOOD]);
  });

  test('leaves the verdict to the reports of the others', () => {
    const { source, read } = track();
    source.report(status({ instance: 'gone', written_at: T - 9_000 }), T);
    source.report(status({ state: 'down', reason: 'network' }), T);
    expect(source.reported(T)).toEqual(GOOD);
    for (let at = T; at <= T + 2_000; at += 1_000) read.advance(at);
    // The next report is due after the last report of any process, and after reports are read again.
    for (let at = T + 3_000; at < T + 10_000; at += 1_000) read.advance(at);
    expect(source.reported(T + 9_000)).toEqual(GOOD);
  });

  test('counts a report from the future as one of now', () => {
    const { source } = track();
    source.report(status({ written_at: T + 5_000 }), T);
    expect(source.reportDue).toBe(T + 10_000);
    source.report(status({ written_at: T - 5_000 }), T);
    expect(source.reportDue).toBe(T + 10_000);
  });

  type Before = [string, Partial<HealthStatus>, unknown];
  test.each<Before>([
    ...['unreadable_messages', 'credentials', 'contract', 'network', 'ingress'].map(
      (reason): Before => [
        `was down by ${reason} before the monitor`,
        { state: 'down', reason, since: T },
        down(reason, T),
      ],
    ),
    ...['backlog', 'network'].map(
      (reason): Before => [
        `was recovering from ${reason} before the monitor began`,
        { state: 'recovering', reason, since: T, progress },
        recovering(reason, T),
      ],
    ),
    ['had a sign of life since', { state: 'down', reason: 'contract', since: T - 1 }, GOOD],
    ['was down for a reason that is not reported', { state: 'down', reason: 'backlog', since: T }, GOOD],
    ['was stale', { state: 'stale', reason: 'ingress', since: T }, GOOD],
    ['was alive', { state: 'alive', reason: null, since: T }, GOOD],
  ])('%s', (_, health, verdict) => {
    expect(track(health).source.reported(T + 9)).toEqual(verdict);
  });
});

describe('a source with good reports is', () => {
  const running = { ...NO_MATCHES, runsSince: T - 60_000 };
  test.each<[string, MatchesOfSource, number, Partial<HealthStatus>]>([
    ['alive while no clock runs', NO_MATCHES, T + 1e6, { state: 'alive' }],
    ['alive before silence is due', running, T + STALE - 1, { state: 'alive' }],
    ['stale once it is due', running, T + STALE, { state: 'stale', reason: 'silence', since: T + STALE }],
    ['alive where the clock began since', { ...running, runsSince: T + 1 }, T + STALE, { state: 'alive' }],
    [
      'behind where all of its matches are',
      { ...running, behindSince: T + 7 },
      T + STALE,
      { state: 'down', reason: 'backlog', since: T + 7, progress: null },
    ],
  ])('%s', (_, matches, now, health) => {
    const { source } = track();
    source.judge(GOOD, matches, STALE, now);
    expect(source.health).toMatchObject(health);
  });

  test('judged by bad reports before its matches', () => {
    const { source } = track();
    const verdict = { kind: 'down', reason: 'network', since: T, progress: null } as const;
    source.judge(verdict, { ...NO_MATCHES, behindSince: T - 5 }, STALE, T);
    expect(source.health).toMatchObject({ state: 'down', reason: 'network' });
  });
});

describe('a gap of a source', () => {
  const bad = (kind: 'down' | 'recovering', of: typeof progress | null) =>
    ({ kind, reason: 'network', since: T, progress: of }) as const;

  test.each<[string, typeof progress | null, number]>([
    ['begins at the last sign of life', null, T],
    ['begins at the start of the messages that are read again', progress, T + 9 - 100_000],
    ['begins so whatever the provider’s clock says', { from: 20, position: 30, to: 120 }, T + 9 - 100_000],
    ['begins at the last sign of life, if less is read again', { ...progress, from: 1_001 }, T],
  ])('%s', (_, of, from) => {
    const { source } = track();
    source.judge(bad('recovering', of), NO_MATCHES, STALE, T + 9);
    expect(source.health.gaps).toMatchObject([{ from, to: null, reason: 'network', action: 'open' }]);
  });

  test('ends with the first sign of life', () => {
    const { source } = track();
    source.noteContent({ contentAt: T + 1, receivedAt: T + 1 });
    source.judge(bad('down', null), NO_MATCHES, STALE, T + 9);
    for (const at of [T + 20, T + 30]) source.noteContent({ contentAt: at, receivedAt: at });
    source.judge(GOOD, NO_MATCHES, STALE, T + 40);
    const gap = { from: T + 1, to: T + 20, reason: 'network', action: 'none' };
    expect(source.health.gaps).toMatchObject([gap]);
    // The next gap begins later.
    source.judge(bad('down', null), NO_MATCHES, STALE, T + 50);
    source.noteContent({ contentAt: T + 55, receivedAt: T + 55 });
    source.judge(bad('down', null), NO_MATCHES, STALE, T + 56);
    source.judge(GOOD, NO_MATCHES, STALE, T + 60);
    expect(source.health.gaps.at(-1)).toMatchObject({ from: T + 30, to: T + 55 });
  });
});

test('names the failure of the last read while the source still counts as up', () => {
  const { source } = track();
  expect(source.failure).toBeNull();
  source.report(status({ state: 'up', reason: 'network' }), T);
  expect([source.failure, source.reported(T)]).toEqual(['network', GOOD]);
  for (const two of [{ reason: null }, { state: 'down', reason: 'network' }] as const) {
    source.report(status({ instance: 'two', ...two }), T);
    expect(source.failure).toBeNull();
  }
});

const counts = (messages_read: number, messages_unreadable: number, unreadable_in_row = 0) => ({
  messages_read,
  messages_unreadable,
  unreadable_in_row,
});

test.each<[string, Parameters<typeof isUnreadable>[0], boolean]>([
  ['no messages', [counts(0, 0)], false],
  ['two unreadable ones, and no other', [counts(0, 2, 2)], false],
  ['three unreadable ones in a row', [counts(1_000, 3, 3)], true],
  ['three in a row, long ago, and nothing since', [counts(0, 0, 3)], true],
  ['a tenth of the minute', [counts(27, 3)], true],
  ['less than a tenth', [counts(28, 3)], false],
  ['two of ten', [counts(8, 2)], false],
  ['a tenth of two processes together', [counts(10, 1, 1), counts(17, 2)], true],
  ['a row of one process, while another reads', [counts(0, 3, 3), counts(1_000, 0)], true],
  ['a row of one that is idle for a minute, while another reads', [counts(0, 0, 3), counts(1, 0)], false],
])('judges %s', (_, processes, expected) => {
  expect(isUnreadable(processes)).toBe(expected);
});
