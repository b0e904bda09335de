import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { requireFolder } from '#security/folders.ts';
import { poll } from '#timing/poll.ts';
import { tryLock } from './folder.ts';
import { endText, spawnGuarded } from './guarded.ts';
import type { OnProgress } from './progress.ts';
import { EmbeddedError, type Env, KAFKA_VERSION } from './settings.ts';

const run = promisify(execFile);

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
    const lockFile = join(cache, 'download.lock');
    const waiting = 'waiting for another process that downloads the broker and the registry';
    const tryIt = () => tryLock(lockFile, 'XDG_CACHE_HOME') ?? void onProgress(waiting);
    const lock = await poll(tryIt, { timeoutMs: DOWNLOAD_TIMEOUT_MS, everyMs: 500 });
    if (lock === undefined)
      throw new EmbeddedError('DOWNLOAD_FAILED', `another process has held ${lockFile} for too long: end it`);
    try {
      if (!existsSync(folder)) await download(folder, kafkaVersion, env, onProgress);
    } finally {
      lock.release();
    }
  }
  return {
    kafkaLibs: join(folder, 'kafka'),
    registryJar: await registryJar(folder),
    folder,
  };
}

async function download(folder: string, kafkaVersion: string, env: Env, onProgress: OnProgress) {
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  const log = join(dirname(folder), 'download.log');
  const goals = ['dependency:copy-dependencies@kafka', 'dependency:unpack@registry'];
  const maven = await spawnGuarded({
    command: 'mvn',
    args: ['-B', '-f', POM, `-Dbackbone.dir=${partial}`, `-Dkafka.version=${kafkaVersion}`, ...goals],
    env,
    outputFile: log,
  });
  let seconds = 0;
  const showing = setInterval(
    () => onProgress(`downloading the broker and the registry with Maven, once: ${seconds++} s`),
    1_000,
  );
  const late = setTimeout(() => void maven.stop(2_000), DOWNLOAD_TIMEOUT_MS);
  const exit = await maven.exited;
  clearInterval(showing);
  clearTimeout(late);
  if (exit.code === NOT_FOUND)
    throw new EmbeddedError(
      'MAVEN_MISSING',
      'no Maven found to download the broker and the registry with: install Maven 3.6 or later (mvn)',
    );
  if (exit.code !== 0) {
    const [, error = `mvn ${endText(exit)}`] = FIRST_ERROR.exec(await readFile(log, 'utf8')) ?? [];
    const problem = `Maven could not download the broker and the registry: ${error} (${log})`;
    throw new EmbeddedError('DOWNLOAD_FAILED', problem);
  }
  await registryJar(partial);
  await rename(partial, folder);
}

/** Exit code of a shell that does not find its command. */
const NOT_FOUND = 127;
/** The first error in Maven's output, without references to help. */
const FIRST_ERROR = /^\[ERROR\] (.*?)(?: -> \[Help \d+\])?$/m;

async function registryJar(folder: string): Promise<string> {
  const registry = join(folder, 'registry');
  const jar = (await readdir(registry)).find((name) => name.endsWith('-runner.jar'));
  if (jar) return join(registry, jar);
  throw new EmbeddedError('DOWNLOAD_FAILED', `${folder} is not complete: remove it and try again`);
}

/** Minimum version of Java for both the broker and the registry. */
const MINIMUM_JAVA = 17;

/** A Java command and its version, such as `17.0.15`. */
type Java = { readonly path: string; readonly version: string };

/** Returns the Java of JAVA_HOME, else that on the PATH. Throws JAVA_MISSING or JAVA_TOO_OLD. */
export async function findJava(env: Env): Promise<Java> {
  const path = env.JAVA_HOME ? join(env.JAVA_HOME, 'bin', 'java') : 'java';
  // A busy machine takes over 20 s to start Java; without an answer it counts as missing.
  const printed = await run(path, ['-version'], { env, timeout: 60_000 }).catch(() => null);
  const version = /version "([^"]+)"/.exec(`${printed?.stderr}${printed?.stdout}`)?.[1];
  if (version === undefined) {
    const where = env.JAVA_HOME ? `JAVA_HOME has no Java (${path})` : 'no Java found';
    throw new EmbeddedError('JAVA_MISSING', `${where}: install Java ${MINIMUM_JAVA} or later and Maven`);
  }
  if (Number.parseInt(version, 10) >= MINIMUM_JAVA) return { path, version };
  throw new EmbeddedError(
    'JAVA_TOO_OLD',
    `Java ${version} (${path}) is too old: install Java ${MINIMUM_JAVA} or later, or set JAVA_HOME to one`,
  );
}

/**
 * Returns the arguments of every Java program: its collector and heap in MiB, and the archive of its classes (class data sharing, JEP 350),
 * which saves 5 of 16 s of processor time of the start of a broker with its registry. The first one that stops in order writes it to
 * the folder of the installation; Java ignores one of other jars.
 */
export function javaCommand({ version }: Java, folder: string, server: string, heap: number): string[] {
  const archive = join(folder, `${server}-java-${version}.jsa`);
  const option = existsSync(archive) ? 'SharedArchiveFile' : 'ArchiveClassesAtExit';
  return ['-XX:+UseSerialGC', `-Xmx${heap}m`, '-XX:+ExitOnOutOfMemoryError', `-XX:${option}=${archive}`];
}
