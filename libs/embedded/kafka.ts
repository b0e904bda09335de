import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readyClusterId } from '#cluster/access.ts';
import { reasonOf } from '#errors/touchline-error.ts';
import { type OwnedFolder, ownFolder } from './folder.ts';
import { findJava, install, javaCommand } from './installation.ts';
import { freePort, HOST, requireFree } from './ports.ts';
import type { OnProgress } from './progress.ts';
import { lackOf, Server } from './server.ts';
import { CLUSTER_BROKER, EmbeddedError, type Env, LONE_BROKER, stderrOf } from './settings.ts';

/** Broker settings of the listeners TLS and SASL, and their arguments for formatting the storage. */
export type BrokerSecurity = {
  readonly settings: Readonly<Record<string, string>>;
  readonly storageArguments: readonly string[];
};

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
  /** Called with the brokers' addresses before they answer. */
  readonly onStarting?: (brokers: readonly string[]) => void;
};

export type KafkaOptions = BrokerOptions & {
  /** A fixed port. Default: `preferredPort` or that of the last start in this folder if free, else a free one. */
  readonly port?: number;
  readonly preferredPort?: number | undefined;
  /** Port of a proxy on this machine: the broker opens `proxiedPort` for it, and advertises the proxy to its clients. */
  readonly proxyPort?: number;
};

/** A broker. `start` keeps the ports; `stop` releases the folder. */
export type Kafka = Server & {
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

/** The port of each listener. PROXIED serves clients of a proxy. */
type Ports = Readonly<Partial<Record<'PROXIED' | 'TLS' | 'SASL', number>>> & {
  readonly PLAINTEXT: number;
  readonly CONTROLLER: number;
};

/** A broker to start. Every broker is also a controller. */
type Node = {
  readonly owned: OwnedFolder;
  readonly ports: Ports;
  /** Returns its settings with this data folder. */
  settings(logDir: string): Readonly<Record<string, string>>;
  /** Runs a class of Kafka. */
  run(main: string, jvmArgs: readonly string[]): { readonly command: string; readonly args: string[] };
};

/** Starts a broker in each folder. `defaults`: their settings. The ports of the options are those of a single broker. */
async function startNodes(
  options: KafkaOptions,
  folders: readonly string[],
  defaults: Readonly<Record<string, string>>,
): Promise<Kafka[]> {
  const { env = process.env, onProgress = () => {}, proxyPort, security } = options;
  const java = await findJava(env);
  const { kafkaLibs, classArchives } = await install(env, onProgress, options.version);
  const owned: OwnedFolder[] = [];
  let started: readonly Kafka[] = [];
  try {
    for (const folder of folders) owned.push(await ownFolder(folder));
    onProgress(`starting the Kafka broker${folders.length > 1 ? 's' : ''}`);
    const ports = await plannedPorts(options, owned);
    const voters = ports.map(({ CONTROLLER }, at) => `${at + 1}@${HOST}:${CONTROLLER}`).join(',');
    const nodes = owned.map((folder, at): Node => {
      const of = ports[at] as Ports;
      return {
        owned: folder,
        ports: of,
        settings: (logDir) => ({
          'node.id': String(at + 1),
          'controller.quorum.voters': voters,
          ...listeners(of, proxyPort),
          'log.dirs': logDir,
          ...security?.settings,
          ...defaults,
          ...options.settings,
        }),
        run: (main, args) => ({
          command: java.path,
          args: ['-XX:+UseSerialGC', ...args, '-cp', join(kafkaLibs, '*'), main],
        }),
      };
    });
    options.onStarting?.(ports.map(addressOf));
    const ids = await Promise.all(folders.map(clusterIdOf));
    const clusterId = ids.find((id) => id !== undefined) ?? randomBytes(16).toString('base64url');
    const formatting = nodes.filter((_, at) => ids[at] === undefined);
    await Promise.all(formatting.map((node) => format(node, clusterId, env, security)));
    const jvmArgs = [...javaCommand(java, classArchives, 'kafka', 1024), ...(options.jvmArgs ?? [])];
    started = nodes.map((node) => brokerOf(node, env, jvmArgs));
    // All at once, since none is ready before more than half of them run.
    const outcomes = await Promise.allSettled(started.map((broker) => broker.start()));
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw orNewer(failed.reason, options.dataDir);
    return [...started];
  } catch (error) {
    for (const broker of started) await broker.stop();
    for (const folder of owned) folder.release();
    throw error;
  }
}

/** Returns the ports of each broker: those of its last start where they are free. */
async function plannedPorts(
  { port, preferredPort, proxyPort, security }: KafkaOptions,
  owned: readonly OwnedFolder[],
): Promise<Ports[]> {
  const taken = new Set<number>();
  const planned: Ports[] = [];
  for (const { last } of owned) {
    const free = async (listener: keyof Ports, ...first: readonly (number | undefined)[]) => {
      const preferred = [...first, last?.ports?.[listener]];
      let found: number;
      do found = await freePort(...preferred.filter((one) => one !== undefined && !taken.has(one)));
      while (taken.has(found));
      taken.add(found);
      return found;
    };
    planned.push({
      PLAINTEXT: port ?? (await free('PLAINTEXT', preferredPort)),
      CONTROLLER: await free('CONTROLLER'),
      ...(proxyPort !== undefined && { PROXIED: await free('PROXIED') }),
      ...(security !== undefined && { TLS: await free('TLS'), SASL: await free('SASL') }),
    });
  }
  return planned;
}

function addressOf({ PLAINTEXT }: Ports): string {
  return `${HOST}:${PLAINTEXT}`;
}

/** Returns the settings of listeners. */
function listeners(ports: Ports, proxyPort: number | undefined): Record<string, string> {
  const url = ([name, port]: readonly [string, number | undefined]) => `${name}://${HOST}:${port}`;
  const all = Object.entries(ports);
  const advertised = all.filter(([name]) => name !== 'CONTROLLER');
  return {
    listeners: all.map(url).join(','),
    'advertised.listeners': advertised
      .map(([name, port]) => url([name, name === 'PROXIED' ? proxyPort : port]))
      .join(','),
    'listener.security.protocol.map':
      'PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT,TLS:SSL,SASL:SASL_SSL',
    'inter.broker.listener.name': 'PLAINTEXT',
  };
}

/** Returns the cluster id in a broker's folder; undefined if the folder is not formatted. */
async function clusterIdOf(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'data', 'meta.properties'), 'utf8').catch(() => '');
  return /^cluster\.id=(.+)$/m.exec(text)?.[1]?.trim();
}

