import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import {
  type BrokerProcessOptions,
  type BrokerSecurity,
  clusterIdOf,
  format,
  type Jvm,
  launch,
  type Node,
  type Ports,
} from './broker.ts';
import { type OwnedFolder, ownFolder } from './folder.ts';
import { install } from './installation.ts';
import { findJava } from './java.ts';
import { freePort, HOST, untilPortHolds } from './ports.ts';
import type { OnProgress } from './progress.ts';
import { type Controls, controls, type RunningServer } from './server.ts';
import { CLUSTER_BROKER, type Env, LONE_BROKER } from './settings.ts';

type BrokerOptions = BrokerProcessOptions & {
  /** The brokers' own folder: their data, settings and logs. Created where it is missing. */
  readonly dataDir: string;
  /** Version of Apache Kafka. Default KAFKA_VERSION; another one is downloaded beside it. */
  readonly version?: string;
  /** Two further listeners, TLS and SASL. Default: none. */
  readonly security?: BrokerSecurity;
  /** Broker settings that override the ones here. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Env;
  readonly onProgress?: OnProgress;
  /**
   * Called with the brokers' addresses before they answer, for what can start beside them: again with others where a port was
   * taken meanwhile.
   */
  readonly onStarting?: (brokers: readonly string[]) => void;
};

export type KafkaOptions = BrokerOptions & {
  /** A fixed port. Default: `preferredPort` or the port of the last start here when free, else a free one. */
  readonly port?: number;
  /** Used where it is free, before that of the last start. */
  readonly preferredPort?: number | undefined;
  /**
   * The port of a proxy on this machine: the broker opens another listener (`proxiedPort`) as the proxy's target, and
   * advertises the proxy to clients that connect through it.
   */
  readonly proxyPort?: number;
};

export type KafkaClusterOptions = BrokerOptions & {
  /** Number of brokers, three at least. */
  readonly brokers: number;
  /** `proxyPort` for each broker. */
  readonly proxyPorts?: readonly number[];
};

/**
 * A broker on this machine, with its data. It ends with this process, even when this one is killed. `start` and
 * `restart` keep the ports; `stop` releases the data folder.
 */
export type Kafka = Controls & {
  readonly brokers: string[];
  readonly port: number;
  /** The target port of its proxy; null without `proxyPort`. */
  readonly proxiedPort: number | null;
  /** The addresses of its secured listeners; null without `security`. */
  readonly secured: { readonly tls: string[]; readonly sasl: string[] } | null;
};

/** Several brokers of one cluster. */
export type KafkaCluster = {
  readonly brokers: string[];
  /** Each of them, in the order of their node ids, from 1. `stop` of one is final. */
  readonly nodes: readonly Kafka[];
  /** Graceful, final stop of all of them. */
  stop(): Promise<void>;
};

/**
 * Starts a single broker that is its own controller (KRaft). Storage is formatted when the folder is new; otherwise
 * topics, offsets and transactions are kept. Throws EmbeddedError: DATA_FOLDER_IN_USE, DATA_FOLDER_NEWER,
 * JAVA_…, MAVEN_MISSING, DOWNLOAD_FAILED, PORT_IN_USE (a port was asked for), START_….
 */
export async function startKafka(options: KafkaOptions): Promise<Kafka> {
  const folder = resolve(options.dataDir);
  const [kafka] = await startNodes(options, {
    folders: [folder],
    port: options.port,
    preferredPort: options.preferredPort,
    proxyPorts: options.proxyPort === undefined ? [] : [options.proxyPort],
    settings: LONE_BROKER,
  });
  return kafka as Kafka;
}

/**
 * Starts a cluster (KRaft) in which every broker is a controller too: it works while more than half of them run, and any
 * of them may be killed, also the active controller. Internal topics and those created without a number have three
 * replicas and need two in sync. Throws as `startKafka`.
 */
