import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { requireFolder } from '#security/folders.ts';
import { poll } from '#timing/poll.ts';
import { EmbeddedError } from './errors.ts';
import { type Lock, tryLock } from './folder.ts';
import { type Guarded, spawnGuarded } from './guarded.ts';
import type { OnProgress } from './progress.ts';
import { type Env, KAFKA_VERSION } from './settings.ts';

const POM = join(import.meta.dirname, 'pom.xml');
const DOWNLOAD_TIMEOUT_MS = 20 * 60_000;

/** Returns the cache folder of downloads: `touchline` in XDG_CACHE_HOME, else in ~/.cache. */
export function cacheFolder(env: Env): string {
  const base = env.XDG_CACHE_HOME;
  return join(base && isAbsolute(base) ? base : join(env.HOME ?? homedir(), '.cache'), 'touchline');
}

/** Returns the broker and the registry of pom.xml, which Maven downloads once. Throws MAVEN_MISSING, DOWNLOAD_FAILED, `FolderError`. */
export async function install(env: Env, onProgress: OnProgress, kafkaVersion = KAFKA_VERSION) {
  const digest = hash('sha256', `${await readFile(POM, 'utf8')}${kafkaVersion}`, 'hex');
  const cache = cacheFolder(env);
  const folder = join(cache, `backbone-${digest.slice(0, 12)}`);
  if (!existsSync(folder)) {
    requireFolder('XDG_CACHE_HOME', cache);
    const lock = await waitForLock(join(cache, 'download.lock'), onProgress);
    try {
      if (!existsSync(folder)) await download({ cache, folder, kafkaVersion }, env, onProgress);
    } finally {
      lock.release();
    }
  }
  return {
    kafkaLibs: join(folder, 'kafka'),
    registryJar: await registryJar(folder),
    classArchives: join(folder, 'classes'),
  };
}

async function waitForLock(file: string, onProgress: OnProgress): Promise<Lock> {
  let announced = false;
  const lock = await poll(
    () => {
      const locked = tryLock(file, 'XDG_CACHE_HOME');
      if (!locked && !announced)
        onProgress('waiting for another process that downloads the broker and the registry');
      announced = true;
      return locked;
    },
    { timeoutMs: DOWNLOAD_TIMEOUT_MS, everyMs: 500 },
  );
  if (lock) return lock;
  throw new EmbeddedError(
    'DOWNLOAD_FAILED',
    `another process has held ${file} for too long: end it and try again`,
  );
}

type DownloadTarget = { readonly cache: string; readonly folder: string; readonly kafkaVersion: string };

async function download(
  { cache, folder, kafkaVersion }: DownloadTarget,
  env: Env,
  onProgress: OnProgress,
): Promise<void> {
  await requireMaven(env);
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  const log = join(cache, 'download.log');
  const goals = ['dependency:copy-dependencies@kafka', 'dependency:unpack@registry'];
  const maven = await spawnGuarded({
    command: 'mvn',
    args: ['-B', '-f', POM, `-Dbackbone.dir=${partial}`, `-Dkafka.version=${kafkaVersion}`, ...goals],
    env,
    outputFile: log,
    graceSeconds: 2,
  });
  const exit = await follow(maven, log, onProgress);
  if (exit !== 0) {
    const error = firstError(await readFile(log, 'utf8')) ?? `mvn ended with ${exit ?? 'no answer in time'}`;
    throw new EmbeddedError(
      'DOWNLOAD_FAILED',
      `Maven could not download the broker and the registry: ${error} (${log})`,
    );
  }
  await registryJar(partial);
  await rename(partial, folder);
}

async function requireMaven(env: Env): Promise<void> {
  try {
    await promisify(execFile)('mvn', ['--version'], { env, timeout: 60_000 });
  } catch (cause) {
    throw new EmbeddedError(
      'MAVEN_MISSING',
      'no Maven found to download the broker and the registry with: install Maven 3.6 or later (mvn)',
      cause,
    );
  }
}

/** Reports Maven's downloads until it ends. Returns its exit code; undefined after a timeout. */
async function follow(
  maven: Guarded,
  log: string,
  onProgress: OnProgress,
): Promise<number | null | undefined> {
  const start = performance.now();
  const ended = await poll(
    async () => {
      if (!maven.running()) return true;
      onProgress(progressOf(await readFile(log, 'utf8'), performance.now() - start));
      return false;
    },
    { timeoutMs: DOWNLOAD_TIMEOUT_MS, everyMs: 500 },
  );
  if (ended) return (await maven.ended()).code;
  await maven.stop(2_000);
  return undefined;
}

function progressOf(output: string, elapsedMs: number): string {
  const files = output.match(/^(?:\[INFO\] )?Downloaded from /gm)?.length ?? 0;
  const addresses = output.match(/^(?:\[INFO\] )?Downloading from \S+ \S+$/gm);
  const current = addresses?.at(-1)?.split('/').at(-1) ?? 'Maven';
  const seconds = Math.round(elapsedMs / 1000);
  return `downloading the broker and the registry, once: ${files} done, ${seconds} s, ${current}`;
}

/** Returns the first error in Maven's output, without references to help; undefined if there is none. */
export function firstError(output: string): string | undefined {
  const line = output.split('\n').find((text) => text.startsWith('[ERROR] '));
  return line?.slice('[ERROR] '.length).replace(/ -> \[Help \d+\]$/, '');
}

async function registryJar(folder: string): Promise<string> {
  const registry = join(folder, 'registry');
  const jar = (await readdir(registry)).find((name) => name.endsWith('-runner.jar'));
  if (jar) return join(registry, jar);
  throw new EmbeddedError('DOWNLOAD_FAILED', `${folder} is not complete: remove it and try again`);
}
