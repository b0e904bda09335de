import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readyClusterId } from '#cluster/access.ts';
import { reasonOf } from '#errors/touchline-error.ts';
import { ownFolder } from './folder.ts';
import { findJava, install, javaCommand } from './installation.ts';
import { freePort, HOST, requireFree } from './ports.ts';
import type { OnProgress } from './progress.ts';
import { lackOf, Server } from './server.ts';
import { EmbeddedError, type Env, LONE_BROKER, stderrOf } from './settings.ts';

/** A listener beside the plain one. */
export type Listener = {
  readonly name: string;
  readonly protocol: 'PLAINTEXT' | 'SSL' | 'SASL_SSL';
  /** The port on this machine that clients are told, such as that of a proxy. Default: its own. */
  readonly advertisedPort?: number;
};

export type KafkaOptions = {
  /** Folder for the broker's data, settings and logs. Created if it is missing. */
  readonly dataDir: string;
  /** Version of Apache Kafka. Default: KAFKA_VERSION. Another version is downloaded in addition. */
  readonly version?: string;
  /** A fixed port. Default: `preferredPort` or that of the last start in this folder if free, else a free one. */
  readonly port?: number;
  readonly preferredPort?: number | undefined;
  readonly listeners?: readonly Listener[];
  /** Its place in a cluster whose brokers are all controllers: its id, from 1, and their ports. Default: a cluster of its own. */
  readonly quorum?: {
    readonly id: number;
    readonly clusterId: string;
    readonly controllers: readonly number[];
  };
  /** Broker settings that override the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Further arguments for formatting the storage. */
  readonly storageArguments?: readonly string[];
  readonly jvmArgs?: readonly string[];
  readonly env?: Env;
  readonly onProgress?: OnProgress;
  /** Called with the broker's address before it answers. */
  readonly onStarting?: (brokers: readonly string[]) => void;
};

/** A broker. `start` keeps the ports; `stop` releases the folder. */
export type Kafka = Server & {
  readonly brokers: string[];
  readonly port: number;
  /** Ports of its listeners by name; that of its clients on this machine is PLAINTEXT. */
  readonly ports: Ports;
};

type Ports = Readonly<Record<string, number>>;

/** Starts a broker that is its own controller (KRaft); keeps the data of an existing folder. Throws EmbeddedError. */
export async function startKafka(options: KafkaOptions): Promise<Kafka> {
  const { env = process.env, onProgress = () => {}, listeners = [], quorum } = options;
  const java = await findJava(env);
  const { kafkaLibs, classArchives } = await install(env, onProgress, options.version);
  const owned = await ownFolder(resolve(options.dataDir));
  const { path, last } = owned;
  try {
    onProgress('starting the Kafka broker');
    const names = ['PLAINTEXT', 'CONTROLLER', ...listeners.map(({ name }) => name)];
    const port = options.port ?? (await freePort(options.preferredPort, last?.port));
    const free = new Set([port]);
    if (quorum !== undefined) free.add(quorum.controllers[quorum.id - 1] as number);
    while (free.size < names.length) free.add(await freePort());
    const ports: Ports = Object.fromEntries([...free].map((one, at) => [names[at], one]));
    const address = `${HOST}:${port}`;
    options.onStarting?.([address]);
    const javaArgs = (main: string, args: readonly string[]) => [
      '-XX:+UseSerialGC',
      ...args,
      '-cp',
      join(kafkaLibs, '*'),
      main,
    ];
    const data = join(path, 'data');
    const properties = join(path, 'server.properties');
    await writeFile(properties, render({ ...settingsOf(options, ports), 'log.dirs': data }));
    // A killed start leaves data without an id, as the tool writes that last: they are formatted again.
    if ((await clusterIdOf(data)) === undefined) {
      const { clusterId = randomBytes(16).toString('base64url') } = quorum ?? {};
      const args = javaArgs('kafka.tools.StorageTool', ['-XX:TieredStopAtLevel=1']);
      args.push('format', `--cluster-id=${clusterId}`, '--config', properties);
      const format = [...args, ...(options.storageArguments ?? [])];
      await promisify(execFile)(java.path, format, { env }).catch((cause: unknown) => {
        const text = stderrOf(cause) || reasonOf(cause);
        const why = lackOf(text, path) ?? text;
        throw new EmbeddedError('START_FAILED', `the broker's storage could not be formatted: ${why}`, cause);
      });
    }
    const kafka = new Server({
      name: 'Kafka broker',
      log: 'kafka',
      folder: path,
      async prepare() {
        await owned.note({ owner: process.pid, port });
        await requireFree(port);
        const args = [
          ...javaCommand(java, classArchives, 'kafka', 1024),
          ...(options.jvmArgs ?? []),
          `-Dlog4j2.configurationFile=${join(import.meta.dirname, 'log4j2.properties')}`,
          `-Dtouchline.logs=${join(path, 'logs')}`,
        ];
        return { command: java.path, args: [...javaArgs('kafka.Kafka', args), properties], env };
      },
      // Before it is ready: the broker holds the folder from its start, also if this process is then killed.
      onSpawned: (broker) => owned.note({ owner: process.pid, broker, port }),
      // The answer must come from this broker, not from one that took the port first.
      ready: async () => (await readyClusterId([address])) === (await clusterIdOf(data)),
      onStopped: owned.release,
    });
    await kafka.start();
    return Object.assign(kafka, { brokers: [address], port, ports });
  } catch (error) {
    owned.release();
    throw WRITTEN_BY_NEWER.test(reasonOf(error)) ? dataIsNewer(options.dataDir, error) : error;
  }
}

function settingsOf(
  { listeners = [], quorum, settings }: KafkaOptions,
  ports: Ports,
): Record<string, string> {
  const { id, controllers } = quorum ?? { id: 1, controllers: [ports.CONTROLLER] };
  const url = (name: string, port = ports[name]) => `${name}://${HOST}:${port}`;
  const further = listeners.map(({ name, advertisedPort }) => url(name, advertisedPort));
  return {
    ...LONE_BROKER,
    'node.id': String(id),
    'controller.quorum.voters': controllers.map((port, at) => `${at + 1}@${HOST}:${port}`).join(','),
    listeners: Object.keys(ports)
      .map((name) => url(name))
      .join(','),
    'advertised.listeners': [url('PLAINTEXT'), ...further].join(','),
    'listener.security.protocol.map': [
      'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      ...listeners.map(({ name, protocol }) => `${name}:${protocol}`),
    ].join(','),
    'inter.broker.listener.name': 'PLAINTEXT',
    ...settings,
  };
}

/** Returns the cluster id in a broker's data; undefined if they are not formatted. */
async function clusterIdOf(data: string): Promise<string | undefined> {
  const text = await readFile(join(data, 'meta.properties'), 'utf8').catch(() => '');
  return /^cluster\.id=(.+)$/m.exec(text)?.[1]?.trim();
}

/** Messages of a broker whose data has an unknown metadata version or an unknown record. */
const WRITTEN_BY_NEWER =
  /UnsupportedVersionException: Can't read version|No MetadataVersion with feature level/;

function dataIsNewer(folder: string, cause: unknown): EmbeddedError {
  return new EmbeddedError(
    'DATA_FOLDER_NEWER',
    `the data in ${folder} was written by a newer Kafka, and this version cannot read it: remove the folder to start with empty topics, or set DATA_DIR to another folder; to keep the data, run the newer Kafka on it and set KAFKA_BROKERS and SCHEMA_REGISTRY_URL`,
    cause,
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
