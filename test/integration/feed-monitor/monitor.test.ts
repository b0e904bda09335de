import { beforeAll, describe, expect, test } from 'vitest';
import { eventMessage } from '#ingestion/testing/messages.ts';
import type { FeedHealth } from '#records/types.ts';
import { backbone } from '../../setup/backbone.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { deliverBytes, deliverSigned, startReceiver } from '../../support/system.ts';
import { HealthReader } from './health-reader.ts';
import { BEGAN, LiveFeed, startMonitor } from './support.ts';

const STALE_MS = 3_000;
const LIMITS = { STALE_AFTER_MS: String(STALE_MS), BACKLOG_AFTER_MS: '4000' };
const [CUT, ALIVE] = [11, 12];

/** One system for all tests: the messages of one match end, those of the other continue. */
describe('feed-health', () => {
  const connection = backbone();
  let monitors: TestService[];
  let feed: LiveFeed;
  let reader: HealthReader;
  let playing: Promise<void>;
  const end = { at: Number.POSITIVE_INFINITY };

  beforeAll(async () => {
    const pipeline = await Pipeline.create({
      ...connection,
      services: ['webhook-receiver', 'match-processor', 'feed-monitor'],
    });
    const processor = pipeline.startProcessor();
    monitors = [startMonitor(connection, LIMITS), startMonitor(connection, LIMITS)];
    feed = await LiveFeed.open(connection);
    await Promise.all([processor, ...monitors].map((process) => process.ready()));
    reader = await HealthReader.open(connection);
    feed.keepReporting(1_000);
    await feed.report();
    await feed.say(CUT);
    playing = feed.play([ALIVE], 300, () => end.at);
    return async () => {
      end.at = 0;
      await playing;
    };
  });

  test('reports a match as stale within a second of being due, and the other as alive', async () => {
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

  test('is continued by the other monitor when the leader is killed: nothing is believed meanwhile, no gap is lost, the stale match is never alive', async () => {
    const before = reader.latest('webhook', CUT)?.gap_count ?? 0;
    expect(before).toBeGreaterThan(0);
    const term = reader.latest('webhook')?.term ?? 0;
    const leads = await Promise.all(monitors.map((monitor) => monitor.metric('touchline_monitor_leader')));
    expect(leads.toSorted()).toEqual([0, 1]);
    const [seen, killedAt] = [reader.seen.length, Date.now()];
    await monitors[leads.indexOf(1)]?.kill();
    await untilTrue('nothing is believed', () => !reader.belief(ALIVE).believed);
    expect(Date.now() - killedAt).toBeLessThan(6_000);
    await untilTrue('the other monitor leads', () => reader.belief(ALIVE).believed);
    expect(reader.latest('webhook')?.term).toBeGreaterThan(term);
    const ofCut = reader.seen.slice(seen).filter(({ record }) => record.event_id === CUT);
    expect(new Set(ofCut.map(({ record }) => record.state))).not.toContain('alive');
    expect(reader.latest('webhook', CUT)?.gap_count).toBeGreaterThanOrEqual(before);
  });

  test('overwrites records of an earlier term, and begins a new term when another monitor publishes in a later one', async () => {
    const record = await until('the match has a record', () => reader.latest('webhook', ALIVE));
    const [before, seen] = [{ from: 0, to: Date.now() }, reader.seen.length];
    const isFormer = (one: FeedHealth) => one.event_id === ALIVE && one.term === record.term - 1;
    await feed.publishHealth({ ...record, state: 'stale', term: record.term - 1 });
    // It may be the last record for a few milliseconds only.
    await untilTrue('the record of the earlier term is read', () =>
      reader.seen.slice(seen).some((one) => isFormer(one.record)),
    );
    expect(reader.expiredOutside([before])).toBeGreaterThan(0);
    await untilTrue('it is overwritten', () => reader.belief(ALIVE).believed);
    const later = record.term + 10;
    await feed.publishHealth({ ...record, source: 'another', event_id: null, term: later });
    await untilTrue('it publishes in a later term', () => (reader.latest('webhook')?.term ?? 0) > later);
    await untilTrue('it is believed again', () => reader.belief(ALIVE).believed);
  });

  test('believes no match of a source whose last three messages cannot be read, until enough are read', async () => {
    const { url } = await startReceiver(connection);
    const readable = (id: number) => eventMessage({ id, ut: BEGAN }, { id: ALIVE });
    expect((await deliverSigned(url, [readable(1)])).status).toBe(200);
    for (const bytes of [Buffer.from([0xff, 0xfe]), Buffer.from('[{"id": 1'), Buffer.from('"goal"')])
      expect((await deliverBytes(url, bytes)).status).toBe(200);
    await untilTrue('it is not believed', () => !reader.belief(ALIVE).believed);
    expect(reader.belief(ALIVE)).toMatchObject({ state: 'down', reason: 'unreadable_messages' });
    // One that is read ends the row; three of a minute are too many until they are fewer than a tenth.
    const many = Array.from({ length: 27 }, (_, n) => readable(2 + n));
    expect((await deliverSigned(url, many)).status).toBe(200);
    await untilTrue('it is believed again', () => reader.belief(ALIVE).believed);
  });

  test('ends matches that are over, and shows its state in metrics', async () => {
    end.at = 0;
    await playing;
    await feed.say(ALIVE, { status_id: 11, status_type: 'finished', clock_status: 'stopped' });
    await untilTrue('it has ended', () => reader.latest('webhook', ALIVE)?.state === 'ended');
    const monitor = monitors.find(({ exited }) => !exited);
    expect(await monitor?.metric('touchline_feed_matches', 'state="ended"')).toBe(1);
    expect(await monitor?.metric('touchline_monitor_leader')).toBe(1);
    expect(await monitor?.stop()).toBe(0);
  });
});
