import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { FeedHealth } from '#records/types.ts';
import { HealthTable, isBelieved } from '#trading/feed-status.ts';
import { rounds } from '../../../test/support/rounds.ts';
import {
  type Action,
  APPLY,
  BEGIN,
  type HealthTruth,
  histories,
  LIMITS,
  PlayedMonitor,
  report,
  say,
  wait,
} from '../testing/health.ts';
import { eventMessage } from '../testing/messages.ts';
import { DUE_WITHIN_MS, HealthMonitor, VALID_MS } from './monitor.ts';
import { READ_WITHIN_MS } from './verdict.ts';

const runs = { numRuns: rounds(300) };

vi.setConfig({ testTimeout: 120_000 });

/** A new monitor reads again the newer content of before the match was live, which the former one had forgotten. */
const HEARD_BEFORE_LIVE: Action[] = [
  say('over'),
  say('play', 1, 15_195),
  wait(13),
  { kind: 'restart', ms: 15 },
  { kind: 'blind', ms: 4_477 },
];

/** Returns when silence of a match is due by the text of the rule; null while silence does not count. */
function silentAt({ heardAt, lateAt, runsSince, runs, over, keepAlive }: HealthTruth): number | null {
  if (over) return null;
  const from = Math.max(lateAt ?? heardAt, runsSince);
  if (runs) return from + LIMITS.staleAfterMs;
  return keepAlive ? from + LIMITS.keepAliveAfterMs : null;
}

function isDead(truth: HealthTruth, now: number): boolean {
  const silent = silentAt(truth);
  const isLate = truth.lateAt !== null && now >= truth.lateAt;
  return !truth.over && (isLate || (silent !== null && now >= silent) || isBehind(truth, now));
}

function isBehind({ waitingSince }: HealthTruth, now: number): boolean {
  return waitingSince !== null && now >= waitingSince + LIMITS.backlogAfterMs;
}

/** Plays a history, and checks everything after each tick. */
function watch(history: readonly Action[], look?: (played: PlayedMonitor) => void): PlayedMonitor {
  return new PlayedMonitor(look).play(...history, wait(300));
}

const ofMatch = (played: PlayedMonitor): FeedHealth | undefined => played.topic.get('webhook/1');

describe('in every history', () => {
  test('it does not matter how rarely the monitor learns that it has read everything before something is due', () => {
    // A source that is not good, or that was not read, is judged again when it is read.
    const good = (action: Action) =>
      action.kind !== 'blind' && (action.kind !== 'report' || action.state === 'up');
    const readable = histories.map((history) => history.filter(good));
    fc.assert(
      fc.property(readable, fc.integer({ min: 0, max: 1_900 }), (history, everyMs) => {
        const [always, rarely] = [new PlayedMonitor(), new PlayedMonitor(() => {}, everyMs)];
        for (const action of history) {
          always.do(action);
          rarely.do(action);
          expect(rarely.log).toEqual(always.log);
        }
      }),
      runs,
    );
  });

  test('nothing that is due is published as good, from its tick on, restarts included', () => {
    fc.assert(
      fc.property(histories, (history) => {
        watch(history, (played) => {
          for (const [key, truth] of played.truths()) {
            const record = played.topic.get(key);
            // While nothing can be read, messages that were published in time may still be read.
            const by = played.readTo < played.now ? played.now - READ_WITHIN_MS : played.now;
            if (isDead(truth, by)) expect(isBelieved(record?.state ?? 'stale')).toBe(false);
          }
        });
      }),
      { ...runs, examples: [[HEARD_BEFORE_LIVE]] },
    );
  });

  test('nothing is published as stale, delayed or behind that is not', () => {
    fc.assert(
      fc.property(histories, (history) => {
        watch(history, (played) => {
          const truths = played.truths();
          for (const [key, { state, reason, since }] of played.topic) {
            const truth = truths.get(key);
            if (truth === undefined) continue;
            if (state === 'stale') {
              expect(since).toBe(silentAt(truth));
              expect(played.now).toBeGreaterThanOrEqual(since);
            }
            if (state === 'delayed') expect(truth.lateAt).not.toBeNull();
            const unread = played.readTo < (silentAt(truth) ?? 0);
            if (reason === 'backlog') expect(isBehind(truth, played.now) || unread).toBe(true);
          }
        });
      }),
      runs,
    );
  });

  test('no reader believes a dead feed for more than a second, even if the monitor dies at any moment', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 0, max: 30_000 }), (history, later) => {
        const played = watch(history);
        const now = played.now + later;
        for (const [key, truth] of played.truths()) {
          const [source = '', event] = key.split('/');
          const reader = new HealthTable();
          for (const name of [source, key]) reader.apply(name, played.topic.get(name) ?? null, 0);
          const { believed } = reader.match(Number(event), { wall: now, steady: 0 });
          if (isDead(truth, now - DUE_WITHIN_MS)) expect(believed).toBe(false);
        }
      }),
      runs,
    );
  });

  test('no gap is lost, and only the last gap is open', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const counts = new Map<string, number>();
        const played = watch(history);
        for (const { source, event_id, gaps, gap_count, state } of played.log) {
          const key = `${source}/${event_id}`;
          expect(gap_count).toBeGreaterThanOrEqual(counts.get(key) ?? 0);
          counts.set(key, gap_count);
          expect(gaps.length).toBe(Math.min(100, gap_count));
          expect(gaps.at(-1)?.action === 'open').toBe(!isBelieved(state) && state !== 'ended');
          for (const gap of gaps.slice(0, -1)) expect(gap.to).toBeGreaterThanOrEqual(gap.from);
        }
      }),
      runs,
    );
  });
});

