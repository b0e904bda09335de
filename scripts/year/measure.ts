/** What grows in a year: files, bytes, memory, metric series, lag. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TOPIC_NAMES, TOPICS, type TopicName } from '#topics/topics.ts';
import { metricValue } from '../../test/support/metric-value.ts';
import { ask } from './ask.ts';
import type { YearService, YearSystem } from './system.ts';

/** A measurement of the whole system. Sizes are in bytes. */
export type Sample = {
  /** Time of the played year, Unix milliseconds. */
  readonly at: number;
  /** Matches played so far. */
  readonly matches: number;
  readonly files: number;
  readonly brokerBytes: number;
  /** Bytes on the broker by topic. */
  readonly topicBytes: Readonly<Record<string, number>>;
  /** Files of segments by topic: a partition begins a segment every seven days, of four files. */
  readonly topicFiles: Readonly<Record<string, number>>;
  readonly viewBytes: number;
  readonly logBytes: number;
  readonly services: Readonly<Record<string, ServiceSample>>;
};

type ServiceSample = {
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly series: number;
};

/** How long it took until everything that was delivered was served and sent, in real milliseconds, after a match day. */
export type LagSample = { readonly at: number; readonly settledMs: number };

/** Measures the system now. */
export async function measure(system: YearSystem, at: number, matches: number): Promise<Sample> {
  const kafka = join(system.kafkaFolder, 'data');
  const topicBytes: Record<string, number> = {};
  let brokerBytes = 0;
  const topicFiles: Record<string, number> = {};
  for (const { path, bytes } of filesIn(kafka)) {
    brokerBytes += bytes;
    const topic = /^(.+)-\d+(?:\.[0-9a-f]+-delete)?\//.exec(path)?.[1];
    if (topic === undefined) continue;
    topicBytes[topic] = (topicBytes[topic] ?? 0) + bytes;
    topicFiles[topic] = (topicFiles[topic] ?? 0) + 1;
  }
  const data = filesIn(system.dataDir);
  const sum = (of: (path: string) => boolean): number =>
    data.reduce((total, { path, bytes }) => total + (of(path) ? bytes : 0), 0);
  const services = await Promise.all(
    system.services().map(async (service) => [service.name, await sampleOf(service)] as const),
  );
  return {
    at,
    matches,
    files: filesIn(system.kafkaFolder).length + filesIn(join(system.folder, 'registry')).length + data.length,
    brokerBytes,
    topicBytes,
    topicFiles,
    viewBytes: sum((path) => /^(api|tool-gateway)\//.test(path)),
    logBytes: sum((path) => path.startsWith('logs/')),
    services: Object.fromEntries(services),
  };
}

async function sampleOf({ pid, metricsUrl }: YearService): Promise<ServiceSample> {
  const metrics = await metricsOf(metricsUrl);
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    rssBytes: Number(rss) * 1_024,
    heapBytes: metricValue(metrics, 'nodejs_heap_size_used_bytes'),
    series: metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length,
  };
}

export async function metricsOf(url: string): Promise<string> {
  const { status, body } = await ask(url);
  if (status !== 200) throw new Error(`${url} answers ${status}`);
  return body;
}

/** Lists the files below a folder with their sizes on disk; those that are deleted meanwhile are left out. */
function filesIn(folder: string): { readonly path: string; readonly bytes: number }[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const path = join(entry.parentPath, entry.name);
    const stat = statSync(path, { throwIfNoEntry: false });
    // Kafka preallocates indexes: what counts is what the disk holds.
    return stat === undefined ? [] : [{ path: path.slice(folder.length + 1), bytes: stat.blocks * 512 }];
  });
}

/** A rule of growth with what was measured. */
export type GrowthFinding = {
  readonly what: string;
  readonly second: number;
  readonly last: number;
  readonly limit: number;
  readonly isFlat: boolean;
};

const QUARTER = 1 / 4;
const DAY = 86_400_000;

