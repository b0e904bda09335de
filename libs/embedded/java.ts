import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '#security/folders.ts';
import { EmbeddedError } from './errors.ts';
import type { Env } from './settings.ts';

/** Minimum version of Java for both the broker and the registry. */
const MINIMUM_JAVA = 17;

/** A Java command and its version, such as `17.0.15`. */
export type Java = { readonly path: string; readonly version: string };

const run = promisify(execFile);

/** Returns the Java of JAVA_HOME, else that on the PATH, if it is new enough. Throws JAVA_MISSING or JAVA_TOO_OLD. */
export async function findJava(env: Env): Promise<Java> {
  const found: Java[] = [];
  for (const path of candidates(env)) {
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

function candidates(env: Env): string[] {
  return env.JAVA_HOME ? [join(env.JAVA_HOME, 'bin', 'java'), 'java'] : ['java'];
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
        await promisify(execFile)(jcmd, [String(pid), 'VM.cds', 'dynamic_dump', partial], {
          timeout: WRITE_TIMEOUT_MS,
        });
        await rename(partial, archive);
      } catch {
        await rm(partial, { force: true }).catch(() => {});
      }
    },
  };
}
