import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedError } from './errors.ts';
import type { Env } from './settings.ts';

/** The oldest Java that runs both the broker and the registry. */
const MINIMUM_JAVA = 17;

export type Java = { readonly path: string; readonly major: number };

const run = promisify(execFile);

/**
 * The Java to use: that of JAVA_HOME, else the first on the PATH that is new enough.
 * Throws JAVA_MISSING or JAVA_TOO_OLD.
 */
export async function findJava(env: Env): Promise<Java> {
  const found: Java[] = [];
  for (const path of candidates(env)) {
    const major = await majorVersion(path, env);
    if (major === undefined) continue;
    if (major >= MINIMUM_JAVA) return { path, major };
    found.push({ path, major });
  }
  const old = found[0];
  if (old) {
    throw new EmbeddedError(
      'JAVA_TOO_OLD',
      `Java ${old.major} (${old.path}) is too old: install Java ${MINIMUM_JAVA} or later, or set JAVA_HOME to one`,
    );
  }
  throw new EmbeddedError('JAVA_MISSING', `no Java found: install Java ${MINIMUM_JAVA} or later and Maven`);
}

/** The major version in what `java -version` prints ("17.0.15" is 17, "1.8.0_392" is 8); undefined when there is none. */
export function parseJavaVersion(output: string): number | undefined {
  const match = /version "(?:1\.)?(\d+)/.exec(output);
  return match ? Number(match[1]) : undefined;
}

function candidates(env: Env): string[] {
  return env.JAVA_HOME ? [join(env.JAVA_HOME, 'bin', 'java'), 'java'] : ['java'];
}

async function majorVersion(path: string, env: Env): Promise<number | undefined> {
  try {
    // A busy machine takes over 20 s to start it; without an answer it counts as missing.
    const { stdout, stderr } = await run(path, ['-version'], { env, timeout: 60_000 });
    return parseJavaVersion(stderr + stdout);
  } catch {
    return undefined;
  }
}