export async function startKafkaCluster(options: KafkaClusterOptions): Promise<KafkaCluster> {
  const folders = Array.from({ length: options.brokers }, (_, index) =>
    resolve(options.dataDir, `broker-${index + 1}`),
  );
  const nodes = await startNodes(options, {
    folders,
    port: undefined,
    preferredPort: undefined,
    proxyPorts: options.proxyPorts ?? [],
    settings: CLUSTER_BROKER,
  });
  return {
    brokers: nodes.flatMap((node) => node.brokers),
    nodes,
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
}

/** The brokers of a cluster: a folder each; `port` and `settings` as of the first and as of all. */
type Plan = {
  readonly folders: readonly string[];
  readonly port: number | undefined;
  readonly preferredPort: number | undefined;
  readonly proxyPorts: readonly number[];
  readonly settings: Readonly<Record<string, string>>;
};

async function startNodes(options: BrokerOptions, plan: Plan): Promise<Kafka[]> {
  const env = options.env ?? process.env;
  const onProgress = options.onProgress ?? (() => {});
  const java = await findJava(env);
  const { kafkaLibs, classArchives } = await install(env, onProgress, options.version);
  const jvm: Jvm = { java, libs: kafkaLibs, classArchives, env };
  const owned: OwnedFolder[] = [];
  try {
    for (const folder of plan.folders) owned.push(await ownFolder(folder));
    onProgress(`starting the Kafka broker${plan.folders.length > 1 ? 's' : ''}`);
    return await untilPortHolds(plan.port, [plan.preferredPort, owned[0]?.last?.port], async (port) => {
      const nodes = await plannedNodes(plan, options, owned, port);
      options.onStarting?.(nodes.map(({ ports }) => addressOf(ports)));
      await formatMissing(jvm, nodes);
      return await launchAll(jvm, nodes, owned, options);
    });
  } catch (error) {
    for (const folder of owned) folder.release();
    throw error;
  }
}

/** Assigns ports to each broker: those of its last start where they are free; `port` is for the first one. */
async function plannedNodes(
  plan: Plan,
  options: BrokerOptions,
  owned: readonly OwnedFolder[],
  port: number,
): Promise<Node[]> {
  const taken = new Set([port]);
  const free = async (preferred: number | null | undefined): Promise<number> => {
    const found = await freePort(preferred ?? undefined, taken);
    taken.add(found);
    return found;
  };
  const ports: Ports[] = [];
  for (const [index, { last }] of owned.entries()) {
    ports.push({
      port: index === 0 ? port : await free(last?.port),
      controllerPort: await free(last?.controllerPort),
      proxiedPort: plan.proxyPorts[index] === undefined ? null : await free(last?.proxiedPort),
      secured:
        options.security === undefined
          ? null
          : { tls: await free(last?.secured?.tls), sasl: await free(last?.secured?.sasl) },
    });
  }
  const voters = ports.map(({ controllerPort }, index) => `${index + 1}@${HOST}:${controllerPort}`);
  return ports.map((of, index) => ({
    id: index + 1,
    folder: plan.folders[index] as string,
    ports: of,
    voters,
    proxyPort: plan.proxyPorts[index],
    security: options.security,
    settings: { ...plan.settings, ...options.settings },
  }));
}

/** Formats new folders, for the cluster of the other brokers. */
async function formatMissing(jvm: Jvm, nodes: readonly Node[]): Promise<void> {
  const ids = await Promise.all(nodes.map(({ folder }) => clusterIdOf(folder)));
  const clusterId = ids.find((id) => id !== undefined) ?? randomBytes(16).toString('base64url');
  await Promise.all(
    nodes.map((node, index) => (ids[index] === undefined ? format(jvm, node, clusterId) : null)),
  );
}

/** Starts all at once, since none is ready before more than half of them run. A failure ends the others. */
async function launchAll(
  jvm: Jvm,
  nodes: readonly Node[],
  owned: readonly OwnedFolder[],
  options: BrokerProcessOptions,
): Promise<Kafka[]> {
  const started = await Promise.allSettled(
    nodes.map((node, index) => launch(jvm, node, owned[index] as OwnedFolder, options)),
  );
  const failed = started.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    for (const outcome of started) if (outcome.status === 'fulfilled') await outcome.value.stop();
    throw failed.reason;
  }
  return nodes.map((node, index) => {
    const folder = owned[index] as OwnedFolder;
    const { value: server } = started[index] as PromiseFulfilledResult<RunningServer>;
    const startAgain = async () => launch(jvm, await placedAgain(node), folder, options);
    const handle = controls(server, startAgain, () => folder.release());
    const { port, proxiedPort, secured } = node.ports;
    return Object.assign(handle, {
      brokers: [addressOf(node.ports)],
      port,
      proxiedPort,
      secured:
        secured === null ? null : { tls: [`${HOST}:${secured.tls}`], sasl: [`${HOST}:${secured.sasl}`] },
    });
  });
}

function addressOf({ port }: Ports): string {
  return `${HOST}:${port}`;
}

/** A single broker may move its controller; in a cluster the others know its address. */
async function placedAgain(node: Node): Promise<Node> {
  if (node.voters.length > 1) return node;
  const controllerPort = await freePort(node.ports.controllerPort);
  return {
    ...node,
    ports: { ...node.ports, controllerPort },
    voters: [`${node.id}@${HOST}:${controllerPort}`],
  };
}