describe('a match', () => {
  test.each([['mark'], ['absence']] as const)('is stale although each %s of it arrives', (says) => {
    const marks = [say(says), APPLY, wait(5_000)];
    const played = watch([say('play'), ...marks, ...marks, ...marks, ...marks]);
    expect(ofMatch(played)).toMatchObject({ state: 'stale', since: BEGIN + 20_000, heard_at: BEGIN });
    expect(played.topic.get('webhook')).toMatchObject({ state: 'stale', heard_at: BEGIN });
  });

  test('is down while a mark waits for match state, whose guard it closes', () => {
    const played = watch([say('play'), APPLY, say('mark'), wait(5_000)]);
    expect(ofMatch(played)).toMatchObject({ state: 'down', reason: 'backlog' });
  });

  test('is down and recovers with its source', () => {
    const start = [say('play'), APPLY, wait(1_000)];
    const played = watch([...start, report('down'), wait(1_000)]);
    expect(ofMatch(played)).toMatchObject({ state: 'down', reason: 'network' });
    played.do(report('recovering'));
    played.do(wait(100));
    expect(ofMatch(played)).toMatchObject({ state: 'recovering' });
    played.play(report('up'), say('play'), APPLY, wait(100));
    expect(ofMatch(played)).toMatchObject({
      state: 'recovered',
      gaps: [{ action: 'caught_up', from: BEGIN }],
    });
    for (let ms = 0; ms < 60_000; ms += 5_000) played.play(say('play'), APPLY, report('up'), wait(5_000));
    expect(ofMatch(played)).toMatchObject({ state: 'alive', gap_count: 1 });
  });

  test('was silent until its next message, even if the monitor restarted meanwhile', () => {
    const begun: Action = { kind: 'restart', ms: 1_000 };
    const silence = [say('play'), APPLY, wait(25_000), begun, wait(4_000)];
    const played = watch([...silence, say('play'), APPLY, wait(100)]);
    const published = { published_from: BEGIN + 20_000, published_to: BEGIN + 30_100 };
    const gap = { from: BEGIN, to: BEGIN + 30_000, reason: 'silence', action: 'none', ...published };
    expect(ofMatch(played)?.gaps).toEqual([gap]);
    expect(played.topic.get('webhook')?.gaps).toEqual([gap]);
  });

  test('keeps the gap that a snapshot filled', () => {
    const played = watch([say('play'), APPLY, wait(25_000), say('play'), APPLY, wait(1_000), say('play')]);
    const published = { published_from: BEGIN + 20_000, published_to: BEGIN + 25_100 };
    const gap = { from: BEGIN, to: BEGIN + 25_000, reason: 'silence', ...published };
    expect(ofMatch(played)?.gaps).toEqual([{ ...gap, action: 'none' }]);
    // The first one was true before the gap ended.
    for (const [age, action] of [
      [2_000, 'none'],
      [0, 'snapshot'],
    ] as const) {
      played.play(say('snapshot', 1, age), APPLY, wait(100));
      expect(ofMatch(played)?.gaps).toEqual([{ ...gap, action }]);
    }
  });

  const late = (says: 'play' | 'break' | 'keep_alive', seconds: number): Action =>
    say(says, 1, seconds * 1_000);
  const believed = (played: PlayedMonitor) => {
    const reader = new HealthTable();
    for (const [key, record] of played.topic) reader.apply(key, record, played.now);
    return reader.match(1, { wall: played.now, steady: played.now }).believed;
  };

  test.each([25, 45, 60, 663])('that was silent is delayed by a message that is %i s old', (seconds) => {
    const played = watch([say('play'), APPLY, wait(700_000), late('play', seconds), APPLY, wait(100)]);
    const delayed = { state: 'delayed', reason: 'delay', delay: seconds * 1_000, gap_count: 1 };
    for (const key of ['webhook/1', 'webhook']) expect(played.topic.get(key)).toMatchObject(delayed);
    expect(believed(played)).toBe(false);
    // Nothing comes after it.
    played.do(wait(20_000));
    expect(ofMatch(played)).toMatchObject({ state: 'stale', reason: 'silence' });
  });

  test('whose backlog is worked off opens with the last message, which closes the gap', () => {
    const played = watch([say('play'), APPLY, wait(600_000)]);
    for (let seconds = 590; seconds > 20; seconds -= 10) {
      played.play(late('play', seconds), APPLY, wait(100));
      expect([seconds, believed(played)]).toEqual([seconds, false]);
    }
    const at = played.now;
    played.play(late('play', 1), APPLY, wait(100));
    expect(believed(played)).toBe(true);
    expect(ofMatch(played)).toMatchObject({ state: 'recovered', delay: 1_000 });
    const gap = { from: BEGIN, to: at - 1_000, reason: 'silence', action: 'none' };
    expect(ofMatch(played)?.gaps).toMatchObject([gap]);
  });

  test('is never believed with content that is more than 20 s old, however its feed falls behind', () => {
    const played = watch([say('play'), APPLY]);
    for (let seconds = 0; seconds <= 60; seconds += 1) {
      played.play(late('play', seconds), APPLY, wait(1_500));
      expect([seconds, believed(played)]).toEqual([seconds, seconds + 1.5 < 20]);
    }
  });

  test.each([25, -60])(
    'that is delayed by %i s stays so while its clock is stopped, also under a new monitor',
    (s) => {
      const played = watch([late('break', s), APPLY, wait(300_000), { kind: 'restart', ms: 1_000 }]);
      expect(ofMatch(played)).toMatchObject({ state: 'delayed', delay: s * 1_000 });
      played.play(late('keep_alive', 2), APPLY, wait(100));
      expect(ofMatch(played)).toMatchObject({ state: 'recovered', delay: 2_000 });
    },
  );

  test.each([
    [25, 10_000, 'delayed'],
    [25, 25_000, 'stale'],
    [-60, 300_000, 'stale'],
  ])(
    'that is delayed by %i s is silent since the same time under a new monitor, %i ms later',
    (s, ms, state) => {
      const played = watch([late('play', s), APPLY, wait(ms), { kind: 'restart', ms: 0 }, wait(5_000)]);
      for (const key of ['webhook/1', 'webhook']) expect(played.topic.get(key)).toMatchObject({ state });
      played.do(wait(5_000));
      for (const key of ['webhook/1', 'webhook'])
        expect(played.topic.get(key)).toMatchObject({ state: 'stale', since: BEGIN + 20_000 });
    },
  );

  test('is delayed without an age while the clock of its provider is further ahead than clocks differ', () => {
    const played = watch([late('play', -60), APPLY, wait(100)]);
    const ahead = { state: 'delayed', reason: 'clock', delay: -60_000, heard_at: null };
    expect(ofMatch(played)).toMatchObject(ahead);
    played.play(say('play'), APPLY, wait(100));
    expect(ofMatch(played)).toMatchObject({ state: 'recovered', delay: 0 });
  });

  test('is older than it looks where keep-alives show that the clock of its provider is ahead', () => {
    const played = watch([late('play', -12), late('keep_alive', -10), APPLY, wait(60_000)]);
    played.play(late('play', 15), APPLY, wait(100));
    expect(ofMatch(played)).toMatchObject({ state: 'delayed', delay: 25_000 });
  });
});

