import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Kafka } from '#embedded/kafka.ts';
import { HealthReader } from '../../integration/feed-monitor/health-reader.ts';
import { LiveFeed, startMonitor } from '../../integration/feed-monitor/support.ts';
import { backbone } from '../../setup/backbone.ts';
import { FAULT_TIMEOUT_MS, machineLoad, times } from '../../support/harness.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { seeded } from '../../support/seed.ts';

const connection = backbone();
const MATCHES = Array.from({ length: times(100, 10) }, (_, index) => 5_000 + index);
/** Staleness limit; the default in the long variant. */
const STALE_MS = times(20_000, 5_000);
/** Period in which all feeds are cut, each at a different time. */
const CUTS_MS = times(60_000, 8_000);
const WARM_MS = times(10_000, 2_000);
/** Time between the messages of a match. */
const MESSAGE_INTERVAL_MS = times(100, 250);
const KILLS = times(4, 1);
const RESTARTS = times(2, 1);
const WITHIN_MS = 1_000;
/** Time after which readers must have a record of the broker. */
const KNOWN_MS = 500;

/** Records get the broker's timestamp: their time of publication, independent of readers. */
const APPEND_TIME = { 'log.message.timestamp.type': 'LogAppendTime' };

/** A period without a broker, Unix milliseconds; the old broker acknowledges nothing after `killed`. */
type Outage = { readonly from: number; readonly killed: number; readonly to: number };

test(
  `${MATCHES.length} matches cut while processors are killed and the broker restarts: each stale in a second, none falsely`,
  async () => {
    const { kafka, directBrokers: brokers } = await restartableKafka(APPEND_TIME);
    const own = { ...connection, brokers };
    const pipeline = await Pipeline.create(own);
    const processors = [pipeline.startProcessor(), pipeline.startProcessor()];
    const monitor = startMonitor(own, { STALE_AFTER_MS: String(STALE_MS) });
    await Promise.all([...processors, monitor].map((process) => process.ready()));
    const [feed, reader] = [await LiveFeed.open(own), await HealthReader.open(own)];
    const random = seeded();

    const begin = Date.now() + WARM_MS;
    const cutAt = new Map(MATCHES.map((eventId) => [eventId, begin + random() * CUTS_MS]));
    const playing = feed.play(MATCHES, MESSAGE_INTERVAL_MS, (eventId) => cutAt.get(eventId) ?? 0);
    await delay(WARM_MS);
    const disturbances = await disturb(pipeline, processors, kafka, random);
    await playing;
    // The broker is back once it acknowledges the feed again, which retries all the time.
    const outages = disturbances.map((outage) => {
      const stored = feed.sent.flatMap(({ storedAt }) => storedAt ?? []);
      const again = Math.min(...stored.filter((at) => at > outage.killed));
      return { ...outage, to: Number.isFinite(again) ? Math.max(outage.to, again) : outage.to };
    });
    await untilTrue('all of them are stale', () =>
      MATCHES.every((eventId) => reader.latest('webhook', eventId)?.state === 'stale'),
    );

    const judged = MATCHES.map((eventId) => {
      const due = feed.heardAt(eventId) + STALE_MS;
      // Nothing can be published without a broker, so the time counts from its return.
      const outage = outages.find(({ from, to }) => due >= from - WITHIN_MS && due <= to);
      const published = reader.seen.filter(({ record }) => record.event_id === eventId);
      // After this record no record confirms the match.
      const lastGood = published.findLastIndex(
        ({ record: { state } }) => state === 'alive' || state === 'recovered',
      );
      const publishedAt = published[lastGood + 1]?.timestamp ?? Number.POSITIVE_INFINITY;
      return {
        eventId,
        inOutage: outage !== undefined,
        publishedMs: publishedAt - (outage?.to ?? due),
        believedMs: (reader.notBelievedSince(eventId) ?? Number.POSITIVE_INFINITY) - due,
      };
    });
    const falsely = reader.seen.filter(({ record: { event_id, state, since }, at }) => {
      if (event_id === null || state !== 'stale') return false;
      return feed.sent.some(
        ({ eventId, receivedAt, storedAt }) =>
          eventId === event_id &&
          receivedAt > since - STALE_MS &&
          receivedAt < since &&
          storedAt !== null &&
          storedAt < at - KNOWN_MS,
      );
    });
    const [without, within] = [false, true].map((inOutage) =>
      spread(judged.filter((match) => match.inOutage === inOutage).map(({ publishedMs }) => publishedMs)),
    );
    process.stderr.write(
      `${JSON.stringify({
        matches: judged.length,
        messages: feed.sent.length,
        outages: outages.map(({ from, to }) => to - from),
        publishedAfterDueMs: without,
        publishedAfterOutageMs: within,
        believedAfterDueMs: spread(judged.map(({ believedMs }) => believedMs)),
        expired: reader.expiredOutside(outages.map(({ from, to }) => ({ from, to: to + WITHIN_MS }))),
        falsely: falsely.length,
        backlog: reader.seen.filter(({ record }) => record.reason === 'backlog').length,
      })}\n`,
    );
    expect(
      judged.filter(({ publishedMs }) => publishedMs > WITHIN_MS),
      machineLoad(),
    ).toEqual([]);
    expect(
      judged.filter(({ believedMs }) => believedMs > WITHIN_MS),
      machineLoad(),
    ).toEqual([]);
    expect(falsely).toEqual([]);
  },
  FAULT_TIMEOUT_MS,
);

/** Kills processors and restarts the broker while the feeds are cut. Returns the periods without a broker. */
async function disturb(
  pipeline: Pipeline,
  processors: TestService[],
  kafka: Kafka,
  random: () => number,
): Promise<Outage[]> {
  const outages: Outage[] = [];
  const steps = [...Array<'kill'>(KILLS).fill('kill'), ...Array<'restart'>(RESTARTS).fill('restart')].sort(
    () => random() - 0.5,
  );
  for (const step of steps) {
    await delay((random() * CUTS_MS) / steps.length);
    if (step === 'kill') {
      const at = Math.floor(random() * processors.length);
      await processors[at]?.kill();
      processors[at] = pipeline.startProcessor();
    } else {
      const from = Date.now();
      await kafka.kill('SIGKILL');
      const killed = Date.now();
      await kafka.start();
      outages.push({ from, killed, to: Date.now() });
    }
  }
  return outages;
}

/** Returns minimum, median, 95th and 99th percentile, and maximum; null without values. */
function spread(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number | undefined => sorted[Math.floor(part * (sorted.length - 1))];
  return sorted.length === 0
    ? null
    : { count: sorted.length, least: at(0), p50: at(0.5), p95: at(0.95), p99: at(0.99), most: at(1) };
}
