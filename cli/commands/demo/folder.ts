import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '#embedded/folder.ts';
import { makePrivateFolder } from '#security/folders.ts';
import { CommandError } from '../../command.ts';

/** A file that marks the data of a demonstration; locked while the demonstration runs. */
const MARK = 'demo.lock';
/** Files and folders that each demonstration replaces. Secrets stay. */
const REPLACED = ['kafka', 'registry', 'logs', 'backbone.json', 'summary.json'];

/** Claims a folder and deletes the last demonstration's data; takes `demo` in one with other data. Throws `CommandError` DEMO_RUNS. */
export function claimDemoFolder(dataDir: string) {
  for (const path of [dataDir, join(dataDir, 'demo')]) {
    const mark = join(path, MARK);
    // Any of the files counts: with brokers elsewhere, as in Docker, there is no `kafka`.
    const holdsData = REPLACED.some((name) => existsSync(join(path, name)));
    if (holdsData && !existsSync(mark)) continue;
    makePrivateFolder(path);
    const lock = tryLock(mark);
    if (lock === undefined) continue;
    for (const name of REPLACED) rmSync(join(path, name), { recursive: true, force: true });
    return { path, release: () => lock.release() };
  }
  throw new CommandError(
    `a demonstration is running in ${dataDir} already: end it first, or set DATA_DIR to another folder`,
    'DEMO_RUNS',
  );
}

/** Removes the mark of a demonstration: the next demonstration keeps the data of the folder. */
export function keepFolder(dataDir: string): void {
  for (const name of [MARK, `${MARK}-journal`]) rmSync(join(dataDir, name), { force: true });
}
