/** Measures the cost of building an api's views from the topics, and of a start on stored views. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startApi } from './api-process.ts';
import { createTopicsWithClient, writeMatches } from './api-topics.ts';
import { type Bench, type BenchContext, type Figure, format } from './context.ts';
import { remove } from './kafka.ts';
import { sizeOf } from './size.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 100_000, 100);
const MESSAGES_OF_EVENT = 12;
const LIMIT_MIB = 400;
/** Four of the 40 competitions of the generated matches. */
const TENTH = { SERVE_COMPETITIONS: '6000,6001,6002,6003' };

/** Cost of an api's start, its memory once it is ready, and the size of its views. */
type Started = {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly readyMiB: number;
  readonly viewsMiB: number;
};

export const bench: Bench = {
  about: `an api's views of ${format(EVENTS)} events: built, and reused; of a tenth of the competitions`,
  async run(context) {
    const prefix = context.prefix('full');
    await createTopicsWithClient(context, prefix);
    await writeMatches(context, { prefix, matches: EVENTS, messages: 600, published: MESSAGES_OF_EVENT });
    const built = await measured(context, prefix, 'full');
    const tenth = await measured(context, prefix, 'tenth', TENTH);
    context.print(`built: ${describe(built)}; one of ten: ${describe(tenth)}`);
    const figure = (name: string, unit: string, ours: number, beside?: Figure['beside'], target?: number) =>
      context.figure({ name, unit, ours, beside, target, better: 'less' });
    const whole = (value: number) => ({ name: 'all of them', value });
    figure('views built', 's', built.seconds);
    figure('views built, processor time of its process', 's', built.cpuSeconds);
    figure('views built, most memory', 'MiB', built.peakMiB, { name: 'limit', value: LIMIT_MIB }, 1);
    figure('views built, memory once ready', 'MiB', built.readyMiB);
    const ofTenth = 'one of ten competitions';
    figure(`${ofTenth}, size`, 'MiB', tenth.viewsMiB, whole(built.viewsMiB));
    figure(`${ofTenth}, processor time of its process`, 's', tenth.cpuSeconds, whole(built.cpuSeconds));
    figure(`${ofTenth}, most memory`, 'MiB', tenth.peakMiB, whole(built.peakMiB));
    const restarted = await measured(context, prefix, 'full');
    context.print(`started on stored views: ${describe(restarted)}`);
    figure('start on stored views', 's', restarted.seconds, { name: 'views built', value: built.seconds });
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
  const { size } = await stat(join(context.dir, folder, 'api', 'views.sqlite'));
  return {
    seconds: readyMs / 1_000,
    cpuSeconds: readyCpu,
    peakMiB: peak,
    readyMiB: now,
    viewsMiB: size / 2 ** 20,
  };
}

function describe({ seconds, cpuSeconds, peakMiB, viewsMiB }: Started): string {
  return `${format(seconds)} s, ${format(cpuSeconds)} s of processor, ${format(peakMiB)} MiB at most, views of ${format(viewsMiB)} MiB`;
}