/** Formats a new folder and renames it, so that a killed start leaves no half-formatted data. Throws START_FAILED. */
async function format(node: Node, clusterId: string, env: Env, security?: BrokerSecurity): Promise<void> {
  const { path } = node.owned;
  const fresh = join(path, 'data.new');
  await rm(fresh, { recursive: true, force: true });
  const properties = join(path, 'format.properties');
  await writeFile(properties, render(node.settings(fresh)));
  const { command, args } = node.run('kafka.tools.StorageTool', ['-XX:TieredStopAtLevel=1']);
  args.push('format', `--cluster-id=${clusterId}`, '--config', properties);
  args.push(...(security?.storageArguments ?? []));
  await promisify(execFile)(command, args, { env }).catch((cause: unknown) => {
    const text = stderrOf(cause) || reasonOf(cause);
    const why = lackOf(text, path) ?? text;
    throw new EmbeddedError('START_FAILED', `the broker's storage could not be formatted: ${why}`, cause);
  });
  await rm(properties);
  await rename(fresh, join(path, 'data'));
}

/** Returns the broker of a formatted folder, which is not started yet. */
function brokerOf({ owned, ports, settings, run }: Node, env: Env, jvmArgs: readonly string[]): Kafka {
  const { path } = owned;
  const properties = join(path, 'server.properties');
  const notes = { owner: process.pid, ports };
  const broker = new Server({
    name: 'Kafka broker',
    log: 'kafka',
    folder: path,
    async prepare() {
      await writeFile(properties, render(settings(join(path, 'data'))));
      await owned.note(notes);
      await requireFree(ports.PLAINTEXT);
      const logging = `-Dlog4j2.configurationFile=${join(import.meta.dirname, 'log4j2.properties')}`;
      const args = [...jvmArgs, logging, `-Dtouchline.logs=${join(path, 'logs')}`];
      const { command, args: all } = run('kafka.Kafka', args);
      return { command, args: [...all, properties], env };
    },
    // Before it is ready: the broker holds the folder from its start, also if this process is then killed.
    onSpawned: (broker) => owned.note({ ...notes, broker }),
    // The answer must come from this broker, not from one that took the port first.
    ready: async () => (await readyClusterId([addressOf(ports)])) === (await clusterIdOf(path)),
    onStopped: owned.release,
  });
  const { TLS, SASL, PROXIED = null } = ports;
  return Object.assign(broker, {
    brokers: [addressOf(ports)],
    port: ports.PLAINTEXT,
    proxiedPort: PROXIED,
    secured: TLS === undefined ? null : { tls: [`${HOST}:${TLS}`], sasl: [`${HOST}:${SASL}`] },
  });
}

/** Messages of a broker whose data has an unknown metadata version or an unknown record. */
const WRITTEN_BY_NEWER =
  /UnsupportedVersionException: Can't read version|No MetadataVersion with feature level/;

/** Returns DATA_FOLDER_NEWER for such a broker, else the error. */
function orNewer(error: unknown, folder: string): unknown {
  if (!WRITTEN_BY_NEWER.test(reasonOf(error))) return error;
  return new EmbeddedError(
    'DATA_FOLDER_NEWER',
    `the data in ${folder} was written by a newer Kafka, and this version cannot read it: remove the folder to start with empty topics, or set DATA_DIR to another folder; to keep the data, run the newer Kafka on it and set KAFKA_BROKERS and SCHEMA_REGISTRY_URL`,
    error,
  );
}

/** Renders a properties file, which is Latin-1 with backslash escapes. */
function render(settings: Readonly<Record<string, string>>): string {
  const escaped = (value: string) =>
    value
      .replaceAll('\\', '\\\\')
      .replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${escaped(value)}\n`)
    .join('');
}
