/** When a monitor publishes records of a source and its matches, and their content. */
import { describe, expect, test } from 'vitest';
import type { FeedHealth, NormalizedMessage } from '#records/types.ts';
import {
  type Action,
  APPLY,
  BEGIN,
  ingressStatus,
  LIMITS,
  PlayedMonitor,
  report,
  say,
  wait,
} from '../testing/health.ts';
import { eventMessage } from '../testing/messages.ts';
import { DUE_WITHIN_MS, HealthMonitor, KEEP_ENDED_MS, VALID_MS } from './monitor.ts';
import { REPORTS_WITHIN_MS } from './source-track.ts';

const played = (...actions: readonly Action[]) => new PlayedMonitor().play(...actions);

/** Returns the keys of the records that are deleted at a time. */
const deletedAt = (monitor: HealthMonitor, now: number) =>
  monitor.tick(now).flatMap(({ key, value }) => (value === null ? [key] : []));

describe('the record of a source', () => {
  test('says that a clock runs if that of one of its matches does', () => {
    const source = (...actions: Action[]) => played(...actions, APPLY, wait(100)).topic.get('webhook');
    expect(source(say('break'))?.clock_runs).toBe(false);
    expect(played(say('break'), wait(100)).topic.get('webhook/1')?.clock_since).toBeNull();
    expect(source(say('break'), say('play', 2), say('break', 3))?.clock_runs).toBe(true);
    expect(source(say('play'), say('over'))?.clock_runs).toBe(false);
  });

  test('counts silence from the latest start of a clock, whichever source reported it', () => {
    const started = [say('break'), APPLY, wait(15_000), say('play', 1, 0, 'feed'), APPLY];
    const source = (...actions: Action[]) => played(...actions).topic.get('webhook');
    expect(source(...started, wait(19_900))).toMatchObject({ state: 'alive' });
    expect(source(...started, wait(20_000))).toMatchObject({ state: 'stale', since: BEGIN + 35_000 });
    const others = [say('play', 2), say('break'), say('play', 3)];
    expect(source(...others, ...started, wait(19_900))).toMatchObject({ state: 'alive' });
    expect(source(...started, wait(100), say('play', 2, 0, 'feed'), APPLY, wait(19_900))).toMatchObject({
      state: 'stale',
      since: BEGIN + 35_000,
    });
  });

  test('is behind once all its matches that are not over are, since the first of them was', () => {
    const source = (...actions: Action[]) => played(...actions).topic.get('webhook');
    const behind = { state: 'down', reason: 'backlog', since: BEGIN + 5_000 };
    const second = [say('play'), wait(2_000), say('play', 2)];
    expect(source(...second, wait(4_900))).toMatchObject({ state: 'alive' });
    expect(source(...second, wait(5_000))).toMatchObject(behind);
    expect(source(say('play', 2), say('over', 2), APPLY, say('play'), wait(5_000))).toMatchObject(behind);
    expect(source(say('play', 2), say('over', 2), wait(6_000))).toMatchObject({ state: 'alive' });
  });

  test('is valid until the next report of its ingress service is due', () => {
    const source = played(wait(1_000), report('up'), wait(9_900)).topic.get('webhook');
    expect(source?.valid_until).toBe(BEGIN + 1_000 + REPORTS_WITHIN_MS + DUE_WITHIN_MS);
  });

  const isFullyValid = ({ topic }: PlayedMonitor, of: string) => {
    const { state, written_at, valid_until } = topic.get('webhook') as FeedHealth;
    expect({ state, valid_until }).toEqual({ state: of, valid_until: written_at + VALID_MS });
  };

  test.each([
    ['stale', 0, 8_000],
    ['delayed', 25_000, 4_900],
  ])('has its full validity beside a match that is already %s', (state, age, ms) => {
    const other = [say('play', 2), APPLY];
    const bad = played(say('play', 1, age), ...other, wait(15_000), ...other, wait(ms));
    expect(bad.topic.get('webhook/1')).toMatchObject({ state });
    isFullyValid(bad, 'alive');
  });

  test('has its full validity while its ingress service reports that it is down', () => {
    isFullyValid(played(report('down'), wait(9_900)), 'down');
  });

  test('is written with each record of its matches', () => {
    const monitor = monitorAt();
    const written = [];
    for (const [offset, status_type] of ['live', undefined, 'finished'].entries()) {
      const { event, ut } = eventMessage(BEGIN / 1_000 + offset, { status_type });
      if (event?.status_type) monitor.receive(message({ event, ut }), { partition: 1, offset }, BEGIN);
      written.push(monitor.tick(BEGIN + offset).map(({ key }) => key));
    }
    expect(written).toEqual([['webhook/1', 'webhook'], [], ['webhook/1', 'webhook']]);
  });

  test('is valid until shortly after match state becomes behind', () => {
    const waiting = played(say('play'), wait(4_900));
    expect(waiting.topic.get('webhook')?.valid_until).toBe(BEGIN + LIMITS.backlogAfterMs + DUE_WITHIN_MS);
  });
});

