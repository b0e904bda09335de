import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedError, reasonOf } from './errors.ts';
import { type OwnedFolder, ownFolder } from './folder.ts';
import { install } from './installation.ts';
import { findJava } from './java.ts';
import { answersMetadata } from './metadata.ts';
import { freePort, HOST, requireFree, untilPortHolds } from './ports.ts';
import { type Controls, controls, type RunningServer, startServer } from './server.ts';
import { LONE_BROKER } from './settings.ts';
import type { Env, OnProgress } from './types.ts';

export type KafkaOptions = {
  /** The broker's own folder: its data, settings and logs. Made when it is not there. */
  readonly dataDir: string;
  /** Listen here and nowhere else. Default: the port of the last start in this folder when free, else a free one. */
  readonly port?: number;
  /** Broker settings that go over the ones below. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Largest heap in megabytes. Default 1024. */
  readonly heapMb?: number;
  /** Further arguments of the Java machine. */
  readonly jvmArgs?: readonly string[];
  /** How long a start may take. Default 180 s: one that ends is told at once. */
  readonly readyTimeoutMs?: number;
  readonly env?: Env;
  readonly onProgress?: OnProgress;
};

/**
 * A broker on this machine, with its data. It ends when this process does, even when this one is killed.
 * `start` and `restart` keep the port; `stop` lets go of the data folder.
 */
export type Kafka = Controls & { readonly brokers: string[]; readonly port: number };

type Ports = { readonly port: number; readonly controllerPort: number };

/** Far more than it takes, for a machine may be busy with other work. */
const READY_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 30_000;

/**
 * Starts a single broker that is its own controller (KRaft). Storage is formatted when the folder is new; otherwise
 * topics, offsets and transactions are what they were. Throws EmbeddedError: DATA_FOLDER_IN_USE, JAVA_…, MAVEN_MISSING,
 * DOWNLOAD_FAILED, PORT_IN_USE (a port was asked for), START_….
 */
export async function startKafka(options: KafkaOptions): Promise<Kafka> {
  const env = options.env ?? process.env;
  const onProgress = options.onProgress ?? (() => {});
  const folder = resolve(options.dataDir);
  const java = await findJava(env);
  const { kafkaLibs } = await install(env, onProgress);
  const jvm: Jvm = { java: java.path, libs: kafkaLibs, env, folder };
  const owned = await ownFolder(folder);
  try {
    const settings = options.settings ?? {};
    if (!(await isFormatted(folder))) await format(jvm, settings);
    onProgress('starting the Kafka broker');
    const start = (ports: Ports) => launch(jvm, ports, owned, options);
    const { server, ports } = await untilPortHolds(options.port, owned.last?.port, async (port) => {
      const ports = { port, controllerPort: await freePort(owned.last?.controllerPort) };
      return { server: await start(ports), ports };
    });
    const startAgain = async () => start({ ...ports, controllerPort: await freePort(ports.controllerPort) });
    const handle = controls(server, startAgain, () => owned.release());
    return Object.assign(handle, { brokers: [`${HOST}:${ports.port}`], port: ports.port });
  } catch (error) {
    owned.release();
    throw error;
  }
}

type Jvm = { readonly java: string; readonly libs: string; readonly env: Env; readonly folder: string };

async function launch(
  jvm: Jvm,
  ports: Ports,
  owned: OwnedFolder,
  options: KafkaOptions,
): Promise<RunningServer> {
  const { folder } = jvm;
  const logs = join(folder, 'logs');
  await mkdir(logs, { recursive: true });
  const properties = join(folder, 'server.properties');
  const data = join(folder, 'data');
  await writeFile(properties, render({ ...brokerSettings(data, ports), ...options.settings }));
  await owned.note({ owner: process.pid, ...ports });
  await requireFree(ports.port);
  // What answers at the port must be this broker, not one that took the port first.
  const clusterId = await clusterIdOf(data);
  const output = join(logs, 'kafka.out');
  const server = await startServer({
    name: 'Kafka broker',
    process: {
      command: jvm.java,
      args: [
        `-Xmx${options.heapMb ?? 1024}m`,
        '-Xms128m',
        '-XX:+UseSerialGC',
        '-XX:+ExitOnOutOfMemoryError',
        ...(options.jvmArgs ?? []),
        `-Dlog4j2.configurationFile=${join(import.meta.dirname, 'log4j2.properties')}`,
        `-Dtouchline.logs=${logs}`,
        '-cp',
        join(jvm.libs, '*'),
        'kafka.Kafka',
        properties,
      ],
      env: jvm.env,
      cwd: folder,
      outputFile: output,
      graceSeconds: 8,
    },
    logFiles: [join(logs, 'kafka.log'), output],
    ready: () => answersMetadata(HOST, ports.port, clusterId),
    readyTimeoutMs: options.readyTimeoutMs ?? READY_TIMEOUT_MS,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  await owned.note({ owner: process.pid, broker: server.pid, ...ports });
  return server;
}

async function clusterIdOf(data: string): Promise<string | undefined> {
  const properties = await readFile(join(data, 'meta.properties'), 'utf8');
  return /^cluster\.id=(.+)$/m.exec(properties)?.[1]?.trim();
}

async function isFormatted(folder: string): Promise<boolean> {
  return access(join(folder, 'data', 'meta.properties')).then(
    () => true,
    () => false,
  );
}

/** Formats aside and renames, so that a start that is killed here leaves nothing half done. */
async function format(
  { java, libs, env, folder }: Jvm,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const fresh = join(folder, 'data.new');
  await rm(fresh, { recursive: true, force: true });
  const properties = join(folder, 'format.properties');
  const anyPorts = { port: 9092, controllerPort: 9093 }; // named in the settings, not used by the tool
  await writeFile(properties, render({ ...brokerSettings(fresh, anyPorts), ...settings }));
  const clusterId = randomBytes(16).toString('base64url');
  const tool = [
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    '-cp',
    join(libs, '*'),
    'kafka.tools.StorageTool',
  ];
  try {
    const args = [...tool, 'format', `--cluster-id=${clusterId}`, '--config', properties];
    await promisify(execFile)(java, args, { env, timeout: READY_TIMEOUT_MS });
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : '';
    throw new EmbeddedError(
      'START_FAILED',
      `the broker's storage could not be formatted: ${said || reasonOf(cause)}`,
      {
        cause,
      },
    );
  }
  await rm(properties);
  await rename(fresh, join(folder, 'data'));
}

function brokerSettings(logDir: string, { port, controllerPort }: Ports): Record<string, string> {
  return {
    ...LONE_BROKER,
    'controller.quorum.voters': `1@${HOST}:${controllerPort}`,
    listeners: `PLAINTEXT://${HOST}:${port},CONTROLLER://${HOST}:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://${HOST}:${port}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': logDir,
  };
}

/** A properties file: Latin-1, with a backslash as its escape character. */
function render(settings: Readonly<Record<string, string>>): string {
  const escaped = (value: string) =>
    value
      .replaceAll('\\', '\\\\')
      .replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${escaped(value)}\n`)
    .join('');
}
