import { HealthMonitor } from '#domain/health/monitor.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { type Bench, median } from './context.ts';
import { sizeOf } from './size.ts';

const MATCHES = sizeOf('BENCH_MATCHES', 20_000, 100);
const EVALUATIONS = sizeOf(null, 50, 2);
const SOURCES = ['webhook', 'feed'];
const PARTITIONS = 8;
const BEGIN = 1_790_000_000_000;
/** Interval of the feed monitor's evaluations, milliseconds. */
const EVERY_MS = 100;
/**
 * The feed monitor pauses nine times as long as an evaluation took, at most 400 ms: longer evaluations take more than a
 * tenth of a core.
 */
const LIMIT_MS = 400 / 9;
const LIVE = ['{"status_id":33,"status_type":"live"}', '{"clock_status":"running"}'];

/** Measures an evaluation of feed health over all live matches while nothing changes, as most of the time. */
export const bench: Bench = {
  about: 'processor time of one look of the feed monitor at 20,000 live matches of two sources',
  subject: ['libs/domain/health'],
  async run(context) {
    const monitor = new HealthMonitor({
      term: 1,
      partitionOf: (eventId) => eventId % PARTITIONS,
      staleAfterMs: 90_000,
      keepAliveAfterMs: 90_000,
      backlogAfterMs: 10_000,
    });
    for (let partition = 0; partition < PARTITIONS; partition++)
      monitor.begin(partition, { applied: MATCHES, readFrom: 0, at: BEGIN });
    for (let match = 0; match < MATCHES; match++) {
      for (const origin of SOURCES) {
        const message = { ...sampleOf('normalized-messages'), event_id: match, event_fields: LIVE };
        const position = { partition: match % PARTITIONS, offset: match };
        monitor.receive({ ...message, origin, received_at: BEGIN, ut: BEGIN / 1_000 }, position, BEGIN);
      }
    }
    if (monitor.liveMatches !== MATCHES) throw new Error(`${monitor.liveMatches} matches are live`);
    const times: number[] = [];
    let published = 0;
    for (let look = 1; look <= EVALUATIONS; look++) {
      const now = BEGIN + look * EVERY_MS;
      for (let partition = 0; partition < PARTITIONS; partition++) monitor.messagesRead(partition, now);
      const { user } = process.cpuUsage();
      published += monitor.tick(now).length;
      times.push((process.cpuUsage().user - user) / 1_000);
    }
    context.print(
      `${MATCHES} matches, ${EVALUATIONS} looks: ${published} records, the first look ${times[0]} ms`,
    );
    context.figure({
      name: `a look at ${MATCHES} live matches`,
      unit: 'ms',
      ours: median(times.slice(1)),
      beside: { name: 'limit', value: LIMIT_MS },
      better: 'less',
      target: 1,
    });
  },
};
