import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
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
