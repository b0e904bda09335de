import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readyClusterId } from '#cluster/access.ts';
import { adviceOf, shortageIn } from '#errors/shortages.ts';
import { reasonOf } from '#errors/touchline-error.ts';
import { makeFolder } from '#security/folders.ts';
import type { OwnedFolder, SecuredPorts } from './folder.ts';
import { classArchive, type Java } from './installation.ts';
import { HOST, requireFree } from './ports.ts';
import { type RunningServer, startServer } from './server.ts';
import { EmbeddedError, type Env, stderrOf } from './settings.ts';

/** The parts of every broker process: Java, its further arguments, the jars of Apache Kafka, the folder of class archives, the environment. */
export type Jvm = {
  readonly java: Java;
  readonly args: readonly string[];
  readonly libs: string;
  readonly classArchives: string;
  readonly env: Env;
};

/** The ports of one broker. */
export type Ports = {
  readonly port: number;
  readonly controllerPort: number;
  /** Port to which a proxy forwards; null without a proxy. */
  readonly proxiedPort: number | null;
  readonly secured: SecuredPorts | undefined;
};

/** Broker settings of the listeners TLS and SASL, and their arguments for formatting the storage. */
export type BrokerSecurity = {
  readonly settings: Readonly<Record<string, string>>;
  readonly storageArguments: readonly string[];
};

/** One broker of a cluster. Every broker is also a controller. */
export type Node = {
  readonly id: number;
  readonly folder: string;
  readonly ports: Ports;
  /** `node id@host:port` of every controller. */
  readonly voters: readonly string[];
  /** Port that its proxied listener advertises to clients. */
  readonly proxyPort: number | undefined;
  readonly security: BrokerSecurity | undefined;
  readonly settings: Readonly<Record<string, string>>;
};

/** Far above the usual time, for busy machines. */
const READY_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 30_000;

/** Starts the broker of a formatted folder and waits until it answers. Throws START_…, PORT_IN_USE, DATA_FOLDER_NEWER. */
export async function launch(jvm: Jvm, node: Node, owned: OwnedFolder): Promise<RunningServer> {
  const { folder, ports } = node;
  const logs = join(folder, 'logs');
  makeFolder(logs);
  const properties = join(folder, 'server.properties');
  const data = join(folder, 'data');
  await writeFile(properties, render(brokerSettings(node, data)));
  await owned.note({ owner: process.pid, ...ports });
  await requireFree(ports.port);
  // The answer must come from this broker, not from one that took the port first.
  const clusterId = await clusterIdOf(folder);
  const archive = classArchive(jvm.classArchives, 'kafka', jvm.java);
  const server = await startServer({
    name: 'Kafka broker',
    process: {
      command: jvm.java.path,
      args: [
        '-Xmx1024m',
        '-Xms128m',
        '-XX:+UseSerialGC',
        '-XX:+ExitOnOutOfMemoryError',
        ...archive.jvmArgs,
        ...jvm.args,
        `-Dlog4j2.configurationFile=${join(import.meta.dirname, 'log4j2.properties')}`,
        `-Dtouchline.logs=${logs}`,
        '-cp',
        join(jvm.libs, '*'),
        'kafka.Kafka',
        properties,
      ],
      env: jvm.env,
      cwd: folder,
      outputFile: join(logs, 'kafka.out'),
      graceSeconds: 8,
    },
    logFile: join(logs, 'kafka.log'),
    // Before it is ready: the broker holds the folder from its start, also if this process is then killed.
    onSpawned: (pid) => owned.note({ owner: process.pid, broker: pid, ...ports }),
    ready: async () => (await readyClusterId([`${HOST}:${ports.port}`])) === clusterId,
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  }).catch((error: unknown) => {
    const isNewer =
      error instanceof EmbeddedError && error.code === 'START_FAILED' && WRITTEN_BY_NEWER.test(error.message);
    if (!isNewer) throw error;
    throw new EmbeddedError(
      'DATA_FOLDER_NEWER',
      `the data in ${folder} was written by a newer Kafka, and this version cannot read it: remove the folder to start with empty topics, or set DATA_DIR to another folder; to keep the data, run the newer Kafka on it and set KAFKA_BROKERS and SCHEMA_REGISTRY_URL`,
      error,
    );
  });
  await archive.write(server.pid);
  return server;
}

/** Messages of a broker whose data has an unknown metadata version or an unknown record. */
const WRITTEN_BY_NEWER =
  /UnsupportedVersionException: Can't read version|No MetadataVersion with feature level/;

/** Returns the cluster id in a broker's folder; undefined if the folder is not formatted. */
export async function clusterIdOf(folder: string): Promise<string | undefined> {
  const file = join(folder, 'data', 'meta.properties');
  if (!existsSync(file)) return undefined;
  return /^cluster\.id=(.+)$/m.exec(await readFile(file, 'utf8'))?.[1]?.trim();
}

/** Formats a new folder and renames it, so that a killed start leaves no half-formatted data. Throws START_FAILED. */
export async function format(jvm: Jvm, node: Node, clusterId: string): Promise<void> {
  const { folder } = node;
  const fresh = join(folder, 'data.new');
  await rm(fresh, { recursive: true, force: true });
  const properties = join(folder, 'format.properties');
  await writeFile(properties, render(brokerSettings(node, fresh)));
  const tool = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', join(jvm.libs, '*')];
  try {
    const args = [
      ...tool,
      'kafka.tools.StorageTool',
      'format',
      `--cluster-id=${clusterId}`,
      '--config',
      properties,
    ];
    args.push(...(node.security?.storageArguments ?? []));
    await promisify(execFile)(jvm.java.path, args, { env: jvm.env, timeout: READY_TIMEOUT_MS });
  } catch (cause) {
    const text = stderrOf(cause) || reasonOf(cause);
    const lacked = shortageIn(text);
    const why = lacked === null ? text : `${adviceOf(lacked)} (${folder})`;
    throw new EmbeddedError('START_FAILED', `the broker's storage could not be formatted: ${why}`, cause);
  }
  await rm(properties);
  await rename(fresh, join(folder, 'data'));
}

/** Returns a broker's settings. Its listener PROXIED serves clients of a proxy, and advertises the proxy's address. */
function brokerSettings(node: Node, logDir: string): Record<string, string> {
  const { port, controllerPort, proxiedPort, secured } = node.ports;
  const listeners = [`PLAINTEXT://${HOST}:${port}`];
  const advertised = [...listeners];
  if (proxiedPort !== null) {
    listeners.push(`PROXIED://${HOST}:${proxiedPort}`);
    advertised.push(`PROXIED://${HOST}:${node.proxyPort}`);
  }
  if (secured !== undefined) {
    const both = [`TLS://${HOST}:${secured.tls}`, `SASL://${HOST}:${secured.sasl}`];
    listeners.push(...both);
    advertised.push(...both);
  }
  return {
    'node.id': String(node.id),
    'controller.quorum.voters': node.voters.join(','),
    listeners: [...listeners, `CONTROLLER://${HOST}:${controllerPort}`].join(','),
    'advertised.listeners': advertised.join(','),
    'listener.security.protocol.map':
      'PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT,TLS:SSL,SASL:SASL_SSL',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': logDir,
    ...node.security?.settings,
    ...node.settings,
  };
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
