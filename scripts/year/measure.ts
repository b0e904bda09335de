/** What may grow in a year: memory, metric series, files, and bytes of what expires. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TOPIC_NAMES, TOPICS } from '#topics/topics.ts';
import { ask } from './ask.ts';
import type { YearSystem } from './system.ts';

/** A measurement of the whole system: values by their names. `at`: time of the played year, Unix milliseconds. */
export type Sample = { readonly at: number; readonly values: Readonly<Record<string, number>> };

const DAY = 86_400_000;
const MIB = 1024 * 1024;

/** By the first words of a measure: how much it may grow beside a quarter of its value, in its unit. */
const SLACK = {
  'memory of': 16 * MIB,
  'metric series of': 10,
  'bytes of views': 1_024,
  'bytes of': MIB,
  files: 50,
} as const;

/** Topics that delete nothing within a year: they grow with the matches. */
const KEPT = new Set<string>(
  TOPIC_NAMES.filter((name) => TOPICS[name].cleanup !== 'delete' || TOPICS[name].retentionMs > 365 * DAY),
);

/** Measures the system now. `matches`: those played so far. */
export async function measure(system: YearSystem, at: number, matches: number): Promise<Sample> {
  const values: Record<string, number> = {};
  const add = (what: string, value: number): void => {
    values[what] = (values[what] ?? 0) + value;
  };
  for (const { path, bytes } of filesIn(join(system.kafkaFolder, 'data'))) {
    const [, topic = ''] = /^touchline\.(.+)-\d+(?:\.[0-9a-f]+-delete)?\//.exec(path) ?? [];
    if (topic === '' || KEPT.has(topic)) continue;
    add(`bytes of ${topic}`, bytes);
    add('files', 1);
  }
  for (const { path, bytes } of filesIn(system.dataDir)) {
    add('files', 1);
    if (/^(api|tool-gateway)\//.test(path)) add('bytes of views for a match', bytes / Math.max(1, matches));
  }
  for (const { name, pid, metricsUrl } of system.services()) {
    const metrics = await metricsOf(metricsUrl);
    const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    add(`memory of ${name}`, Number(rss) * 1_024);
    add(`metric series of ${name}`, metrics.match(/^[^#\n]/gm)?.length ?? 0);
  }
  return { at, values };
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

/** A measure in the second and in the last quarter of a year, and its limit. */
export type GrowthFinding = {
  readonly what: string;
  readonly second: number;
  readonly last: number;
  readonly limit: number;
  readonly isFlat: boolean;
};

/** Compares the last quarter of the year with the second one, when caches are full and topics have reached their retention. */
export function judgeGrowth(samples: readonly Sample[]): GrowthFinding[] {
  const first = samples[0]?.at ?? 0;
  const quarter = ((samples.at(-1)?.at ?? 0) - first) / 4;
  const names = new Set(samples.flatMap(({ values }) => Object.keys(values)));
  return [...names].map((what) => {
    const of = (n: number): number => {
      const within = samples.filter(({ at }) => at >= first + n * quarter && at <= first + (n + 1) * quarter);
      const sorted = within.map(({ values }) => values[what] ?? 0).sort((a, b) => a - b);
      return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
    };
    const [, slack = 0] = Object.entries(SLACK).find(([words]) => what.startsWith(words)) ?? [];
    const [second, last] = [of(1), of(3)];
    const limit = second * 1.25 + slack;
    return { what, second, last, limit, isFlat: last <= limit };
  });
}
