import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder, requireFolder } from '#security/folders.ts';
import { poll } from '#timing/poll.ts';
import { type Lock, tryLock } from './folder.ts';
import { endText, spawnGuarded } from './guarded.ts';
import type { OnProgress } from './progress.ts';
import { EmbeddedError, type Env, KAFKA_VERSION } from './settings.ts';

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
      if (!existsSync(folder)) await download(folder, kafkaVersion, env, onProgress);
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
  const free = tryLock(file, 'XDG_CACHE_HOME');
  if (free) return free;
  onProgress('waiting for another process that downloads the broker and the registry');
  const waiting = { timeoutMs: DOWNLOAD_TIMEOUT_MS, everyMs: 500 };
  const lock = await poll(() => tryLock(file, 'XDG_CACHE_HOME'), waiting);
  if (lock) return lock;
  throw new EmbeddedError(
    'DOWNLOAD_FAILED',
    `another process has held ${file} for too long: end it and try again`,
  );
}

async function download(
  folder: string,
  kafkaVersion: string,
  env: Env,
  onProgress: OnProgress,
): Promise<void> {
  await run('mvn', ['--version'], { env, timeout: 60_000 }).catch((cause: unknown) => {
    const lacks = 'no Maven found to download the broker and the registry with';
    throw new EmbeddedError('MAVEN_MISSING', `${lacks}: install Maven 3.6 or later (mvn)`, cause);
  });
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  const log = join(dirname(folder), 'download.log');
  const goals = ['dependency:copy-dependencies@kafka', 'dependency:unpack@registry'];
  const maven = await spawnGuarded({
    command: 'mvn',
    args: ['-B', '-f', POM, `-Dbackbone.dir=${partial}`, `-Dkafka.version=${kafkaVersion}`, ...goals],
    env,
    outputFile: log,
    graceSeconds: 2,
  });
  const begun = performance.now();
  const show = () => onProgress(progressOf(readFileSync(log, 'utf8'), performance.now() - begun));
  const showing = setInterval(show, 500);
  const late = setTimeout(() => void maven.stop(2_000), DOWNLOAD_TIMEOUT_MS);
  const exit = await maven.ended();
  clearInterval(showing);
  clearTimeout(late);
  if (exit.code !== 0) {
    const error = firstError(await readFile(log, 'utf8')) ?? `mvn ${endText(exit)}`;
    throw new EmbeddedError(
      'DOWNLOAD_FAILED',
      `Maven could not download the broker and the registry: ${error} (${log})`,
    );
  }
  await registryJar(partial);
  await rename(partial, folder);
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

/** Minimum version of Java for both the broker and the registry. */
const MINIMUM_JAVA = 17;

/** A Java command and its version, such as `17.0.15`. */
export type Java = { readonly path: string; readonly version: string };

const run = promisify(execFile);

/** Returns the Java of JAVA_HOME, else that on the PATH, if it is new enough. Throws JAVA_MISSING or JAVA_TOO_OLD. */
export async function findJava(env: Env): Promise<Java> {
  const found: Java[] = [];
  for (const path of env.JAVA_HOME ? [join(env.JAVA_HOME, 'bin', 'java'), 'java'] : ['java']) {
    const version = await versionOf(path, env);
    if (version === undefined) continue;
    if (majorOf(version) >= MINIMUM_JAVA) return { path, version };
    found.push({ path, version });
  }
  const old = found[0];
  if (old) {
    throw new EmbeddedError(
      'JAVA_TOO_OLD',
      `Java ${majorOf(old.version)} (${old.path}) is too old: install Java ${MINIMUM_JAVA} or later, or set JAVA_HOME to one`,
    );
  }
  throw new EmbeddedError('JAVA_MISSING', `no Java found: install Java ${MINIMUM_JAVA} or later and Maven`);
}

/** Returns the major version: 17 of "17.0.15", 8 of "1.8.0_392". */
export function majorOf(version: string): number {
  return Number.parseInt(version.replace(/^1\./, ''), 10);
}

async function versionOf(path: string, env: Env): Promise<string | undefined> {
  try {
    // A busy machine takes over 20 s to start Java; without an answer it counts as missing.
    const { stdout, stderr } = await run(path, ['-version'], { env, timeout: 60_000 });
    return /version "([^"]+)"/.exec(stderr + stdout)?.[1];
  } catch {
    return undefined;
  }
}

/** The command that installs Java and Maven, by a name of `ID` or `ID_LIKE` in /etc/os-release, or of `process.platform`. */
const COMMANDS: Readonly<Record<string, string>> = {
  debian: 'sudo apt install -y openjdk-21-jre-headless maven (Debian 12: openjdk-17-jre-headless)',
  fedora: 'sudo dnf install -y java-21-openjdk-headless maven',
  alpine: 'apk add openjdk21-jre-headless maven',
  arch: 'sudo pacman -S --noconfirm jre-openjdk-headless maven',
  darwin: 'brew install maven',
  win32: 'wsl --install -d Ubuntu, then in it: sudo apt install -y openjdk-21-jre-headless maven',
};

/** Returns the text of /etc/os-release; empty where there is none. */
export function osRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}

/** Returns the command that installs Java and Maven; undefined on an unknown platform. `release`: the text of /etc/os-release. */
export function installCommand(release: string, platform: string = process.platform): string | undefined {
  const found = release.matchAll(/^(?:ID|ID_LIKE)="?([^"\n]*)"?$/gm);
  const names = [platform, ...[...found].flatMap(([, of = '']) => of.split(' '))];
  return names.map((name) => COMMANDS[name]).find((command) => command !== undefined);
}

const WRITE_TIMEOUT_MS = 60_000;

/**
 * Returns the archive of a server's classes (class data sharing, JEP 350) in `folder`. It saves 5 of
 * 16 s of processor time of the start of a broker with its registry. The first start has it written, unless Java has no `jcmd`.
 * Java ignores an archive of other jars, so its name need only distinguish servers and Java versions.
 */
export function classArchive(folder: string, server: string, java: Java) {
  const archive = join(folder, `${server}-java-${java.version}.jsa`);
  if (existsSync(archive)) return { jvmArgs: [`-XX:SharedArchiveFile=${archive}`], write: async () => {} };
  return {
    // A Java without this option must still start.
    jvmArgs: ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:+RecordDynamicDumpInfo'],
    async write(pid: number) {
      const partial = `${archive}.${pid}`;
      try {
        makeFolder(folder);
        const jcmd = join(dirname(java.path), 'jcmd'); // on the PATH if `java` is
        await run(jcmd, [String(pid), 'VM.cds', 'dynamic_dump', partial], {
          timeout: WRITE_TIMEOUT_MS,
        });
        await rename(partial, archive);
      } catch {
        await rm(partial, { force: true }).catch(() => {});
      }
    },
  };
}