/** Compares the last quarter of the year with the second one, when caches are full and topics have reached their retention. */
export function judgeGrowth(samples: readonly Sample[], lags: readonly LagSample[]): GrowthFinding[] {
  const first = samples[0]?.at ?? 0;
  const span = (samples.at(-1)?.at ?? 0) - first;
  const quarter = <T extends { readonly at: number }>(of: readonly T[], n: number): T[] =>
    of.filter(({ at }) => at >= first + n * QUARTER * span && at <= first + (n + 1) * QUARTER * span);
  const compare = (
    what: string,
    factor: number,
    slack: number,
    value: (sample: Sample) => number,
  ): GrowthFinding => {
    const second = median(quarter(samples, 1).map(value));
    const last = median(quarter(samples, 3).map(value));
    return finding(what, second, last, second * factor + slack);
  };
  const MIB = 1024 * 1024;
  const names = Object.keys(samples.at(-1)?.services ?? {});
  const perMatch = (bytes: number, { matches }: Sample): number => bytes / Math.max(1, matches);
  return [
    ...names.flatMap((name) => [
      compare(`memory of ${name}`, 1.25, 16 * MIB, ({ services }) => services[name]?.rssBytes ?? 0),
      compare(`heap of ${name}`, 1.25, 16 * MIB, ({ services }) => services[name]?.heapBytes ?? 0),
      compare(`metric series of ${name}`, 1.1, 10, ({ services }) => services[name]?.series ?? 0),
    ]),
    ...PASSING.map((topic) => {
      const peak = (n: number): number =>
        Math.max(0, ...quarter(samples, n).map(({ topicBytes }) => topicBytes[`touchline.${topic}`] ?? 0));
      return finding(`largest size of ${topic}`, peak(1), peak(3), peak(1) * 1.25 + MIB);
    }),
    compare('bytes of views for a match', 1.1, 1_024, (sample) => perMatch(sample.viewBytes, sample)),
    compare('bytes of normalized-messages for a match', 1.1, 1_024, (sample) =>
      perMatch(sample.topicBytes['touchline.normalized-messages'] ?? 0, sample),
    ),
    finding(
      'bytes of logs in a day',
      rate(quarter(samples, 1), ({ logBytes }) => logBytes),
      rate(quarter(samples, 3), ({ logBytes }) => logBytes),
      rate(quarter(samples, 1), ({ logBytes }) => logBytes) * 1.5 + 4_096,
    ),
    compare(
      'files, without those of topics that keep over a year',
      1.25,
      50,
      (sample) => sample.files - keptFiles(sample),
    ),
    finding(
      'files of topics that keep over a year, in a day',
      rate(quarter(samples, 1), keptFiles),
      rate(quarter(samples, 3), keptFiles),
      rate(quarter(samples, 1), keptFiles) * 1.5 + 1,
    ),
    (() => {
      const second = median(quarter(lags, 1).map(({ settledMs }) => settledMs));
      const last = median(quarter(lags, 3).map(({ settledMs }) => settledMs));
      return finding('time until a match day is served, ms', second, last, second * 1.5 + 500);
    })(),
  ];
}

/** Topics whose segments expire after more than a year, so that their number grows until then. */
const KEPT: readonly TopicName[] = TOPIC_NAMES.filter((name) => {
  const { cleanup, retentionMs } = TOPICS[name];
  return cleanup === 'delete' && retentionMs > 365 * DAY;
});

/** Returns the number of files of topics that keep their records for over a year. */
function keptFiles({ topicFiles }: Sample): number {
  return Object.entries(topicFiles).reduce(
    (sum, [topic, files]) => sum + (KEPT.some((name) => topic.endsWith(`.${name}`)) ? files : 0),
    0,
  );
}

/** Topics whose records expire within a year. */
const PASSING = ['raw-messages', 'webhook-messages', 'webhook-attempts', 'feed-health', 'ingress-status'];

function finding(what: string, second: number, last: number, limit: number): GrowthFinding {
  // A quarter without a value is no proof.
  return { what, second, last, limit, isFlat: Number.isFinite(second) && second >= 0 && last <= limit };
}

/** Returns by how much a value grows in a day of these samples. */
function rate(samples: readonly Sample[], measured: (sample: Sample) => number): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return Number.NaN;
  return ((measured(last) - measured(first)) * DAY) / (last.at - first.at);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