describe('while nothing can be read', () => {
  const blind = (ms: number): Action => ({ kind: 'blind', ms });

  test('a match that becomes due is behind, and stale once all is read', () => {
    const played = watch([say('play'), APPLY, wait(15_000)]);
    played.do(blind(10_000));
    expect(ofMatch(played)).toMatchObject({ state: 'down', reason: 'backlog', since: BEGIN + 20_000 });
    played.do(wait(100));
    expect(ofMatch(played)).toMatchObject({ state: 'stale', reason: 'silence', since: BEGIN + 20_000 });
    const gap = { from: BEGIN, to: null, reason: 'silence', action: 'open' };
    expect(ofMatch(played)?.gaps).toMatchObject([gap]);
  });

  test('no ingress service counts as missing, as it could not report', () => {
    const played = watch([report('up'), wait(5_000)]);
    played.do(blind(60_000));
    expect(played.topic.get('webhook')).toMatchObject({ state: 'alive', gap_count: 0 });
    played.do(wait(9_000));
    expect(played.topic.get('webhook')).toMatchObject({ state: 'alive', gap_count: 1 });
    played.do(wait(1_100));
    expect(played.topic.get('webhook')).toMatchObject({ state: 'down', reason: 'ingress' });
  });
});

describe('a source', () => {
  test('is renewed before it expires, as soon as the match that was nearly due gets a message', () => {
    const played = watch([say('play'), APPLY, wait(19_900), say('play'), APPLY, wait(100)]);
    const renewed = { event_id: null, written_at: BEGIN + 20_000, valid_until: BEGIN + 20_000 + VALID_MS };
    expect(played.log).toContainEqual(expect.objectContaining(renewed));
  });

  test('is down when its ingress service stops reporting', () => {
    const played = watch([report('up'), wait(200_000)]);
    expect(played.topic.get('webhook')).toMatchObject({ state: 'down', reason: 'ingress' });
    played.do({ kind: 'restart', ms: 300_000 });
    played.do(wait(1_000));
    expect(played.topic.get('webhook')).toMatchObject({ state: 'down', reason: 'ingress' });
    played.play(report('up'), wait(100));
    expect(played.topic.get('webhook')).toMatchObject({ state: 'recovered', gap_count: 1 });
  });
});