describe('a match', () => {
  test('counts as live until it is over, and has a record only if it was live', () => {
    const live = (...actions: Action[]) => played(...actions, wait(100)).monitor.liveMatches;
    expect(live()).toBe(0);
    expect(live(say('play'), say('break', 2))).toBe(2);
    expect(live(say('play'), say('over'))).toBe(0);
    const { topic } = played(say('over'), say('play', 2), wait(100), say('over', 2), wait(100));
    expect([...topic.keys()]).toEqual(['webhook/2', 'webhook']);
    expect(topic.get('webhook/2')).toMatchObject({ state: 'ended', heard_at: BEGIN + 100 });
  });

  test('is deleted once, a day after it ended under its last source', () => {
    const match = played(say('play'), say('play', 1, 0, 'feed'), say('over'), APPLY, wait(100));
    const ended = match.now;
    match.now = ended + KEEP_ENDED_MS - 1;
    expect(deletedAt(match.monitor, match.now)).toEqual([]);
    match.now = ended + KEEP_ENDED_MS;
    expect(deletedAt(match.monitor, match.now)).toEqual(['webhook/1', 'feed/1']);
    expect(match.monitor.tick(match.now).filter(({ key }) => key.includes('/'))).toEqual([]);
    // A match that was not deleted would reject a status as old as its own.
    const now = message({ received_at: match.now, content_at: match.now });
    match.monitor.receive(now, { partition: 0, offset: 9 }, match.now);
    expect(match.monitor.liveMatches).toBe(1);
  });

  test('stays while it ended less than a day ago under another source', () => {
    const monitor = monitorAt();
    const record = { ...restored({ state: 'ended' }), since: BEGIN - KEEP_ENDED_MS };
    for (const changes of [{}, { source: 'feed', since: BEGIN }, { event_id: 2, state: 'alive' as const }])
      monitor.restore({ ...record, ...changes }, BEGIN);
    expect(deletedAt(monitor, BEGIN)).toEqual(['webhook/1']);
    expect(deletedAt(monitor, BEGIN + KEEP_ENDED_MS)).toEqual(['feed/1']);
  });
});

const RUNNING = { status_id: 33, status_type: 'live', clock_status: 'running' };
const IN_PLAY = eventMessage(BEGIN / 1_000, RUNNING);

function message(changes: Partial<NormalizedMessage> = {}): NormalizedMessage {
  return { ...IN_PLAY, origin: 'webhook', event_id: 1, received_at: BEGIN, content_at: BEGIN, ...changes };
}

/** Returns a monitor of two partitions: events with odd ids are in the second. */
function monitorAt(): HealthMonitor {
  return new HealthMonitor({ ...LIMITS, term: 2, partitionOf: (id) => id % 2 });
}

/** Returns the record that a previous monitor wrote of match 1, whose clock runs. */
function restored(changes: Partial<FeedHealth> = {}): FeedHealth {
  const ofMatch = played(say('play'), APPLY, wait(100)).topic.get('webhook/1');
  if (ofMatch === undefined) throw new Error('there is no record of the match');
  return { ...ofMatch, ...changes };
}

const recordOf = (monitor: HealthMonitor, key: string, now: number) =>
  monitor.tick(now).find((one) => one.key === key)?.value;

