import { Admin, ConfigResourceTypes, IncrementalAlterConfigOperationTypes } from '@platformatic/kafka';
import { createTopics } from '#topics/admin.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { type Backlog, writeBacklog } from './backlog.ts';
import { OURS, prepare, rate, runThrough } from './contenders.ts';
import { type Bench, type BenchContext, format, median, PROCESSOR } from './context.ts';
import { remove } from './kafka.ts';
import { compareLatency } from './latency.ts';
import { type MachineUse, machineUse, usedBy, usePerMessage } from './machine-use.ts';
import { FIRST_ROUND, roundName, sizeOf } from './size.ts';

const ROUNDS = sizeOf('BENCH_ROUNDS', 2, 1);
const EVENTS = sizeOf('BENCH_EVENTS', 1_000, 20);
const MESSAGES = sizeOf(null, 200, 20);

/** Topics with the provider's messages: nearly all of the bytes. */
const LOGS: readonly TopicName[] = ['raw-messages', 'normalized-messages'];
/** Values of `compression.type`; the producer itself does not compress. */
const COMPRESSIONS = ['producer', 'lz4', 'zstd'] as const;

type Compression = (typeof COMPRESSIONS)[number];

/** Measurements of a compression in each round. */
type Measured = { readonly bytes: number[]; readonly brokerMicros: number[]; readonly rates: number[] };

/**
 * Measures size, latency and cpu time of the broker with compression of both logs, at 200 messages a second with one
 * message per delivery, where batches are as small as in a live match. Then a processor reads a backlog.
 */
export const bench: Bench = {
  about: 'bytes of the logs, latency and throughput, with compression by the broker',
  subject: [...PROCESSOR, 'libs/ingestion', 'services/webhook-receiver'],
  async run(context) {
    const admin = new Admin({ clientId: 'bench-log-size', bootstrapBrokers: [...context.brokers] });
    const measured = new Map<Compression, Measured>(
      COMPRESSIONS.map((of) => [of, { bytes: [], brokerMicros: [], rates: [] }]),
    );
    await measureLive(context, admin, measured);
    await measureBacklog(context, admin, measured);
    await admin.close();
    for (const compression of COMPRESSIONS.slice(1)) printFigures(context, compression, measured);
  },
};

async function measureLive(
  context: BenchContext,
  admin: Admin,
  measured: ReadonlyMap<Compression, Measured>,
): Promise<void> {
  let before: MachineUse = new Map();
  await compareLatency(
    context,
    ROUNDS,
    COMPRESSIONS.map((compression) => ({
      name: nameOf(compression),
      env: {},
      async prepare(prefix) {
        await compressBy(admin, prefix, compression);
        before = await machineUse();
      },
      async measured(prefix, messages) {
        const after = await machineUse();
        const each = (await bytesOf(admin, prefix)) / messages;
        measured.get(compression)?.bytes.push(each);
        measured.get(compression)?.brokerMicros.push(usedBy('broker', before, after, messages));
        context.print(`${nameOf(compression)}: ${format(each)} bytes a message in ${LOGS.join(' and ')}`);
        context.print(`µs of processor a message: ${usePerMessage(before, after, messages)}`);
      },
    })),
  );
}

/** Measures a match processor on one backlog with each compression, in turns. */
async function measureBacklog(
  context: BenchContext,
  admin: Admin,
  measured: ReadonlyMap<Compression, Measured>,
): Promise<void> {
  const backlogs = new Map<Compression, Backlog>();
  for (const compression of COMPRESSIONS) {
    const prefix = context.prefix(`backlog-${compression}`);
    await createTopics({ brokers: context.brokers, prefix });
    await compressBy(admin, prefix, compression);
    backlogs.set(compression, await writeBacklog(context, { prefix, events: EVENTS, messages: MESSAGES }));
  }
  for (let round = FIRST_ROUND; round <= ROUNDS; round++) {
    for (const [compression, { prefix, records }] of backlogs) {
      const job = OURS.on(prefix, round);
      await prepare(context, job);
      const run = await runThrough(context, job, records);
      context.print(
        `${roundName(round)} ${nameOf(compression)}: ${format(rate(run))} msg/s, ${run.cpuSeconds.toFixed(1)} s of processor`,
      );
      if (round > 0) measured.get(compression)?.rates.push(rate(run));
    }
  }
  for (const { prefix } of backlogs.values())
    await remove(context.brokers, prefix, [OURS.on(prefix, 0).group]);
}

function nameOf(compression: Compression): string {
  return compression === 'producer' ? 'not compressed' : compression;
}

function printFigures(
  context: BenchContext,
  compression: Compression,
  measured: ReadonlyMap<Compression, Measured>,
): void {
  const compare = (name: string, of: keyof Measured, unit: string, better: 'less' | 'more') =>
    context.figure({
      name: `${compression}: ${name}`,
      ours: median(measured.get(compression)?.[of] ?? []),
      beside: { name: 'not compressed', value: median(measured.get('producer')?.[of] ?? []) },
      unit,
      better,
    });
  compare('bytes a message', 'bytes', 'bytes', 'less');
  compare('processor time of the broker a message', 'brokerMicros', 'µs', 'less');
  compare('one match processor from a backlog', 'rates', 'msg/s', 'more');
}

function compressBy(admin: Admin, prefix: string, compression: Compression): Promise<void> {
  return admin.incrementalAlterConfigs({
    resources: LOGS.map((topic) => ({
      resourceType: ConfigResourceTypes.TOPIC,
      resourceName: topicName(prefix, topic),
      configs: [
        {
          name: 'compression.type',
          configOperation: IncrementalAlterConfigOperationTypes.SET,
          value: compression,
        },
      ],
    })),
  });
}

/** Returns the stored size of both logs on leaders and followers, bytes. */
async function bytesOf(admin: Admin, prefix: string): Promise<number> {
  const names = LOGS.map((topic) => topicName(prefix, topic));
  const topics = await admin.metadata({ topics: names });
  const described = await admin.describeLogDirs({
    topics: names.map((name) => ({
      name,
      partitions: Array.from({ length: topics.topics.get(name)?.partitionsCount ?? 0 }, (_, n) => n),
    })),
  });
  return described
    .flatMap(({ results }) => results)
    .flatMap((dir) => dir.topics)
    .flatMap(({ partitions }) => partitions)
    .reduce((sum, { partitionSize }) => sum + Number(partitionSize), 0);
}
