import { Admin, ConfigResourceTypes, IncrementalAlterConfigOperationTypes } from '@platformatic/kafka';
import { type TopicName, topicName } from '#topics/topics.ts';
import { type Bench, type BenchContext, format, median } from './context.ts';
import { compareLatency } from './latency.ts';
import { sizeOf } from './size.ts';

const ROUNDS = sizeOf('BENCH_ROUNDS', 2, 1);

/** What the provider sent: nearly all of the bytes. */
const LOGS: readonly TopicName[] = ['raw-messages', 'normalized-messages'];
/** As the producer sends them, which compresses nothing, and as the broker may store them. */
const COMPRESSIONS = ['producer', 'lz4', 'zstd'] as const;

type Compression = (typeof COMPRESSIONS)[number];

/**
 * What the broker's compression of both logs saves and costs, at 200 messages a second with one message a delivery: batches
 * are as small as a live match makes them.
 */
export const bench: Bench = {
  about: 'bytes of the logs, and latency, with compression by the broker',
  subject: ['libs/ingestion', 'libs/streams', 'libs/topics', 'services/webhook-receiver'],
  async run(context) {
    const admin = new Admin({ clientId: 'bench-log-size', bootstrapBrokers: [...context.brokers] });
    const bytes = new Map<Compression, number[]>(COMPRESSIONS.map((of) => [of, []]));
    await compareLatency(
      context,
      ROUNDS,
      COMPRESSIONS.map((compression) => ({
        name: compression === 'producer' ? 'not compressed' : compression,
        env: {},
        prepare: (prefix) => compressBy(admin, prefix, compression),
        async measured(prefix, messages) {
          const each = (await bytesOf(admin, prefix)) / messages;
          bytes.get(compression)?.push(each);
          context.print(`${compression}: ${format(each)} bytes a message in ${LOGS.join(' and ')}`);
        },
      })),
    );
    await admin.close();
    for (const compression of COMPRESSIONS.slice(1)) printSize(context, compression, bytes);
  },
};

function printSize(
  context: BenchContext,
  compression: Compression,
  bytes: ReadonlyMap<Compression, readonly number[]>,
): void {
  context.figure({
    name: `${compression}: bytes a message`,
    ours: median(bytes.get(compression) ?? []),
    beside: { name: 'not compressed', value: median(bytes.get('producer') ?? []) },
    unit: 'bytes',
    better: 'less',
  });
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

/** What the leaders and followers store of both logs, bytes. */
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