test('a new monitor counts the silence of a source as the former one, even if another source was heard lately', () => {
  const both = [say('play', 1, 0, 'feed'), say('play'), APPLY, wait(15_000)];
  // The record of each source is written again after a minute, and says when it was heard last.
  const refreshed = [...both, ...both, ...both, say('play', 1, 0, 'feed'), say('play'), APPLY, wait(13_000)];
  const history = [...refreshed, say('play', 1, 0, 'feed'), APPLY, wait(3_000)];
  const restart: Action = { kind: 'restart', ms: 0 };
  for (const ends of [[wait(4_000)], [restart, wait(4_000)]])
    expect(ofMatch(watch([...history, ...ends]))).toMatchObject({
      state: 'stale',
      reason: 'silence',
      since: BEGIN + 65_000,
    });
});

test('a new monitor separates two silences between which no monitor ran', () => {
  const restart: Action = { kind: 'restart', ms: 19_900 };
  const record = ofMatch(watch([say('play'), APPLY, wait(20_000), say('play'), APPLY, restart]));
  expect(record).toMatchObject({ state: 'stale', since: BEGIN + 40_000 });
  const silences = record?.gaps.filter(({ reason }) => reason === 'silence');
  expect(silences?.map(({ from, to }) => [from - BEGIN, to === null ? null : to - BEGIN])).toEqual([
    [0, 20_000],
    [20_000, null],
  ]);
});

test('content has no age where none is judged', () => {
  const monitor = new HealthMonitor({ ...LIMITS, delayedAfterMs: Infinity, term: 1, partitionOf: () => 0 });
  const message = {
    ...eventMessage(1, { status_type: 'live' }),
    received_at: BEGIN,
    content_at: BEGIN - 60_000,
  };
  monitor.receive(message, { partition: 0, offset: 0 }, BEGIN);
  for (const { value } of monitor.tick(BEGIN)) expect(value).toMatchObject({ heard_at: BEGIN, delay: 0 });
});

test('a new monitor counts messages that waited before it began', () => {
  const begun: Action = { kind: 'restart', ms: 300_000 };
  const history = [say('play'), wait(200_000), begun, say('play'), wait(100)];
  expect(ofMatch(watch(history))).toMatchObject({ state: 'down', reason: 'backlog' });
});
