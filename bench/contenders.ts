/**
 * Runs the match processor and its peers in the same way: starts them on a backlog, reads their progress and their
 * output.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { createTopics } from '#topics/admin.ts';
import { topicName } from '#topics/topics.ts';
import { type BenchContext, connectionEnv, format } from './context.ts';
import { remove } from './kafka.ts';
import { startPeer } from './peer.ts';
import { type Resident, type Running, startService, together } from './processes.ts';
import { groupProgress, type ProgressReader, positionProgress } from './progress.ts';
import { sizeOf } from './size.ts';

/** A program that turns `normalized-messages` into match state. */
export type Contender = {
  readonly name: string;
  /** Returns the job for the backlog of a prefix. The number distinguishes runs. */
  on(prefix: string, run: number): Job;
};

/** One run of a contender over one backlog. */
export type Job = {
  readonly name: string;
  /** Prefix of the backlog. */
  readonly prefix: string;
  readonly group: string;
  /** Prefix of the output topics. */
  readonly outputPrefix: string;
  start(context: BenchContext): Promise<Running>;
  /** Returns a reader of the progress in the input. */
  progress(context: BenchContext): Promise<ProgressReader>;
};

/** Returns match processors. Their topics and their group follow from the prefix, so that each run uses the same ones. */
export function matchProcessor(processes: number): Contender {
  const service = 'match-processor';
  const name = processes === 1 ? service : `${service} x${processes}`;
  return {
    name,
    on: (prefix) => ({
      name,
      prefix,
      group: prefix + service,
      outputPrefix: prefix,
      start: async (context) =>
        together(
          Array.from({ length: processes }, () =>
            startService(service, context.dir, connectionEnv(context, prefix)),
          ),
        ),
      progress: async ({ brokers }) => positionProgress(brokers, prefix + service),
    }),
  };
}

export const OURS: Contender = matchProcessor(1);

/** Settings with which the peer commits and sends at once, where latency counts. */
export const AT_ONCE = { 'commit.interval.ms': 1, 'producer.linger.ms': 0 } as const;

/**
 * Returns the peer, with `settings` of Kafka Streams that override its own. Every run has a new group, because a member
 * of Kafka Streams does not leave its group when it is closed.
 */
export function kafkaStreams(
  settings: Readonly<Record<string, string | number>> = {},
  heapGiB?: number,
): Contender {
  const name = 'Kafka Streams';
  return {
    name,
    on(prefix, run) {
      const outputPrefix = `${prefix}peer-${run}.`;
      const group = `${outputPrefix}app`;
      return {
        name,
        prefix,
        group,
        outputPrefix,
        start: (context) =>
          startPeer(context, { inputPrefix: prefix, outputPrefix, application: group, settings, heapGiB }),
        progress: async ({ brokers }) =>
          groupProgress(brokers, group, topicName(prefix, 'normalized-messages')),
      };
    },
  };
}

/** Describes a run in a line. */
export function describeRun(run: ContenderRun): string {
  const { first, endAt, cpuSeconds } = run;
  return (
    `${format(rate(run))} msg/s (second half ${format(warmRate(run))}, with start ${format(rateWithStart(run))}); ` +
    `first commit after ${first.at.toFixed(2)} s, all after ${endAt.toFixed(2)} s, ` +
    `${cpuSeconds.toFixed(1)} s of processor, ${format((cpuSeconds * 1e6) / run.records)} µs a message`
  );
}

/** Recreates the topics of a job, and resets its group to the beginning. */
async function prepare(context: BenchContext, job: Job): Promise<void> {
  const keep = (topic: string) =>
    topic === topicName(job.prefix, 'normalized-messages') ||
    (job.outputPrefix === job.prefix && topic.startsWith(`${job.prefix}peer-`));
  await remove(context.brokers, job.outputPrefix, [job.group], keep);
  // Deleted on purpose: not lost.
  await createTopics({ brokers: context.brokers, prefix: job.outputPrefix, accept: 'all' });
}

/** Result of a run. Seconds count from the start of the process. */
export type ContenderRun = {
  readonly records: number;
  /** First sample with committed records, and their number. */
  readonly first: { readonly at: number; readonly records: number };
  /** Times when half and all of the backlog was committed. */
  readonly halfAt: number;
  readonly half: number;
  readonly endAt: number;
  readonly cpuSeconds: number;
  /** Memory at the end. */
  readonly residentMiB: Resident;
};

const SAMPLE_MS = 20;
/** Time without progress after which a run fails. Longer in the smallest form, which runs on busy machines. */
const STALLED_SECONDS = sizeOf(null, 60, 300);

/** Runs a job through a backlog of `records` records from its beginning, until it has committed all of them. */
export async function runOn(
  context: BenchContext,
  job: Job,
  records: number,
  afterwards?: (running: Running) => Promise<void>,
): Promise<ContenderRun> {
  await prepare(context, job);
  const progress = await job.progress(context);
  try {
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1_000;
    const running = await job.start(context);
    let first: ContenderRun['first'] | null = null;
    let half: { at: number; records: number } | null = null;
    let done = 0;
    let movedAt = 0;
    while (done < records) {
      await delay(SAMPLE_MS);
      const now = await progress.done();
      const at = seconds();
      if (now > done) movedAt = at;
      else if (at - movedAt > STALLED_SECONDS) {
        await running.stop();
        throw new Error(`${job.name} stands at ${done} of ${records} records: see ${running.outputFile}`);
      }
      done = now;
      if (done > 0) first ??= { at, records: done };
      if (done >= records / 2) half ??= { at, records: done };
    }
    const endAt = seconds();
    const cpuSeconds = await running.cpuSeconds();
    const residentMiB = await running.residentMiB();
    await afterwards?.(running);
    await running.stop();
    if (first === null || half === null) throw new Error(`${job.name} had nothing to do`);
    return { records, first, halfAt: half.at, half: half.records, endAt, cpuSeconds, residentMiB };
  } finally {
    await progress.close();
  }
}

/** Returns the records per second between the first commit and the last. */
export function rate({ records, first, endAt }: ContenderRun): number {
  return (records - first.records) / (endAt - first.at);
}

/** Returns the records per second of the second half, when the code is warm. */
export function warmRate({ records, half, halfAt, endAt }: ContenderRun): number {
  return (records - half) / (endAt - halfAt);
}

/** Returns the records per second from the start of the process. */
export function rateWithStart({ records, endAt }: ContenderRun): number {
  return records / endAt;
}
