import { describe, expect, test } from 'vitest';
import { LIMITS } from '../testing/health.ts';
import { eventMessage } from '../testing/messages.ts';
import { AppliedPosition, ReadProgress } from './applied.ts';
import { aliveSince } from './health-status.ts';
import { MatchTrack, type PairTrack } from './match-track.ts';
import { SignsOfLife } from './signs-of-life.ts';
import { GOOD } from './verdict.ts';

const T = 1_000_000;
const PLAY = { status_type: 'live', clock_status: 'running' };
const BREAK = { status_type: 'live', clock_status: 'stopped' };

/** Content that is received at once. */
const now = (at: number) => ({ contentAt: at, receivedAt: at });

/** Notes a message of a match, received at `at`. */
function note(track: MatchTrack, at: number, { source = 'webhook', isKeepAlive = false } = {}): void {
  track.noteMessage(source, now(at), { isKeepAlive, ahead: 0, newSigns: () => new SignsOfLife(20_000) });
}

/** A match. `applied`: the position of match state. */
function matchOf(applied = new AppliedPosition(0, { offset: 0, at: 0 })) {
  const read = new ReadProgress();
  read.advance(T + 1e9);
  const track = new MatchTrack(7, { applied, read });
  let offset = 0;
  let ut = 1;
  return {
    track,
    applied,
    /** Applies a message of the webhook source with these fields, received at `at`. */
    receive(fields: Readonly<Record<string, unknown>>, at: number, isKeepAlive = false) {
      applied.read(offset, at);
      track.apply(eventMessage(ut++, fields), now(at), offset++);
      note(track, at, { isKeepAlive });
    },
    pair(source = 'webhook'): PairTrack {
      const pair = track.pairs.get(source);
      if (pair === undefined) throw new Error(`nothing of ${source}`);
      return pair;
    },
  };
}

describe('the health of a match under a source', () => {
  test('begins with the first message while the match is live', () => {
    const { track, receive, pair } = matchOf();
    receive({ status_type: 'scheduled' }, T);
    expect(track.pairs.size).toBe(0);
    receive(PLAY, T + 10);
    expect(pair()).toEqual({
      source: 'webhook',
      key: 'webhook/7',
      judgedFrom: null,
      written: null,
      signs: new SignsOfLife(20_000, { heardAt: T + 10, delay: 0, receivedAt: T }),
      keepAliveAt: null,
      health: aliveSince(T + 10),
    });
  });

  test('has the time of the latest message, and that of the latest keep-alive', () => {
    const { track, receive, pair } = matchOf();
    receive(PLAY, T);
    note(track, T + 20, { isKeepAlive: true });
    note(track, T + 10);
    expect(pair()).toMatchObject({ signs: { heardAt: T + 20, backAt: null }, keepAliveAt: T + 20 });
  });

  test('notes the first message since it was good', () => {
    const { track, receive, pair } = matchOf();
    receive(PLAY, T);
    pair().health = { ...aliveSince(1), state: 'stale' };
    for (const at of [T + 1, T + 2]) note(track, at);
    expect(pair().signs.backAt).toBe(T + 1);
    track.judge(pair(), { kind: 'down', reason: 'network', since: T, progress: null }, LIMITS, T + 3);
    expect(pair().signs.backAt).toBe(T + 1);
    track.judge(pair(), GOOD, LIMITS, T + 3);
    expect(pair().signs.backAt).toBeNull();
  });
});

test('the clock runs or is stopped since the message that changed it', () => {
  const { track, receive } = matchOf();
  const since = [PLAY, PLAY, BREAK, { name: 'x' }, PLAY].map((fields, i) => {
    receive(fields, T + i);
    return [track.facts.runs, track.runsSince];
  });
  expect(since).toEqual([
    [true, T],
    [true, T],
    [false, T + 2],
    [false, T + 2],
    [true, T + 4],
  ]);
  const { facts } = track;
  receive(PLAY, T + 5);
  expect(track.facts).toBe(facts);
  track.apply(eventMessage(9, BREAK), { contentAt: T + 7, receivedAt: T + 9 }, 9);
  expect(track.runsSince).toBe(T + 7);
});

describe('a match', () => {
  test('waits for match state since the first message that is not applied', () => {
    const { track, receive, applied } = matchOf();
    expect(track.waitingSince).toBeNull();
    receive(PLAY, T);
    receive(PLAY, T + 1_000);
    expect(track.waitingSince).toBe(T);
    applied.applied(1);
    expect(track.waitingSince).toBe(T + 1_000);
    applied.applied(2);
    expect(track.waitingSince).toBeNull();
    receive(PLAY, T + 2_000);
    expect(track.waitingSince).toBe(T + 2_000);
  });

  test.each<[string, Readonly<Record<string, unknown>>, number, boolean]>([
    ['is over when its status is finished', { status_type: 'finished' }, 1, true],
    ['is not over just before six hours of silence', PLAY, 6 * 3_600_000 - 1, false],
    ['is over after six hours of silence', PLAY, 6 * 3_600_000, true],
  ])('%s', (_, last, after, over) => {
    const { track, receive } = matchOf();
    receive(PLAY, T);
    receive(last, T);
    expect(track.isOver(T + after)).toBe(over);
  });

  test('is not over while another source sends messages of it', () => {
    const { track, receive } = matchOf();
    receive(PLAY, T);
    note(track, T + 3_600_000, { source: 'feed' });
    expect(track.isOver(T + 6 * 3_600_000)).toBe(false);
  });
});

describe('the verdict on a match', () => {
  test('is a backlog since the first waiting message, with a gap from that message', () => {
    const { track, receive, pair } = matchOf();
    receive(PLAY, T);
    receive(PLAY, T + 1_000);
    const verdict = track.judge(pair(), GOOD, LIMITS, T + 5_000);
    expect(verdict).toEqual({ kind: 'down', reason: 'backlog', since: T + 5_000, progress: null });
    expect(pair().health).toMatchObject({ state: 'down', gaps: [{ from: T, action: 'open' }] });
  });

  test('is that of its source, with a gap from the last message, whatever waits', () => {
    const { track, receive, pair } = matchOf();
    receive(PLAY, T);
    receive(PLAY, T + 1_000);
    track.judge(pair(), { kind: 'down', reason: 'network', since: T + 9, progress: null }, LIMITS, T + 1_500);
    expect(pair().health.gaps).toMatchObject([{ from: T + 1_000, reason: 'network' }]);
  });

  test('forgets the first message since it was good when the match ends', () => {
    const { track, receive, pair } = matchOf();
    receive(PLAY, T);
    pair().signs.backAt = T + 1;
    receive({ status_type: 'finished' }, T + 2);
    expect(track.judge(pair(), GOOD, LIMITS, T + 3)).toEqual({ kind: 'ended' });
    expect(pair()).toMatchObject({ signs: { heardAt: T + 2, backAt: null } });
  });

  test('has its gaps filled by a complete list of incidents, under every source', () => {
    const { track, receive, pair } = matchOf();
    receive(PLAY, T);
    note(track, T, { source: 'feed' });
    const published = { published_from: null, published_to: null };
    const gaps = [{ from: T - 20, to: T - 10, reason: 'silence', action: 'none', ...published }];
    for (const source of ['webhook', 'feed']) pair(source).health = { ...aliveSince(T), gaps, gap_count: 1 };
    track.fill(T);
    const actions = ['webhook', 'feed'].map((source) => pair(source).health.gaps[0]?.action);
    expect(actions).toEqual(['snapshot', 'snapshot']);
  });
});
