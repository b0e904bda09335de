import { beforeAll, describe, expect, test } from 'vitest';
import type { FeedHealth } from '#topics/generated/types.ts';
import { backbone } from '../../setup/backbone.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { HealthReader } from './health-reader.ts';
import { LiveFeed, startMonitor } from './support.ts';

const STALE_MS = 3_000;
const LIMITS = { STALE_AFTER_MS: String(STALE_MS), BACKLOG_AFTER_MS: '4000' };
const [CUT, ALIVE, BEHIND] = [11, 12, 13];

/** One system for all of these: a match that was cut, one that is played on, one that waits for a processor. */
describe('feed-health', () => {
  const place = backbone();
  let pipeline: Pipeline;
  let processor: TestService;
  let monitors: TestService[];
  let feed: LiveFeed;
  let reader: HealthReader;
  let playing: Promise<void>;
  const end = { at: Number.POSITIVE_INFINITY };

  beforeAll(async () => {
    pipeline = await Pipeline.create(place);
    processor = pipeline.startProcessor();
    monitors = [startMonitor(place, LIMITS), startMonitor(place, LIMITS)];
    feed = await LiveFeed.open(place);
    await Promise.all([processor, ...monitors].map((process) => process.ready()));
    reader = await HealthReader.open(place);
    feed.keepReporting(1_000);
    await feed.report('up');
    await feed.say(CUT);
    playing = feed.play([ALIVE], 300, () => end.at);
    return async () => {
      end.at = 0;
      await playing;
    };
  });

  test('says that a match is stale within a second of being due, and believes the one that is played', async () => {
    await untilTrue('it is believed', () => reader.belief(ALIVE).believed);
    const due = feed.heardAt(CUT) + STALE_MS;
    const stale = await until('it is stale', () =>
      reader.seen.find(({ record }) => record.event_id === CUT && record.state === 'stale'),
    );
    expect(stale.record.since).toBe(due);
    expect(stale.at - due).toBeLessThan(1_000);
    expect(reader.belief(ALIVE).believed).toBe(true);
    expect(reader.belief(CUT)).toMatchObject({ believed: false, state: 'stale', reason: 'silence' });
  });

  test('says what an ingress service reports, recovers with it, and keeps the gap', async () => {
    await feed.report('down', { reason: 'credentials' });
    await untilTrue('all of it is down', () => reader.latest('webhook', ALIVE)?.reason === 'credentials');
    expect(reader.belief(ALIVE)).toMatchObject({ believed: false, state: 'down' });
    const progress = { from: 1_790_000_000, position: 1_790_000_100, to: 1_790_000_400 };
    await feed.report('recovering', { reason: 'network', progress });
    await untilTrue('it recovers', () => reader.latest('webhook')?.state === 'recovering');
    expect(reader.latest('webhook')?.progress).toEqual(progress);
    await feed.report('up');
    await untilTrue('it is believed again', () => reader.belief(ALIVE).believed);
    const gaps = reader.latest('webhook')?.gaps;
    expect(gaps).toContainEqual(expect.objectContaining({ reason: 'credentials', action: 'caught_up' }));
  });

  test('goes on from the topic when it is killed: nobody believes it meanwhile, no gap is lost, the cut match is never alive', async () => {
    const before = reader.latest('webhook', CUT)?.gap_count ?? 0;
    expect(before).toBeGreaterThan(0);
    const term = reader.latest('webhook')?.term ?? 0;
    const leads = await Promise.all(monitors.map((monitor) => monitor.metric('touchline_monitor_leader')));
    expect(leads.toSorted()).toEqual([0, 1]);
    const [seen, killedAt] = [reader.seen.length, Date.now()];
    await monitors[leads.indexOf(1)]?.kill();
    await untilTrue('nothing is believed', () => !reader.belief(ALIVE).believed);
    expect(Date.now() - killedAt).toBeLessThan(6_000);
    await untilTrue('the other one judges', () => reader.belief(ALIVE).believed);
    expect(reader.latest('webhook')?.term).toBeGreaterThan(term);
    const ofCut = reader.seen.slice(seen).filter(({ record }) => record.event_id === CUT);
    expect(new Set(ofCut.map(({ record }) => record.state))).not.toContain('alive');
    expect(reader.latest('webhook', CUT)?.gap_count).toBeGreaterThanOrEqual(before);
  });

  test('overwrites what a former monitor still publishes, and ends its term where another publishes in a later one', async () => {
    const record = await until('it is judged', () => reader.latest('webhook', ALIVE));
    const [before, seen] = [{ from: 0, to: Date.now() }, reader.seen.length];
    const isFormer = (one: FeedHealth) => one.event_id === ALIVE && one.term === record.term - 1;
    await feed.publishHealth({ ...record, state: 'stale', term: record.term - 1 });
    // It may be there for a few milliseconds alone.
    await untilTrue('the former one is read', () =>
      reader.seen.slice(seen).some((one) => isFormer(one.record)),
    );
    expect(reader.expiredOutside([before])).toBeGreaterThan(0);
    await untilTrue('it is overwritten', () => reader.belief(ALIVE).believed);
    const later = record.term + 10;
    await feed.publishHealth({ ...record, source: 'another', event_id: null, term: later });
    await untilTrue('it judges in a later term', () => (reader.latest('webhook')?.term ?? 0) > later);
    await untilTrue('it is believed again', () => reader.belief(ALIVE).believed);
  });

  test('counts our own delay: a match waits for a processor that is down', async () => {
    await processor.kill();
    const playingToo = feed.play([BEHIND], 200, () => end.at);
    await untilTrue('it is behind', () => reader.latest('webhook', ALIVE)?.reason === 'backlog');
    expect(reader.belief(ALIVE)).toMatchObject({ believed: false, state: 'down', reason: 'backlog' });
    processor = pipeline.startProcessor();
    await untilTrue('it is applied', () => reader.belief(ALIVE).believed && reader.belief(BEHIND).believed);
    expect(reader.latest('webhook', ALIVE)?.gaps.at(-1)).toMatchObject({ action: 'caught_up' });
    end.at = 0;
    await Promise.all([playing, playingToo]);
  });

  test('shows its state in its metrics, and ends matches that are over', async () => {
    await feed.say(ALIVE, { status_id: 11, status_type: 'finished', clock_status: 'stopped' });
    await untilTrue('it has ended', () => reader.latest('webhook', ALIVE)?.state === 'ended');
    const monitor = monitors.find(({ exited }) => !exited);
    expect(await monitor?.metric('touchline_feed_matches', 'state="ended"')).toBe(1);
    expect(await monitor?.metric('touchline_monitor_leader')).toBe(1);
    expect(await monitor?.stop()).toBe(0);
  });
});
