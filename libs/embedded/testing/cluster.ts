/** Several brokers of one cluster, for tests. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Kafka, type KafkaOptions, startKafka } from '../kafka.ts';
import { freePort } from '../ports.ts';

/** Two of three replicas must acknowledge a record; the controllers show each other that they are alive. */
const CLUSTER_BROKER: Readonly<Record<string, string>> = {
  'metadata.max.idle.interval.ms': '500',
  'default.replication.factor': '3',
  'min.insync.replicas': '2',
  'offsets.topic.replication.factor': '3',
  'transaction.state.log.replication.factor': '3',
  'transaction.state.log.min.isr': '2',
  'share.coordinator.state.topic.replication.factor': '3',
  'share.coordinator.state.topic.min.isr': '2',
};

/** The brokers in the order of their node ids, from 1. `stop` of one is final. */
export type KafkaCluster = {
  readonly brokers: string[];
  readonly nodes: readonly Kafka[];
  stop(): Promise<void>;
};

/** Starts three brokers that are all controllers, at once: none is ready before two of them run. Throws as `startKafka`. */
export async function startKafkaCluster(options: KafkaOptions): Promise<KafkaCluster> {
  const controllers = new Set<number>();
  while (controllers.size < 3) controllers.add(await freePort());
  const clusterId = randomBytes(16).toString('base64url');
  const nodes = await Promise.all(
    [1, 2, 3].map((id) =>
      startKafka({
        ...options,
        dataDir: join(options.dataDir, `broker-${id}`),
        quorum: { id, clusterId, controllers: [...controllers] },
        settings: { ...CLUSTER_BROKER, ...options.settings },
      }),
    ),
  );
  return {
    brokers: nodes.flatMap(({ brokers }) => brokers),
    nodes,
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
}
