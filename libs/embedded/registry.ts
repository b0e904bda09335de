import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { classArchive } from './class-archive.ts';
import { install } from './installation.ts';
import { findJava, type Java } from './java.ts';
import { HOST, requireFree, untilPortHolds } from './ports.ts';
import type { OnProgress } from './progress.ts';
import { type Controls, controls, type RunningServer, startServer } from './server.ts';
import { CONFLUENT_API, type Env, registryEnvironment } from './settings.ts';

export type EmbeddedRegistryOptions = {
  /** The broker that stores the registry's schemas. */
  readonly brokers: readonly string[];
  /** Folder for logs and temporary files; the broker has the schemas. */
  readonly dataDir: string;
  /** Used where it is free, before that of the last start; else a free one. */
  readonly preferredPort?: number | undefined;
  readonly env: Env;
  readonly onProgress: OnProgress;
  /** Ends a start that nobody waits for any more. */
  readonly signal?: AbortSignal;
};

/**
 * A schema registry on this machine. It ends with this process, even when this one is killed. `start` and `restart` keep
 * the port.
 */
export type SchemaRegistry = Controls & {
  /** Address of its Confluent API (version 7). */
  readonly url: string;
};

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;

/**
 * Starts an Apicurio Registry that stores its schemas in the broker (kafkasql): a start with the same broker data has
 * them again. Throws EmbeddedError: JAVA_…, MAVEN_MISSING, DOWNLOAD_FAILED, START_….
 */
export async function startRegistry(options: EmbeddedRegistryOptions): Promise<SchemaRegistry> {
  const { env, onProgress, preferredPort, dataDir } = options;
  const java = await findJava(env);
  const { registryJar, classArchives } = await install(env, onProgress);
  onProgress('starting the schema registry');
  return await untilPortHolds(undefined, [preferredPort, await lastPort(dataDir)], async (port) => {
    const start = () => launch({ java, jar: registryJar, classArchives }, port, options);
    return Object.assign(controls(await start(), start), { url: `http://${HOST}:${port}${CONFLUENT_API}` });
  });
}

async function launch(
  { java, jar, classArchives }: { readonly java: Java; readonly jar: string; readonly classArchives: string },
  port: number,
  options: EmbeddedRegistryOptions,
): Promise<RunningServer> {
  const folder = resolve(options.dataDir);
  const logs = join(folder, 'logs');
  const work = join(folder, 'work');
  await mkdir(logs, { recursive: true });
  await mkdir(work, { recursive: true });
  await requireFree(port);
  const archive = await classArchive(classArchives, 'registry', java);
  const log = join(logs, 'registry.log');
  const output = join(logs, 'registry.out');
  const server = await startServer({
    name: 'schema registry',
    process: {
      command: java.path,
      args: [
        '-Xmx256m',
        '-XX:+UseSerialGC',
        // The load is small: the second compiler would gain less than it costs at the start.
        '-XX:TieredStopAtLevel=1',
        '-XX:+ExitOnOutOfMemoryError',
        ...archive.jvmArgs,
        `-Dtouchline.folder=${folder}`, // names its owner in a list of processes
        '-jar',
        jar,
      ],
      env: { ...options.env, ...settings({ brokers: options.brokers, port, log, work }) },
      cwd: folder,
      outputFile: output,
      graceSeconds: 4,
    },
    logFiles: [log, output],
    ready: () => saysReady(port),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopTimeoutMs: STOP_TIMEOUT_MS,
    signal: options.signal,
  });
  await writeFile(join(folder, 'port'), `${port}\n`);
  await archive.write(server.pid);
  return server;
}

type Settings = {
  readonly brokers: readonly string[];
  readonly port: number;
  readonly log: string;
  readonly work: string;
};

function settings({ brokers, port, log, work }: Settings): Record<string, string> {
  return {
    QUARKUS_HTTP_HOST: HOST,
    QUARKUS_HTTP_PORT: String(port),
    QUARKUS_HTTP_ACCESS_LOG_ENABLED: 'false',
    QUARKUS_LOG_CONSOLE_ENABLE: 'false',
    QUARKUS_LOG_FILE_ENABLE: 'true',
    QUARKUS_LOG_FILE_PATH: log,
    ...registryEnvironment(brokers),
    APICURIO_STORAGE_SNAPSHOT_LOCATION: work,
    APICURIO_IMPORT_WORK_DIR: work,
  };
}

/** Its API answers before it has read all of its journal: a service would miss some schemas. */
async function saysReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://${HOST}:${port}/health/ready`, {
      signal: AbortSignal.timeout(5_000),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false; // not yet
  }
}

async function lastPort(dataDir: string): Promise<number | undefined> {
  try {
    return Number(await readFile(join(dataDir, 'port'), 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}
