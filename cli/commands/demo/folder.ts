import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '#embedded/lock.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import { makePrivateFolder } from '#security/private-files.ts';

export type DemoFolder = { readonly path: string; release(): void };

/** Every folder that a demonstration could use is in use. */
export class DemoRunsError extends TouchlineError<'DemoRunsError'> {
  override readonly name = 'DemoRunsError';

  constructor(folder: string) {
    super(
      'DEMO_RUNS',
      `a demonstration is running in ${folder} already: end it first, or set DATA_DIR to another folder`,
    );
  }
}

/** Marks a folder as made by a demonstration, and is locked while one runs in it. */
const MARK = 'demo.lock';
/** What each demonstration replaces. The secrets stay. */
const MADE = ['kafka', 'registry', 'logs', 'backbone.json', 'summary.json'];

/**
 * Claims a folder for a demonstration and removes the data of the last one: the data folder, or `demo` in it if the data
 * folder holds data that no demonstration wrote. Such data is never touched. Throws `DemoRunsError`.
 */
export function takeDemoFolder(dataDir: string): DemoFolder {
  for (const path of [dataDir, join(dataDir, 'demo')]) {
    const mark = join(path, MARK);
    // Not `kafka` alone: with brokers elsewhere, as in Docker, there is none.
    const holdsData = MADE.some((name) => existsSync(join(path, name)));
    if (holdsData && !existsSync(mark)) continue;
    makePrivateFolder(path);
    const lock = tryLock(mark);
    if (lock === undefined) continue;
    for (const name of MADE) rmSync(join(path, name), { recursive: true, force: true });
    return { path, release: () => lock.release() };
  }
  throw new DemoRunsError(dataDir);
}

/** Marks the folder's data as kept: the next demonstration does not touch it. */
export function keepFolder(dataDir: string): void {
  for (const name of [MARK, `${MARK}-journal`]) rmSync(join(dataDir, name), { force: true });
}
