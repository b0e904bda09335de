import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createTopics } from '#topics/admin.ts';
import { TOPICS, topicName } from '#topics/topics.ts';
import { type Bench, type BenchContext, connectionEnv, quantile } from './context.ts';
import { remove } from './kafka.ts';
import { byPublisher } from './latency.ts';
import { liveMessages, pace } from './live-load.ts';
import { buildPeer, type PeerOptions, peerCommand } from './peer.ts';
import { type ProcessCommand, type RunningProcess, serviceCommand, start } from './processes.ts';
import { CALM_MS, SilenceWatch } from './silence.ts';
import { FIRST_ROUND, SMALLEST, sizeOf } from './size.ts';
import { TopicReader } from './topic-reader.ts';

const PER_SECOND = 200;
const ROUNDS = sizeOf('BENCH_ROUNDS', 3, 1);
const { partitions: PARTITIONS } = TOPICS['normalized-messages'];
/** Minimum of a broker by default. */
const SESSION_MS = 6_000;
const NAMES = ['one', 'two'] as const;

/**
 * Two processes share the partitions under a steady load; one of them is stopped. The silence of a partition is the
 * longest time between two of its committed match-states, as a read-committed reader sees them, after that stop.
 */
export const bench: Bench = {
  about: `silence of partitions at ${PER_SECOND} messages/s when one of two processors is killed or restarted, beside Kafka Streams with a standby`,
  async run(context) {
    await buildPeer(context);
    await keepCompiled(context);
    for (const scenario of SMALLEST ? SCENARIOS.slice(0, 1) : SCENARIOS) {
      const ours = await measure(context, OURS, scenario);
      const peer = await measure(context, PEER, scenario);
      context.figure({
        name: `${scenario.name}: p99 of the silence of a partition`,
        unit: 'ms',
        better: 'less',
        ours: quantile(ours.silences, 0.99),
        beside: { name: PEER.name, value: quantile(peer.silences, 0.99) },
        target: 0.8,
      });
      const { isStartedAgain, signal, limitMs } = scenario;
      const isFromHealth = isStartedAgain && signal === 'SIGKILL';
      context.figure({
        name: `${scenario.name}: p99 ${isFromHealth ? 'from when the new process serves its health' : 'of the silence of a partition'}`,
        unit: 'ms',
        better: 'less',
        target: 1,
        ours: quantile(isFromHealth ? ours.afterUp : ours.silences, 0.99),
        beside: { name: 'wanted', value: limitMs },
      });
    }
  },
};

/** A way to stop a process, with or without a restart. */
type Scenario = {
  readonly name: string;
  readonly signal: 'SIGKILL' | 'SIGTERM';
  /** Whether it restarts at once; else only once the others serve its partitions. */
  readonly isStartedAgain: boolean;
  /** Wanted p99, milliseconds: of the silence; after a kill with a restart, from when the new process serves its health. */
  readonly limitMs: number;
};

const SCENARIOS: readonly Scenario[] = [
  { name: 'killed, started again at once', signal: 'SIGKILL', isStartedAgain: true, limitMs: 1_500 },
  {
    name: 'killed, not started again',
    signal: 'SIGKILL',
    isStartedAgain: false,
    limitMs: SESSION_MS + 1_000,
  },
  { name: 'restarted by SIGTERM', signal: 'SIGTERM', isStartedAgain: true, limitMs: 1_000 },
];

type Subject = {
  readonly name: string;
  /** Returns the command of one of its processes. */
  command(context: BenchContext, prefix: string, process: string): Promise<ProcessCommand>;
};

/** Returns the settings with which a start finds compiled code, as in the image and with `touchline up`. */
const compiledIn = ({ dir }: BenchContext): Readonly<Record<string, string>> => ({
  NODE_COMPILE_CACHE: join(dir, 'compiled'),
});

/** Fills the cache of compiled code, which Node writes when a process exits normally. */
async function keepCompiled(context: BenchContext): Promise<void> {
  const { command, args } = serviceCommand('match-processor', {});
  await promisify(execFile)(command, [...args, '--help'], {
    env: { ...process.env, ...compiledIn(context) },
  });
}

