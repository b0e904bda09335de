import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { topicName } from '#topics/topics.ts';
import { nodeOptions } from '../cli/processes.ts';
import { writeBacklog } from './backlog.ts';
import type { BareReaderOptions, Read } from './bare-reader.ts';
import { type Job, OURS, runOn } from './contenders.ts';
import { type Bench, type BenchContext, format } from './context.ts';
import { remove } from './kafka.ts';
import { runScript } from './processes.ts';
import { sizeOf } from './size.ts';
import { Turns } from './turns.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 2_000, 20);
const MESSAGES = sizeOf(null, 200, 20);
const ROUNDS = sizeOf('BENCH_ROUNDS', 3, 1);
const TIMEOUT_MS = 120_000;
const LEAST = 0.5;

/**
 * Measures a match processor that starts on the topics of another one: from the assignment of the partitions until all
 * are claimed, including fencing; beside a process that only reads the same records, with the memory of a service: a larger
 * young generation of V8 makes it a third faster.
 */
export const bench: Bench = {
  about: `restore of ${EVENTS} events of ${MESSAGES} messages from match-incidents and match-state, beside a bare consumer`,
  async run(context) {
    const prefix = context.prefix('backlog');
    const backlog = await writeBacklog(context, { prefix, events: EVENTS, messages: MESSAGES });
    const job = OURS.on(prefix, 0);
    await runOn(context, job, backlog.records);
    const topics = (['match-incidents', 'match-state'] as const).map((topic) => topicName(prefix, topic));
    const options: BareReaderOptions = { brokers: context.brokers, topics };
    const env = { ...process.env, NODE_OPTIONS: nodeOptions() };
    const bare = { name: 'bare consumer', read: () => runScript<Read>('bare-reader.ts', options, env) };
    const ours = { name: 'match-processor', read: () => restore(context, job) };
    const turns = await Turns.take(context, {
      rounds: ROUNDS,
      subjects: [bare, ours],
      measure: ({ read }) => read(),
      describe: (read) =>
        `${read.records} records in ${read.seconds.toFixed(2)} s, ${format(perSecond(read))} records/s`,
    });
    turns.compare(ours, bare, { name: 'restore', unit: 'records/s', target: LEAST, of: perSecond });
    await remove(context.brokers, prefix, [job.group]);
  },
};

function perSecond({ records, seconds }: Read): number {
  return records / seconds;
}

/** Starts the processor and waits until its log says that it has claimed every partition. */
async function restore(context: BenchContext, job: Job): Promise<Read> {
  const running = await job.start(context);
  const until = performance.now() + TIMEOUT_MS;
  try {
    for (;;) {
      const lines = (await readFile(running.outputFile, 'utf8')).split('\n');
      const log = lines.filter((line) => line.startsWith('{')).map((line): LogLine => JSON.parse(line));
      const assigned = log.find(({ msg }) => msg === 'partitions assigned');
      const taken = log.filter(({ msg }) => msg === 'partition restored');
      const last = taken.at(-1);
      if (
        assigned !== undefined &&
        last !== undefined &&
        taken.length >= (assigned.partitions?.length ?? 0)
      ) {
        const records = await metric(log, 'touchline_restore_records_total');
        return { records, seconds: (timeOf(last) - timeOf(assigned)) / 1_000 };
      }
      if (performance.now() > until)
        throw new Error(`the processor did not start: see ${running.outputFile}`);
      await delay(50);
    }
  } finally {
    await running.stop();
  }
}

type LogLine = { msg: string; time: number | string; partitions?: number[]; port?: number };

function timeOf({ time }: LogLine): number {
  return typeof time === 'number' ? time : Date.parse(time);
}

/** Returns the value of a metric of the process with this log. */
async function metric(log: readonly LogLine[], name: string): Promise<number> {
  const port = log.find(({ msg }) => msg === 'metrics and health')?.port;
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const line = (await response.text()).split('\n').find((one) => one.startsWith(name));
  return Number(line?.split(' ').at(-1));
}
