import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '#security/folders.ts';
import { parseRegistryAddress, requestJson } from '#topics/registry-http.ts';
import { findJava, install, javaCommand } from './installation.ts';
import { freePort, HOST } from './ports.ts';
import type { OnProgress } from './progress.ts';
import { Server } from './server.ts';
import { CONFLUENT_API, type Env, QUICK_START, registryEnvironment } from './settings.ts';

type EmbeddedRegistryOptions = {
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

/** A schema registry on this machine. `url`: address of its Confluent API (version 7). */
export type SchemaRegistry = Server & { readonly url: string };

/** Starts an Apicurio Registry that stores its schemas in the broker. Throws EmbeddedError: JAVA_…, MAVEN_MISSING, DOWNLOAD_FAILED, START_…. */
export async function startRegistry(options: EmbeddedRegistryOptions): Promise<SchemaRegistry> {
  const { env, onProgress, preferredPort } = options;
  const java = await findJava(env);
  const installation = await install(env, onProgress);
  onProgress('starting the schema registry');
  const folder = resolve(options.dataDir);
  const work = join(folder, 'work');
  makeFolder(work);
  const portFile = join(folder, 'port');
  const last = Number(await readFile(portFile, 'utf8').catch(() => '')) || undefined;
  const port = await freePort(preferredPort, last);
  const address = `http://${HOST}:${port}`;
  const registry = new Server({
    name: 'schema registry',
    log: 'registry',
    folder,
    port,
    command: java.path,
    args: [
      ...QUICK_START,
      ...javaCommand(java, installation.folder, 'registry', 256),
      `-Dtouchline.folder=${folder}`, // identifies its owner in a list of processes
      '-jar',
      installation.registryJar,
    ],
    env: {
      ...env,
      QUARKUS_HTTP_HOST: HOST,
      QUARKUS_HTTP_PORT: String(port),
      QUARKUS_HTTP_ACCESS_LOG_ENABLED: 'false',
      QUARKUS_LOG_CONSOLE_ENABLE: 'false',
      QUARKUS_LOG_FILE_ENABLE: 'true',
      QUARKUS_LOG_FILE_PATH: join(folder, 'logs', 'registry.log'),
      ...registryEnvironment(options.brokers),
      APICURIO_STORAGE_SNAPSHOT_LOCATION: work,
      APICURIO_IMPORT_WORK_DIR: work,
    },
    ready: () => isReady(address),
  });
  await registry.start(options.signal);
  const url = `${address}${CONFLUENT_API}`;
  await checkAllSchemas(url).catch(() => {});
  // Without it the next start takes another port.
  await writeFile(portFile, `${port}\n`).catch(() => {});
  return Object.assign(registry, { url });
}

/** Sets `BACKWARD` for all subjects where nothing is set: else each gets its own rule, which costs more than its schema. */
async function checkAllSchemas(url: string): Promise<void> {
  const [address, request] = [parseRegistryAddress(url), { timeoutMs: 5_000 }];
  const rule = await requestJson(address, '/config', request);
  if (rule?.compatibilityLevel === 'NONE')
    await requestJson(address, '/config', { ...request, put: { compatibility: 'BACKWARD' } });
}

/** Whether the registry reports that it is ready. Its API answers earlier, while schemas are still missing. */
async function isReady(address: string): Promise<boolean> {
  const signal = AbortSignal.timeout(5_000);
  const response = await fetch(`${address}/health/ready`, { signal }).catch(() => null);
  await response?.body?.cancel().catch(() => {});
  return response?.ok ?? false;
}
