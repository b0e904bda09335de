import { execFile } from 'node:child_process';
import { glob, readFile, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { writeBacklog } from './backlog.ts';
import { type ContenderRun, matchProcessor, prepare, rate, runThrough } from './contenders.ts';
import { type Bench, type BenchContext, format, median, PROCESSOR } from './context.ts';
import { remove } from './kafka.ts';
import { cpuSecondsOf } from './processes.ts';
import { FIRST_ROUND, roundName, SMALLEST, sizeOf } from './size.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 1_000, 20);
const MESSAGES = sizeOf(null, 200, 20);
const ROUNDS = sizeOf('BENCH_ROUNDS', 2, 1);
const PROCESSES = SMALLEST ? [1, 2] : [1, 2, 4];
/** A share of its cores above which something counts as what limits the rest: the start of the processes is in it. */
const FULL = 0.85;

/** The cores of the broker, those of the processors and all, as `taskset` writes them; `shared` where they cannot be divided. */
type Cores =
  | { readonly broker: string; readonly processors: string; readonly all: string; readonly count: number }
  | 'shared';

/** A run, and what the broker computed meanwhile, seconds. */
type Measured = ContenderRun & { readonly brokerSeconds: number };

/**
 * So many processes on one backlog, in turns, the broker on a core of its own: what a core of processors does with a
 * broker beside it that is not disturbed, how much of the broker it uses, and which of the two is full first.
 */
export const bench: Bench = {
  about: 'throughput of 1, 2 and 4 match processors, the broker on a core of its own, and what limits it',
  subject: PROCESSOR,
  async run(context) {
    const broker = await brokerPid(context);
    const cores = await divideCores(context, broker);
    try {
      const prefix = context.prefix('backlog');
      const { records } = await writeBacklog(context, { prefix, events: EVENTS, messages: MESSAGES });
      const runs = new Map<number, Measured[]>(PROCESSES.map((count) => [count, []]));
      for (let round = FIRST_ROUND; round <= ROUNDS; round++) {
        for (const [count, counted] of runs) {
          const job = matchProcessor(count).on(prefix, round);
          await prepare(context, job);
          const before = await cpuSecondsOf(broker);
          const run = await runThrough(context, job, records);
          const measured = { ...run, brokerSeconds: (await cpuSecondsOf(broker)) - before };
          if (round > 0) counted.push(measured);
          const label = roundName(round);
          context.print(`${label} ${job.name}: ${describe(measured, cores)}`);
        }
      }
      await printBytes(context, prefix, records);
      const medianOf = (count: number) => median((runs.get(count) ?? []).map(rate));
      for (const count of PROCESSES.slice(1))
        context.figure({
          name: `${count} processors`,
          ours: medianOf(count),
          unit: 'msg/s',
          beside: { name: 'one', value: medianOf(1) },
        });
      await remove(context.brokers, prefix, [matchProcessor(1).on(prefix, 0).group]);
    } finally {
      // What is measured after this one has all cores again.
      if (cores !== 'shared') for (const pid of [broker, process.pid]) await pin(pid, cores.all);
    }
  },
};

/** The broker that this run has started. */
async function brokerPid({ backbone, dir }: BenchContext): Promise<number> {
  if (backbone.kind !== 'embedded') throw new Error('this bench needs the broker that it starts itself');
  const notes = JSON.parse(await readFile(join(dir, 'backbone', 'kafka', 'broker.json'), 'utf8'));
  return (notes as { broker: number }).broker;
}

/** What a message takes in the logs of each topic, as written: compaction comes later. */
async function printBytes({ dir, print }: BenchContext, prefix: string, records: number): Promise<void> {
  const bytes = new Map<string, number>();
  for await (const file of glob(join(dir, 'backbone', 'kafka', '**', `${prefix}*`, '*.log'))) {
    const [, topic] = /\.([a-z-]+)-\d+$/.exec(dirname(file)) ?? [];
    // Else one that is being deleted.
    if (topic !== undefined) bytes.set(topic, (bytes.get(topic) ?? 0) + (await stat(file)).size);
  }
  for (const [topic, sum] of [...bytes].toSorted(([, a], [, b]) => b - a))
    if (sum > 0) print(`${topic}: ${format(sum / records)} bytes a message`);
}

/** Gives the broker the first core and this process, whose children inherit it, all others. */
async function divideCores(context: BenchContext, broker: number): Promise<Cores> {
  const last = availableParallelism() - 1;
  if (last < 1 || process.platform !== 'linux') {
    context.print('the broker shares the cores of the processors: there is one only, or no taskset');
    return 'shared';
  }
  const cores = {
    broker: '0',
    processors: last === 1 ? '1' : `1-${last}`,
    all: `0-${last}`,
    count: last,
  };
  await pin(broker, cores.broker);
  await pin(process.pid, cores.processors);
  context.print(`broker on core ${cores.broker}, processors and this bench on ${cores.processors}`);
  return cores;
}

/** All threads of a process; those that it starts later are like the ones that start them. */
async function pin(pid: number, cores: string): Promise<void> {
  await promisify(execFile)('taskset', ['-a', '-c', '-p', cores, String(pid)]);
}

function describe(run: Measured, cores: Cores): string {
  const { endAt, cpuSeconds, brokerSeconds, records } = run;
  const perMessage = (seconds: number) => `${format((seconds * 1e6) / records)} µs`;
  const used = `processors ${perMessage(cpuSeconds)} and broker ${perMessage(brokerSeconds)} of a core a message`;
  const line = `${format(rate(run))} msg/s, all after ${endAt.toFixed(2)} s; ${used}`;
  if (cores === 'shared') return line;
  const shares = { processors: cpuSeconds / endAt / cores.count, broker: brokerSeconds / endAt };
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const full =
    shares.processors >= FULL ? 'the cores of the processors' : shares.broker >= FULL ? 'the broker' : null;
  const limit = full === null ? 'neither is full: waiting for answers limits it' : `limited by ${full}`;
  return `${line}; ${percent(shares.processors)} of their cores and ${percent(shares.broker)} of its core: ${limit}`;
}
