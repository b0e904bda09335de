import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import {
  type BrokerSecurity,
  clusterIdOf,
  format,
  type Jvm,
  launch,
  type Node,
  type Ports,
} from './broker.ts';
import { type OwnedFolder, ownFolder } from './folder.ts';
import { findJava, install } from './installation.ts';
import { freePort, HOST, startOnFreePort } from './ports.ts';
import type { OnProgress } from './progress.ts';
import { type Controls, controls, type RunningServer } from './server.ts';
import { CLUSTER_BROKER, type Env, LONE_BROKER } from './settings.ts';

type BrokerOptions = {
  /** Folder for the brokers' data, settings and logs. Created if it is missing. */
  readonly dataDir: string;
  /** Version of Apache Kafka. Default: KAFKA_VERSION. Another version is downloaded in addition. */
  readonly version?: string;
  /** Adds the listeners TLS and SASL. Default: neither. */
  readonly security?: BrokerSecurity;
  /** Broker settings that override the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly jvmArgs?: readonly string[];
  readonly env?: Env;
  readonly onProgress?: OnProgress;
  /** Called with the brokers' addresses before they answer, and again with others if another process took a port. */
  readonly onStarting?: (brokers: readonly string[]) => void;
};

export type KafkaOptions = BrokerOptions & {
  /** A fixed port. Default: `preferredPort` or that of the last start in this folder if free, else a free one. */
  readonly port?: number;
  /** Port to use if it is free, before that of the last start. */
  readonly preferredPort?: number | undefined;
  /** Port of a proxy on this machine: the broker opens `proxiedPort` for it, and advertises the proxy to its clients. */
  readonly proxyPort?: number;
};

/** A broker that ends with this process, even by a kill. `start` and `restart` keep the ports; `stop` releases the folder. */
export type Kafka = Controls & {
  readonly brokers: string[];
  readonly port: number;
  /** Target port of its proxy; null without `proxyPort`. */
  readonly proxiedPort: number | null;
  /** Addresses of its secured listeners; null without `security`. */
  readonly secured: { readonly tls: string[]; readonly sasl: string[] } | null;
};

/** The brokers of one cluster. */
export type KafkaCluster = {
  readonly brokers: string[];
  /** The brokers in the order of their node ids, from 1. `stop` of one is final. */
  readonly nodes: readonly Kafka[];
  stop(): Promise<void>;
};

/** Starts a single broker that is its own controller (KRaft); keeps the data of an existing folder. Throws EmbeddedError. */
export async function startKafka(options: KafkaOptions): Promise<Kafka> {
  const [kafka] = await startNodes(options, [resolve(options.dataDir)], LONE_BROKER);
  return kafka as Kafka;
}

/** Starts a cluster (KRaft) whose brokers are all controllers; two of three replicas must be in sync. Throws as `startKafka`. */
export async function startKafkaCluster(
  options: BrokerOptions & { readonly brokers: number },
): Promise<KafkaCluster> {
  const folders = Array.from({ length: options.brokers }, (_, index) =>
    resolve(options.dataDir, `broker-${index + 1}`),
  );
  const nodes = await startNodes(options, folders, CLUSTER_BROKER);
  return {
    brokers: nodes.flatMap((node) => node.brokers),
    nodes,
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
}

/** Starts a broker in each folder. `settings`: their defaults. The ports of the options are those of a single broker. */
async function startNodes(
  options: KafkaOptions,
  folders: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Kafka[]> {
  const { env = process.env, onProgress = () => {}, port: fixed, preferredPort } = options;
  const java = await findJava(env);
  const { kafkaLibs, classArchives } = await install(env, onProgress, options.version);
  const jvm: Jvm = { java, args: options.jvmArgs ?? [], libs: kafkaLibs, classArchives, env };
  const owned: OwnedFolder[] = [];
  try {
    for (const folder of folders) owned.push(await ownFolder(folder));
    onProgress(`starting the Kafka broker${folders.length > 1 ? 's' : ''}`);
    return await startOnFreePort(fixed, [preferredPort, owned[0]?.last?.port], async (port) => {
      const ports = await plannedPorts(options, owned, port);
      const voters = ports.map(({ controllerPort }, index) => `${index + 1}@${HOST}:${controllerPort}`);
      const nodes = ports.map((of, index) => ({
        id: index + 1,
        folder: folders[index] as string,
        ports: of,
        voters,
        proxyPort: options.proxyPort,
        security: options.security,
        settings: { ...settings, ...options.settings },
      }));
      options.onStarting?.(nodes.map(({ ports }) => addressOf(ports)));
      await formatMissing(jvm, nodes);
      return await launchAll(jvm, nodes, owned);
    });
  } catch (error) {
    for (const folder of owned) folder.release();
    throw error;
  }
}

/** Returns the ports of each broker, of which the first listens on `port`: those of its last start where they are free. */
async function plannedPorts(
  { proxyPort, security }: KafkaOptions,
  owned: readonly OwnedFolder[],
  port: number,
): Promise<Ports[]> {
  const taken = new Set([port]);
  const free = async (preferred: number | null | undefined): Promise<number> => {
    const found = await freePort(preferred, taken);
    taken.add(found);
    return found;
  };
  const ports: Ports[] = [];
  for (const [index, { last }] of owned.entries()) {
    ports.push({
      port: index === 0 ? port : await free(last?.port),
      controllerPort: await free(last?.controllerPort),
      proxiedPort: proxyPort === undefined ? null : await free(last?.proxiedPort),
      secured: security && { tls: await free(last?.secured?.tls), sasl: await free(last?.secured?.sasl) },
    });
  }
  return ports;
}

/** Formats new folders with the cluster id of existing ones, or a new id. */
async function formatMissing(jvm: Jvm, nodes: readonly Node[]): Promise<void> {
  const ids = await Promise.all(nodes.map(({ folder }) => clusterIdOf(folder)));
  const clusterId = ids.find((id) => id !== undefined) ?? randomBytes(16).toString('base64url');
  await Promise.all(
    nodes.map((node, index) => (ids[index] === undefined ? format(jvm, node, clusterId) : null)),
  );
}

/** Starts all brokers at once, since none is ready before more than half of them run. A failure stops the others. */
async function launchAll(jvm: Jvm, nodes: readonly Node[], owned: readonly OwnedFolder[]): Promise<Kafka[]> {
  const started = await Promise.allSettled(
    nodes.map((node, index) => launch(jvm, node, owned[index] as OwnedFolder)),
  );
  const failed = started.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    for (const outcome of started) if (outcome.status === 'fulfilled') await outcome.value.stop();
    throw failed.reason;
  }
  return nodes.map((node, index) => {
    const folder = owned[index] as OwnedFolder;
    const { value: server } = started[index] as PromiseFulfilledResult<RunningServer>;
    const handle = controls(
      server,
      () => launch(jvm, node, folder),
      () => folder.release(),
    );
    const { port, proxiedPort, secured } = node.ports;
    return Object.assign(handle, {
      brokers: [addressOf(node.ports)],
      port,
      proxiedPort,
      secured:
        secured === undefined ? null : { tls: [`${HOST}:${secured.tls}`], sasl: [`${HOST}:${secured.sasl}`] },
    });
  });
}

function addressOf({ port }: Ports): string {
  return `${HOST}:${port}`;
}