const OURS: Subject = {
  name: 'match-processor',
  command: async (context, prefix, name) =>
    serviceCommand('match-processor', {
      ...connectionEnv(context, prefix),
      SESSION_TIMEOUT_MS: String(SESSION_MS),
      GROUP_INSTANCE_ID: name,
      ...compiledIn(context),
    }),
};

const PEER: Subject = {
  name: 'Kafka Streams with a standby',
  command(context, prefix, name) {
    const options: PeerOptions = {
      inputPrefix: prefix,
      outputPrefix: prefix,
      application: `${prefix}app`,
      process: name,
      settings: {
        'num.standby.replicas': 1,
        'commit.interval.ms': 1,
        'producer.linger.ms': 0,
        'main.consumer.group.instance.id': name,
        'consumer.session.timeout.ms': SESSION_MS,
        'consumer.heartbeat.interval.ms': 200,
      },
    };
    return peerCommand(context, options);
  },
};

/** Measurements of the stopped process's partitions in all rounds, milliseconds. */
type Measured = {
  readonly silences: readonly number[];
  /** Times from the first health answer of the new process to the end of the silence; empty when unknown. */
  readonly afterUp: readonly number[];
};

async function measure(context: BenchContext, subject: Subject, scenario: Scenario): Promise<Measured> {
  const prefix = context.prefix(randomUUID().slice(0, 8));
  await createTopics({ brokers: context.brokers, prefix });
  const entry = await byPublisher(context, prefix);
  const watch = new SilenceWatch(PARTITIONS);
  const reader = new TopicReader({
    brokers: context.brokers,
    topic: topicName(prefix, 'match-state'),
    onRecords: (partition) => watch.seen(partition, performance.now()),
  });
  const running = new Map<string, RunningProcess>();
  const startOne = async (name: string): Promise<RunningProcess> => {
    const command = await subject.command(context, prefix, name);
    const started = start({ ...command, outputFile: join(context.dir, `failover-${randomUUID()}.log`) });
    running.set(name, started);
    return started;
  };
  const messages = liveMessages();
  const ending = new AbortController();
  const sending = pace(Number.POSITIVE_INFINITY, PER_SECOND, () => {
    ending.signal.throwIfAborted();
    void entry.send(messages.next().value);
  }).catch(() => {});
  const silences: number[] = [];
  const afterUp: number[] = [];
  try {
    await Promise.all(NAMES.map(startOne));
    for (let round = FIRST_ROUND; round <= ROUNDS; round += 1) {
      await watch.calm();
      // The share of a new member moves to it some moments after it has joined.
      await delay(CALM_MS);
      const name = NAMES[round % NAMES.length] ?? NAMES[0];
      watch.begin();
      await running.get(name)?.kill(scenario.signal);
      const again = scenario.isStartedAgain ? await startOne(name) : null;
      await watch.calm();
      const longest = watch.longest();
      const shown = longest.map(({ ms }) => Math.round(ms)).join(' ');
      const upAt = again === null ? null : await servesHealthAt(again);
      context.print(`${scenario.name}, ${subject.name}, round ${round}: ${shown} ms`);
      // The first round warms the remaining process.
      if (round > 0) {
        const lost = longest.slice(0, PARTITIONS / NAMES.length);
        silences.push(...lost.map(({ ms }) => ms));
        if (upAt !== null) afterUp.push(...lost.map(({ endAt }) => Math.max(0, endAt - upAt)));
      }
      if (again === null) await startOne(name);
    }
    return { silences, afterUp };
  } finally {
    ending.abort();
    await sending;
    for (const process of running.values()) await process.kill('SIGKILL');
    await reader.close();
    await entry.close();
    await remove(context.brokers, prefix);
  }
}

const UP = '"metrics and health"';

/** Returns when a process logged that it serves its health; null for a process without such a log line. */
async function servesHealthAt({ outputFile }: RunningProcess): Promise<number | null> {
  const line = (await readFile(outputFile, 'utf8')).split('\n').find((one) => one.includes(UP));
  return line === undefined ? null : JSON.parse(line).time - performance.timeOrigin;
}