describe('times ahead of the clock count as now', () => {
  const ahead = BEGIN + 60_000;

  test('of a message', () => {
    const monitor = monitorAt();
    monitor.receive(message({ received_at: ahead }), { partition: 1, offset: 0 }, BEGIN);
    const published = monitor.tick(BEGIN).flatMap(({ value }) => [value?.heard_at, value?.since]);
    expect(published).toEqual(Array(4).fill(BEGIN));
  });

  test('of a record of a match, or of a source', () => {
    const times = { since: ahead, heard_at: ahead };
    for (const key of ['webhook/1', 'webhook'])
      expect(recordOf(monitorWith(times, key), key, BEGIN)).toMatchObject({ since: BEGIN, heard_at: BEGIN });
  });

  test('of a report', () => {
    const monitor = monitorAt();
    monitor.report(ingressStatus({ heard_at: ahead, written_at: ahead }), BEGIN);
    expect(recordOf(monitor, 'webhook', BEGIN)).toMatchObject({ since: BEGIN, heard_at: BEGIN });
  });
});

/** Returns a monitor that restored the record of a key with these changes, and the record of the source. */
function monitorWith(changes: Partial<FeedHealth>, key: string): HealthMonitor {
  const monitor = monitorAt();
  monitor.restore(restored({ event_id: null, reports: [] }), BEGIN);
  const ofSource = key.includes('/') ? {} : { event_id: null, reports: [] };
  monitor.restore(restored({ ...changes, ...ofSource }), BEGIN);
  return monitor;
}

describe('a record of the previous monitor', () => {
  test('keeps its gaps', () => {
    const published = { published_from: null, published_to: null };
    const gaps = [{ from: BEGIN - 9, to: BEGIN - 8, reason: 'silence', action: 'none', ...published }];
    for (const key of ['webhook/1', 'webhook']) {
      const monitor = monitorWith({ gaps, gap_count: 3 }, key);
      expect(recordOf(monitor, key, BEGIN)).toMatchObject({ gaps, gap_count: 3, term: 2 });
    }
  });

  test('belongs to the partition of its match', () => {
    const monitor = monitorAt();
    monitor.begin(1, { applied: 4, readFrom: 5, at: BEGIN - 6_000 });
    monitor.restore(restored({ event_id: null, reports: [] }), BEGIN);
    monitor.restore(restored(), BEGIN);
    monitor.restore(restored({ event_id: 2 }), BEGIN);
    expect(recordOf(monitor, 'webhook/1', BEGIN)).toMatchObject({ state: 'down', reason: 'backlog' });
    expect(recordOf(monitor, 'webhook/2', BEGIN)).toBeUndefined();
    for (const key of ['webhook/2', 'webhook/3', 'feed']) monitor.rewrite(key);
    expect(recordOf(monitor, 'webhook/2', BEGIN)).toMatchObject({ state: 'alive' });
  });

  test('stays beside the records of other sources of the match', () => {
    const monitor = monitorAt();
    monitor.restore(restored({ event_id: null, reports: [] }), BEGIN);
    monitor.restore(restored(), BEGIN);
    monitor.restore(restored({ source: 'feed' }), BEGIN);
    monitor.restore(restored({ source: 'feed', event_id: null, reports: [] }), BEGIN);
    expect(monitor.tick(BEGIN).map(({ key }) => key)).toEqual(['webhook/1', 'webhook', 'feed/1', 'feed']);
  });
});

describe('a time in which no record of a source was valid', () => {
  const begun = [say('play'), APPLY, wait(1_000)];
  const validUntil = (match: PlayedMonitor) => match.topic.get('webhook')?.valid_until ?? 0;
  const gapsOf = ({ topic }: PlayedMonitor) => ['webhook', 'webhook/1'].map((key) => topic.get(key)?.gaps);
  const gap = (from: number, to: number) => [expect.objectContaining({ from, to, reason: 'monitor' })];

  test('is a gap of the source and its matches, once, however late the next record is', () => {
    for (const lateMs of [1, 10_000]) {
      const match = played(...begun);
      const until = validUntil(match);
      match.now = until + lateMs;
      match.tick();
      match.do(wait(3_000));
      expect(gapsOf(match)).toEqual([gap(until, until + lateMs), gap(until, until + lateMs)]);
      expect(match.topic.get('webhook')).toMatchObject({ state: 'alive', gap_count: 1 });
      expect(match.log.filter(({ event_id }) => event_id !== null)).toHaveLength(2);
    }
  });

  test('is none where the next record came in time, in the last millisecond too', () => {
    const match = played(...begun);
    match.now = validUntil(match);
    match.tick();
    match.do(wait(3_000));
    expect(gapsOf(match)).toEqual([[], []]);
  });

  test('is a gap after a restart, from the end of the former record on', () => {
    const match = played(...begun);
    const until = validUntil(match);
    match.do({ kind: 'restart', ms: 10_000 });
    match.do(wait(300));
    const first = match.log.find(({ term }) => term === 2)?.written_at ?? 0;
    expect(gapsOf(match)).toEqual([gap(until, first), gap(until, first)]);
  });

  test('lasts until a record is written: one that was not is none', () => {
    const match = played(...begun);
    const until = validUntil(match);
    match.now = until + 1_000;
    match.tick();
    match.monitor.rewrite('webhook');
    match.now = until + 2_000;
    match.tick();
    expect(gapsOf(match)).toEqual([[], []]);
    match.do(wait(1_000));
    expect(gapsOf(match)).toEqual([gap(until, until + 2_000), gap(until, until + 2_000)]);
  });
});

