import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '#security/folders.ts';
import { classArchive, findJava, install, type Java } from './installation.ts';
import { HOST, requireFree, startOnFreePort } from './ports.ts';
import type { OnProgress } from './progress.ts';
import { type Controls, controls, type RunningServer, startServer } from './server.ts';
import { CONFLUENT_API, type Env, registryEnvironment } from './settings.ts';

export type EmbeddedRegistryOptions = {
  readonly brokers: readonly string[];
  /** Folder for logs and temporary files; the schemas are in the broker. */
  readonly dataDir: string;
  /** Port to use if it is free, before that of the last start; else a free one. */
  readonly preferredPort?: number | undefined;
  readonly env: Env;
  readonly onProgress: OnProgress;
  /** Aborts a start whose result is no longer needed. */
  readonly signal?: AbortSignal | undefined;
};

/** A schema registry on this machine. It ends with this process, even when this process is killed. Restarts keep the port. */
export type SchemaRegistry = Controls & {
  /** Address of its Confluent API (version 7). */
  readonly url: string;
};

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;

/** Starts an Apicurio Registry that stores its schemas in the broker. Throws EmbeddedError: JAVA_…, MAVEN_MISSING, DOWNLOAD_FAILED, START_…. */
export async function startRegistry(options: EmbeddedRegistryOptions): Promise<SchemaRegistry> {
  const { env, onProgress, preferredPort, dataDir } = options;
  const java = await findJava(env);
  const { registryJar, classArchives } = await install(env, onProgress);
  onProgress('starting the schema registry');
  const last = Number(await readFile(join(dataDir, 'port'), 'utf8').catch(() => '')) || undefined;
  return await startOnFreePort(undefined, [preferredPort, last], async (port) => {
    const start = (signal = options.signal) =>
      launch({ java, jar: registryJar, classArchives }, port, { ...options, signal });
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
  makeFolder(logs);
  makeFolder(work);
  await requireFree(port);
  const archive = classArchive(classArchives, 'registry', java);
  const log = join(logs, 'registry.log');
  const server = await startServer({
    name: 'schema registry',
    process: {
      command: java.path,
      args: [
        '-Xmx256m',
        '-XX:+UseSerialGC',
        // The second compiler would cost more at the start than it gains under a small load.
        '-XX:TieredStopAtLevel=1',
        '-XX:+ExitOnOutOfMemoryError',
        ...archive.jvmArgs,
        `-Dtouchline.folder=${folder}`, // identifies its owner in a list of processes
        '-jar',
        jar,
      ],
      env: {
        ...options.env,
        QUARKUS_HTTP_HOST: HOST,
        QUARKUS_HTTP_PORT: String(port),
        QUARKUS_HTTP_ACCESS_LOG_ENABLED: 'false',
        QUARKUS_LOG_CONSOLE_ENABLE: 'false',
        QUARKUS_LOG_FILE_ENABLE: 'true',
        QUARKUS_LOG_FILE_PATH: log,
        ...registryEnvironment(options.brokers),
        APICURIO_STORAGE_SNAPSHOT_LOCATION: work,
        APICURIO_IMPORT_WORK_DIR: work,
      },
      cwd: folder,
      outputFile: join(logs, 'registry.out'),
      graceSeconds: 4,
    },
    logFile: log,
    ready: () => isReady(port),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopTimeoutMs: STOP_TIMEOUT_MS,
    signal: options.signal,
  });
  // Without it the next start takes another port.
  await writeFile(join(folder, 'port'), `${port}\n`).catch(() => {});
  await archive.write(server.pid);
  return server;
}

/** Whether the registry reports that it is ready. Its API answers earlier, while schemas are still missing. */
async function isReady(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(5_000);
  const response = await fetch(`http://${HOST}:${port}/health/ready`, { signal }).catch(() => null);
  await response?.body?.cancel().catch(() => {});
  return response?.ok ?? false;
}
