/** Brokers of tests: with listeners beside the plain one, or several in one cluster. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Kafka, type KafkaOptions, startKafka } from '../kafka.ts';
import { freePort, HOST } from '../ports.ts';

/** A listener beside the plain one. */
export type Listener = {
  readonly name: string;
  readonly protocol: 'PLAINTEXT' | 'SSL' | 'SASL_SSL';
  /** The port on this machine that clients are told, such as that of a proxy. Default: its own. */
  readonly advertisedPort?: number;
};

export type TestKafkaOptions = Omit<KafkaOptions, 'preferredPort'> & {
  readonly listeners?: readonly Listener[];
  /** Its place in a cluster whose brokers are all controllers: its id, from 1, and their ports. Default: a cluster of its own. */
  readonly quorum?: { readonly id: number; readonly controllers: readonly number[] };
};

/** A broker, and the ports of its listeners by name; that of its clients on this machine is PLAINTEXT. */
export type TestKafka = Kafka & { readonly ports: Readonly<Record<string, number>> };

/** Starts a broker in a new folder. Throws as `startKafka`. */
export async function startTestKafka(options: TestKafkaOptions): Promise<TestKafka> {
  const { listeners = [], quorum, settings, ...others } = options;
  const { id, controllers } = quorum ?? { id: 1, controllers: await freePorts(1) };
  const names = ['PLAINTEXT', ...listeners.map(({ name }) => name)];
  const free = await freePorts(names.length, controllers);
  const ports: TestKafka['ports'] = Object.fromEntries(names.map((name, at) => [name, free[at] as number]));
  const url = (name: string, port = ports[name]) => `${name}://${HOST}:${port}`;
  const urls = names.map((name) => url(name));
  const kafka = await startKafka({
    ...others,
    preferredPort: ports.PLAINTEXT,
    settings: {
      'node.id': String(id),
      'controller.quorum.voters': controllers.map((port, at) => `${at + 1}@${HOST}:${port}`).join(','),
      listeners: [...urls, url('CONTROLLER', controllers[id - 1])].join(','),
      'advertised.listeners': [
        url('PLAINTEXT'),
        ...listeners.map(({ name, advertisedPort }) => url(name, advertisedPort)),
      ].join(','),
      'listener.security.protocol.map': [
        'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
        ...listeners.map(({ name, protocol }) => `${name}:${protocol}`),
      ].join(','),
      ...settings,
    },
  });
  return Object.assign(kafka, { ports });
}

/** Returns as many free ports, none twice and none of `taken`. */
async function freePorts(count: number, taken: readonly number[] = []): Promise<number[]> {
  const all = new Set(taken);
  while (all.size < taken.length + count) all.add(await freePort());
  return [...all].slice(taken.length);
}

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
  readonly nodes: readonly TestKafka[];
  stop(): Promise<void>;
};

/** Starts three brokers that are all controllers, at once: none is ready before two of them run. Throws as `startKafka`. */
export async function startKafkaCluster(options: TestKafkaOptions): Promise<KafkaCluster> {
  const controllers = await freePorts(3);
  const clusterId = randomBytes(16).toString('base64url');
  const nodes = await Promise.all(
    [1, 2, 3].map((id) =>
      startTestKafka({
        ...options,
        dataDir: join(options.dataDir, `broker-${id}`),
        clusterId,
        quorum: { id, controllers },
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
