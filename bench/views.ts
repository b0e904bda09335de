/** Measures the cost of building an api's views from the topics, and of a start on stored views. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { topicName } from '#topics/topics.ts';
import { startApi } from './api-process.ts';
import { createTopicsWithClient, WRITTEN, writeMatches } from './api-topics.ts';
import type { BareViewsOptions, BareViewsResult, TableSize } from './bare-views.ts';
import { type Bench, type BenchContext, type Figure, format } from './context.ts';
import { remove } from './kafka.ts';
import { runScript } from './processes.ts';
import { sizeOf } from './size.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 100_000, 100);
const MESSAGES_OF_EVENT = 12;
const MOST_RATIO = 2;
/** Records of a transaction of the bare loop. */
const BARE_TRANSACTION_RECORDS = 500;
const LIMIT_MIB = 400;
/** Four of the 40 competitions of the generated matches. */
const TENTH = { SERVE_COMPETITIONS: '6000,6001,6002,6003' };

/** Cost of a build or a start. */
type Taken = { readonly seconds: number; readonly cpuSeconds: number; readonly peakMiB: number };
/** Cost of an api's start, and its memory once it is ready. */
type Started = Taken & { readonly readyMiB: number };

export const bench: Bench = {
  about: `an api's views of ${format(EVENTS)} events: built beside a bare loop that writes as much, and reused; of a tenth of the competitions`,
  async run(context) {
    const prefix = context.prefix('full');
    await createTopicsWithClient(context, prefix);
    await writeMatches(context, { prefix, matches: EVENTS, messages: 600, published: MESSAGES_OF_EVENT });
    const built = await measured(context, prefix, 'full');
    const tables = tablesOf(context, 'full');
    const bare = await runBare(context, prefix, tables);
    const tenth = await measured(context, prefix, 'tenth', TENTH);
    const [allMiB, tenthMiB] = [mebibytes(tables), mebibytes(tablesOf(context, 'tenth'))];
    context.print(
      `${format(bare.records)} records to ${format(bare.rows)} rows of ${format(allMiB)} MiB; ` +
        `built: ${describe(built)}; bare loop: ${describe(bare)}; one of ten: ${format(tenthMiB)} MiB, ${describe(tenth)}`,
    );
    const figure = (name: string, unit: string, ours: number, beside: Figure['beside'], target?: number) =>
      context.figure({
        name,
        unit,
        ours,
        beside,
        better: 'less',
        ...(target === undefined ? {} : { target }),
      });
    const loop = (value: number) => ({ name: 'bare loop', value });
    const whole = (value: number) => ({ name: 'all of them', value });
    const { seconds, cpuSeconds, peakMiB, readyMiB } = built;
    figure('views built', 's', seconds, loop(bare.seconds), MOST_RATIO);
    figure('views built, processor time of its process', 's', cpuSeconds, loop(bare.cpuSeconds));
    figure('views built, most memory', 'MiB', peakMiB, { name: 'limit', value: LIMIT_MIB }, 1);
    figure('views built, memory once ready', 'MiB', readyMiB, { name: 'most memory', value: peakMiB });
    figure('one of ten competitions, size', 'MiB', tenthMiB, whole(allMiB));
    figure(
      'one of ten competitions, processor time of its process',
      's',
      tenth.cpuSeconds,
      whole(cpuSeconds),
    );
    figure('one of ten competitions, most memory', 'MiB', tenth.peakMiB, whole(peakMiB));
    const restarted = await measured(context, prefix, 'full');
    context.print(`started on stored views: ${describe(restarted)}`);
    figure('start on stored views', 's', restarted.seconds, { name: 'views built', value: seconds });
    await remove(context.brokers, prefix);
  },
};

/** Starts an api, waits until it is ready, stops it, and returns its cost. */
async function measured(
  context: BenchContext,
  prefix: string,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const { process: running, readyMs, readyCpu } = await startApi(context, prefix, folder, settings);
  const { peak, now } = await running.residentMiB();
  await running.stop();
  return { seconds: readyMs / 1_000, cpuSeconds: readyCpu, peakMiB: peak, readyMiB: now };
}

/** Returns the tables of views, with their numbers of rows and bytes. */
function tablesOf({ dir }: BenchContext, folder: string): TableSize[] {
  const database = new DatabaseSync(join(dir, folder, 'api', 'views.sqlite'), { readOnly: true });
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const sizes = names.map(({ name }) => {
    const rows = database.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n as number;
    const text = 'SELECT sum(payload) AS n FROM dbstat WHERE name = ?';
    return { name: String(name), rows, bytes: database.prepare(text).get(String(name))?.n as number };
  });
  database.close();
  return sizes.filter(({ rows }) => rows > 0);
}

function mebibytes(tables: readonly TableSize[]): number {
  return tables.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20;
}

async function runBare(
  context: BenchContext,
  prefix: string,
  tables: readonly TableSize[],
): Promise<Taken & BareViewsResult> {
  const options: BareViewsOptions = {
    brokers: context.brokers,
    topics: WRITTEN.map((topic) => topicName(prefix, topic)),
    path: join(context.dir, 'bare.sqlite'),
    tables,
    step: BARE_TRANSACTION_RECORDS,
  };
  const startedAt = performance.now();
  const result = await runScript<BareViewsResult>('bare-views.ts', options);
  return { ...result, seconds: (performance.now() - startedAt) / 1_000 };
}

function describe({ seconds, cpuSeconds, peakMiB }: Taken): string {
  return `${format(seconds)} s, ${format(cpuSeconds)} s of processor, ${format(peakMiB)} MiB at most`;
}
