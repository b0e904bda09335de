/** Prepares examples with the languages of this machine and a cache of their dependencies. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '#embedded/installation.ts';
import { findJava } from '../../../libs/embedded/installation.ts';

export const runs = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

/** Path of Java 17 or later; null when it is missing. */
export const JAVA = (await findJava(process.env).catch(() => null))?.path ?? null;

export const HAS_MAVEN = JAVA !== null && runs('mvn', '--version');

/** Compiles a folder with a `pom.xml` and its dependencies, once for these sources, and returns the class path. */
export async function compiledByMaven(
  name: string,
  cwd: string,
  sources: readonly string[],
): Promise<string> {
  const files = ['pom.xml', ...sources].map((file) => join(cwd, file));
  const target = await cached(name, files, (folder) =>
    promisify(execFile)(
      'mvn',
      ['-q', '-B', 'compile', 'dependency:copy-dependencies', `-Dtarget=${folder}`],
      { cwd },
    ),
  );
  return `${join(target, 'classes')}:${join(target, 'lib', '*')}`;
}

/**
 * Returns a folder in the cache of downloads that `make` fills once for these sources. The folder is complete
 * or missing.
 */
export async function cached(
  name: string,
  sources: readonly string[],
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(source));
  const folder = join(cacheFolder(process.env), `${name}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  await make(partial);
  renameSync(partial, folder);
  return folder;
}
