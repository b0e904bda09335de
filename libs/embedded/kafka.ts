import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readyClusterId } from '#cluster/access.ts';
import { reasonOf } from '#errors/touchline-error.ts';
import { ownFolder } from './folder.ts';
import { findJava, install, javaCommand } from './installation.ts';
import { freePort, HOST } from './ports.ts';
import type { OnProgress } from './progress.ts';
import { lackOf, Server } from './server.ts';
import { EmbeddedError, type Env, LONE_BROKER, QUICK_START, stderrOf } from './settings.ts';

export type KafkaOptions = {
  /** Folder for the broker's data, settings and logs. Created if it is missing. */
  readonly dataDir: string;
  /** Version of Apache Kafka. Default: KAFKA_VERSION. Another version is downloaded in addition. */
  readonly version?: string;
  /** Port to use if it is free, before that of the last start in this folder; else a free one. */
  readonly preferredPort?: number | undefined;
  /** Broker settings that override the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Of a new folder: the id of its cluster, and further arguments for formatting its storage. */
  readonly clusterId?: string;
  readonly storageArguments?: readonly string[];
  readonly jvmArgs?: readonly string[];
  readonly env?: Env;
  readonly onProgress?: OnProgress;
  /** Called with the broker's address before it answers. */
  readonly onStarting?: (brokers: readonly string[]) => void;
};

/** A broker. `start` keeps the ports; `stop` releases the folder. */
export type Kafka = Server & { readonly brokers: string[] };

/** Starts a broker that is its own controller (KRaft); keeps the data of an existing folder. Throws EmbeddedError. */
export async function startKafka(options: KafkaOptions): Promise<Kafka> {
  const { env = process.env, onProgress = () => {} } = options;
  const java = await findJava(env);
  const { kafkaLibs, folder } = await install(env, onProgress, options.version);
  const owned = await ownFolder(resolve(options.dataDir));
  const { path, last } = owned;
  try {
    onProgress('starting the Kafka broker');
    const port = await freePort(options.preferredPort, last?.port);
    const address = `${HOST}:${port}`;
    options.onStarting?.([address]);
    const classPath = ['-cp', join(kafkaLibs, '*')];
    const data = join(path, 'data');
    const properties = join(path, 'server.properties');
    let controllerPort = port;
    while (controllerPort === port) controllerPort = await freePort();
    const controller = `${HOST}:${controllerPort}`;
    const settings = {
      ...LONE_BROKER,
      // Nobody reads its metrics by JMX, which take a sixth of the processor time of its start and of each topic.
      'metric.reporters': '',
      'controller.quorum.voters': `1@${controller}`,
      listeners: `PLAINTEXT://${address},CONTROLLER://${controller}`,
      'advertised.listeners': `PLAINTEXT://${address}`,
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      'inter.broker.listener.name': 'PLAINTEXT',
      ...options.settings,
      'log.dirs': data,
    };
    await writeFile(properties, render(settings));
    // A killed start leaves data without an id, as the tool writes that last: they are formatted again.
    if ((await clusterIdOf(data)) === undefined) {
      const { clusterId = randomBytes(16).toString('base64url'), storageArguments = [] } = options;
      const tool = [
        ...javaCommand(java, folder, 'format', 1024),
        ...QUICK_START,
        ...classPath,
        'kafka.tools.StorageTool',
        'format',
      ];
      const args = [...tool, `--cluster-id=${clusterId}`, '--config', properties, ...storageArguments];
      await promisify(execFile)(java.path, args, { env }).catch((cause: unknown) => {
        const text = stderrOf(cause) || reasonOf(cause);
        const why = lackOf(text, path) ?? text;
        throw new EmbeddedError('START_FAILED', `the broker's storage could not be formatted: ${why}`, cause);
      });
    }
    await owned.note({ owner: process.pid, port });
    const kafka = new Server({
      name: 'Kafka broker',
      log: 'kafka',
      folder: path,
      port,
      command: java.path,
      args: [
        ...javaCommand(java, folder, 'kafka', 1024),
        ...(options.jvmArgs ?? []),
        `-Dlog4j2.configurationFile=${join(import.meta.dirname, 'log4j2.properties')}`,
        `-Dtouchline.logs=${join(path, 'logs')}`,
        ...classPath,
        'kafka.Kafka',
        properties,
      ],
      env,
      // Before it is ready: the broker holds the folder from its start, also if this process is then killed.
      onSpawned: (broker) => owned.note({ owner: process.pid, broker, port }),
      // The answer must come from this broker, not from one that took the port first.
      ready: async () => (await readyClusterId([address])) === (await clusterIdOf(data)),
      onStopped: owned.release,
    });
    await kafka.start();
    return Object.assign(kafka, { brokers: [address] });
  } catch (error) {
    owned.release();
    if (!WRITTEN_BY_NEWER.test(reasonOf(error))) throw error;
    throw new EmbeddedError(
      'DATA_FOLDER_NEWER',
      `the data in ${options.dataDir} was written by a newer Kafka, and this version cannot read it: remove the folder to start with empty topics, or set DATA_DIR to another folder; to keep the data, run the newer Kafka on it and set KAFKA_BROKERS and SCHEMA_REGISTRY_URL`,
      error,
    );
  }
}

/** Returns the cluster id in a broker's data; undefined if they are not formatted. */
async function clusterIdOf(data: string): Promise<string | undefined> {
  const text = await readFile(join(data, 'meta.properties'), 'utf8').catch(() => '');
  return /^cluster\.id=(.+)$/m.exec(text)?.[1]?.trim();
}

/** Messages of a broker whose data has an unknown metadata version or an unknown record. */
const WRITTEN_BY_NEWER =
  /UnsupportedVersionException: Can't read version|No MetadataVersion with feature level/;

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