describe('what is due first', () => {
  const due = (...actions: readonly Action[]) => played(...actions).monitor.due - BEGIN;

  test('is nothing while no clock runs and nobody reports', () => {
    for (const actions of [[say('over')], [say('break'), wait(100)], [say('play'), APPLY, wait(25_000)]])
      expect(due(...actions)).toBe(Number.POSITIVE_INFINITY);
  });

  test('is the next report of an ingress service', () => {
    expect(due(say('break'), report('up'), APPLY, wait(1_000))).toBe(REPORTS_WITHIN_MS);
  });

  test('is the silence of a match, also where another one of its source was heard later', () => {
    const second = [wait(5_000), say('play', 2), APPLY, wait(100)];
    for (const later of [[], [APPLY, ...second]])
      expect(due(say('play'), ...later)).toBe(LIMITS.staleAfterMs);
  });

  test('is the silence of a source whose match in play is already silent', () => {
    const later = [wait(15_000), say('break', 2), APPLY, wait(6_000)];
    expect(due(say('play'), say('break', 2), APPLY, ...later)).toBe(15_000 + LIMITS.staleAfterMs);
  });
});

describe('partitions', () => {
  test('must all be read before silence is blamed on a source', () => {
    const monitor = monitorAt();
    monitor.receive(message({ event_id: 2 }), { partition: 0, offset: 0 }, BEGIN);
    monitor.receive(message(), { partition: 1, offset: 0 }, BEGIN);
    for (const partition of [0, 1]) monitor.applied(partition, 1);
    const due = BEGIN + LIMITS.staleAfterMs;
    monitor.messagesRead(0, due + 1_000);
    expect(recordOf(monitor, 'webhook', due + 1_000)).toMatchObject({ state: 'down', reason: 'backlog' });
    monitor.messagesRead(1, due + 1_000);
    expect(recordOf(monitor, 'webhook', due + 1_000)).toMatchObject({ state: 'stale', reason: 'silence' });
  });

  test('without an applied record begin at their first message', () => {
    const monitor = monitorAt();
    monitor.receive(message(), { partition: 1, offset: 0 }, BEGIN);
    expect(recordOf(monitor, 'webhook/1', BEGIN + 4_999)).toMatchObject({ state: 'alive' });
    expect(recordOf(monitor, 'webhook/1', BEGIN + 5_000)).toMatchObject({ state: 'down', reason: 'backlog' });
    monitor.receive(message({ received_at: BEGIN + 5_001 }), { partition: 1, offset: 1 }, BEGIN + 5_001);
    monitor.applied(1, 1);
    expect(recordOf(monitor, 'webhook/1', BEGIN + 5_001)).toMatchObject({ state: 'recovered' });
  });
});

test('the record of a believed source has the failure of its last read at once, also after a restart', () => {
  const monitor = played(report('up'), say('play'), APPLY, wait(1_100));
  const failing = ingressStatus({ reason: 'network', written_at: monitor.now });
  monitor.monitor.report(failing, monitor.now);
  monitor.do(wait(100));
  expect(monitor.topic.get('webhook')).toMatchObject({ state: 'alive', reason: 'network' });
  const next = new HealthMonitor({ ...LIMITS, term: 9, partitionOf: () => 0 });
  for (const record of monitor.topic.values()) next.restore(record, monitor.now);
  expect(next.tick(monitor.now).map(({ value }) => value?.reason)).toEqual([null, null]);
});
