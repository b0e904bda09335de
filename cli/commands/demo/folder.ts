import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '#embedded/lock.ts';

/** The data folder of a demonstration. */
export type DemoFolder = { readonly path: string; release(): void };

/** Every folder that a demonstration could use is in use. */
export class DemoRunsError extends Error {
  readonly code = 'DEMO_RUNS';

  constructor(folder: string) {
    super(`a demonstration is running in ${folder} already: end it first, or set DATA_DIR to another folder`);
    this.name = 'DemoRunsError';
  }
}

/** Marks a folder as made by a demonstration, and is locked while one runs in it. */
const MARK = 'demo.lock';
/** What is made anew by each demonstration. The secret stays. */
const MADE = ['kafka', 'registry', 'logs', 'backbone.json', 'summary.json'];

/**
 * Takes a folder for a demonstration and empties it of the last one: the data folder, or `demo` in it where the data
 * folder holds data that no demonstration made. Such data is never touched. Throws `DemoRunsError`.
 */
export function takeDemoFolder(dataDir: string): DemoFolder {
  for (const path of [dataDir, join(dataDir, 'demo')]) {
    const mark = join(path, MARK);
    if (existsSync(join(path, 'kafka')) && !existsSync(mark)) continue;
    mkdirSync(path, { recursive: true });
    const lock = tryLock(mark);
    if (lock === undefined) continue;
    for (const name of MADE) rmSync(join(path, name), { recursive: true, force: true });
    return { path, release: () => lock.release() };
  }
  throw new DemoRunsError(dataDir);
}

/** From now on the folder's data is kept: the next demonstration leaves it alone. */
export function keepFolder(dataDir: string): void {
  for (const name of [MARK, `${MARK}-journal`]) rmSync(join(dataDir, name), { force: true });
}
