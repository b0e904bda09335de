import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeBacklog } from './backlog.ts';
import { type ContenderRun, cpuMicros, matchProcessor, rate, runOn } from './contenders.ts';
import { type Bench, type BenchContext, format, PROCESSOR } from './context.ts';
import { remove, storedBytes } from './kafka.ts';
import { cpuSecondsOf } from './processes.ts';
import { SMALLEST, sizeOf } from './size.ts';
import { Turns } from './turns.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 1_000, 20);
const MESSAGES = sizeOf(null, 200, 20);
const ROUNDS = sizeOf('BENCH_ROUNDS', 2, 1);
const PROCESSES = SMALLEST ? [1, 2] : [1, 2, 4];
/** Share of its cores above which a program counts as the bottleneck; the start of the processes is included. */
const FULL = 0.85;
/** Topics whose bytes of a message are printed. */
const LOGS = ['normalized-messages', 'match-incidents', 'match-transitions', 'match-state'] as const;

/**
 * The cores of the broker, of the processors and all, in the syntax of `taskset`; `shared` when they cannot be divided.
 */
type Cores =
  | { readonly broker: string; readonly processors: string; readonly all: string; readonly count: number }
  | 'shared';

/** A run, and the broker's cpu time meanwhile, seconds. */
type Measured = ContenderRun & { readonly brokerSeconds: number };

/**
 * Measures several numbers of processes on one backlog, in turns, with the broker on a separate core: the throughput of
 * a core of processors beside an undisturbed broker, its load on the broker, and which of the two is the bottleneck.
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
      const subjects = PROCESSES.map((count) => ({
        ...matchProcessor(count),
        name: count === 1 ? 'one' : `${count} processors`,
      }));
      const turns = await Turns.take(context, {
        rounds: ROUNDS,
        subjects,
        async measure({ on }, round): Promise<Measured> {
          const before = await cpuSecondsOf(broker);
          const run = await runOn(context, on(prefix, round), records);
          return { ...run, brokerSeconds: (await cpuSecondsOf(broker)) - before };
        },
        describe: (measured) => describe(measured, cores),
      });
      for (const [topic, bytes] of await storedBytes(context.brokers, prefix, LOGS))
        context.print(`${topic}: ${format(bytes / records)} bytes a message`);
      const [one, ...more] = subjects as [(typeof subjects)[number], ...typeof subjects];
      for (const subject of more)
        turns.compare(subject, one, { name: subject.name, unit: 'msg/s', of: rate });
      await remove(context.brokers, prefix, [one.on(prefix, 0).group]);
    } finally {
      // Later benches have all cores again.
      if (cores !== 'shared') for (const pid of [broker, process.pid]) await pin(pid, cores.all);
    }
  },
};

/** Returns the process id of the broker that this run has started. */
async function brokerPid({ backbone, dir }: BenchContext): Promise<number> {
  if (backbone.kind !== 'embedded') throw new Error('this bench needs the broker that it starts itself');
  const notes = JSON.parse(await readFile(join(dir, 'backbone', 'kafka', 'broker.json'), 'utf8'));
  return (notes as { broker: number }).broker;
}

/** Pins the broker to the first core and this process, with its children, to all others. */
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

/** Pins all threads of a process; later threads inherit this. */
async function pin(pid: number, cores: string): Promise<void> {
  await promisify(execFile)('taskset', ['-a', '-c', '-p', cores, String(pid)]);
}

function describe(run: Measured, cores: Cores): string {
  const { endAt, cpuSeconds, brokerSeconds, records } = run;
  const used =
    `processors ${format(cpuMicros(run))} µs and broker ${format((brokerSeconds * 1e6) / records)} µs ` +
    'of a core a message';
  const line = `${format(rate(run))} msg/s, all after ${endAt.toFixed(2)} s; ${used}`;
  if (cores === 'shared') return line;
  const shares = { processors: cpuSeconds / endAt / cores.count, broker: brokerSeconds / endAt };
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const full =
    shares.processors >= FULL ? 'the cores of the processors' : shares.broker >= FULL ? 'the broker' : null;
  const limit = full === null ? 'neither is full: waiting for answers limits it' : `limited by ${full}`;
  return `${line}; ${percent(shares.processors)} of their cores and ${percent(shares.broker)} of its core: ${limit}`;
}
