/** Measures the cost of building an api's views from the topics, and of a start on stored views. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { topicName } from '#topics/topics.ts';
import { FULL_BATCH_RECORDS } from '#views/ingest/batch-gatherer.ts';
import { type ReadyApi, startApi } from './api-process.ts';
import { makePlace, WRITTEN, writeMatches } from './api-topics.ts';
import type { BareViewsOptions, BareViewsResult, TableSize } from './bare-views.ts';
import { type Bench, type BenchContext, format, median } from './context.ts';
import { remove } from './kafka.ts';
import { sizeOf } from './size.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 100_000, 100);
const ROUNDS = sizeOf('BENCH_ROUNDS', 1, 1);
/** Number of starts on stored views in a round: each is short. */
const RESTARTS = sizeOf(null, 3, 1);
const MESSAGES_OF_EVENT = 12;
const MOST_RATIO = 2;
const LIMIT_MIB = 400;

/** Cost of a build or a start. */
type Taken = { readonly seconds: number; readonly cpuSeconds: number; readonly peakMiB: number };

export const bench: Bench = {
  about: `an api's views of ${format(EVENTS)} events: built beside a bare loop that writes as much, and reused`,
  subject: ['libs/views', 'libs/topics', 'services/api'],
  async run(context) {
    const prefix = context.prefix('full');
    const empty = context.prefix('empty');
    for (const one of [prefix, empty]) await makePlace(context, one);
    await writeMatches(context, { prefix, matches: EVENTS, messages: 600, published: MESSAGES_OF_EVENT });
    await measured(context, empty, 'empty');
    const built: Taken[] = [];
    const bare: Taken[] = [];
    const reused: Taken[] = [];
    const without: Taken[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const folder = `full-${round}`;
      const ours = await measured(context, prefix, folder);
      const tables = tablesOf(join(context.dir, folder, 'api', 'views.sqlite'));
      const peer = await runBare(context, prefix, round, tables);
      const bytes = tables.reduce((sum, table) => sum + table.bytes, 0) / 2 ** 20;
      context.print(
        `round ${round}: ${format(peer.records)} records to ${format(peer.rows)} rows of ${format(bytes)} MiB; ` +
          `built: ${line(ours)}; bare loop: ${line(peer)}`,
      );
      built.push(ours);
      bare.push(peer);
      for (let start = 1; start <= RESTARTS; start++) {
        reused.push(await measured(context, prefix, folder));
        without.push(await measured(context, empty, 'empty'));
        context.print(
          `start ${start}: on stored views: ${line(reused.at(-1))}; without events: ${line(without.at(-1))}`,
        );
      }
    }
    const figure = (
      name: string,
      of: keyof Taken,
      ours: readonly Taken[],
      beside: { readonly name: string; readonly taken: readonly Taken[] },
      target?: number,
    ) =>
      context.figure({
        name,
        ours: median(ours.map((one) => one[of])),
        beside: { name: beside.name, value: median(beside.taken.map((one) => one[of])) },
        unit: 's',
        better: 'less',
        ...(target === undefined ? {} : { target }),
      });
    const loop = { name: 'bare loop', taken: bare };
    const alone = { name: 'without events', taken: without };
    figure('views built', 'seconds', built, loop, MOST_RATIO);
    figure('views built, processor time of its process', 'cpuSeconds', built, loop);
    context.figure({
      name: 'views built, most memory',
      ours: median(built.map(({ peakMiB }) => peakMiB)),
      beside: { name: 'limit', value: LIMIT_MIB },
      unit: 'MiB',
      better: 'less',
      target: 1,
    });
    figure('start on stored views', 'seconds', reused, alone);
    figure('start on stored views, processor time of its process', 'cpuSeconds', reused, alone);
    for (const one of [prefix, empty]) await remove(context.brokers, one);
  },
};

/** Starts an api, waits until it is ready, stops it, and returns its cost. */
async function measured(context: BenchContext, prefix: string, folder: string): Promise<Taken> {
  const { process: running, readyMs, readyCpu }: ReadyApi = await startApi(context, prefix, folder);
  const { peak } = await running.residentMiB();
  await running.stop();
  return { seconds: readyMs / 1_000, cpuSeconds: readyCpu, peakMiB: peak };
}

/** Returns the tables of views, with their numbers of rows and bytes. */
function tablesOf(path: string): TableSize[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const sizes = names.map(({ name }) => {
    const rows = database.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n as number;
    const text = 'SELECT sum(payload) AS n FROM dbstat WHERE name = ?';
    return { name: String(name), rows, bytes: database.prepare(text).get(String(name))?.n as number };
  });
  database.close();
  return sizes.filter(({ rows }) => rows > 0);
}

async function runBare(
  context: BenchContext,
  prefix: string,
  round: number,
  tables: readonly TableSize[],
): Promise<Taken & BareViewsResult> {
  const options: BareViewsOptions = {
    brokers: context.brokers,
    topics: WRITTEN.map((topic) => topicName(prefix, topic)),
    path: join(context.dir, `bare-${round}.sqlite`),
    tables,
    step: FULL_BATCH_RECORDS,
  };
  const script = join(import.meta.dirname, 'bare-views.ts');
  const startedAt = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(options)]);
  const result: BareViewsResult = JSON.parse(stdout);
  return { ...result, seconds: (performance.now() - startedAt) / 1_000 };
}

function line(taken: Taken | undefined): string {
  if (taken === undefined) return 'nothing';
  const { seconds, cpuSeconds, peakMiB } = taken;
  return `${format(seconds)} s, ${format(cpuSeconds)} s of processor, ${format(peakMiB)} MiB at most`;
}
