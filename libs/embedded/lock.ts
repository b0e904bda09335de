import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A lock that is held until its release, or until this process ends, even by a kill. */
export type Lock = { release(): void };

/**
 * Locks a file. Returns undefined if another process, or another lock of this one, holds it. Uses SQLite's lock of a database
 * file, which the operating system releases with the process. The file remains, and is empty. Throws the error of the system when the file cannot
 * be written.
 */
export function tryLock(file: string): Lock | undefined {
  // SQLite would say neither which file it cannot open nor why.
  closeSync(openSync(file, 'a'));
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { release: () => database.isOpen && database.close() };
}

function isBusy(error: unknown): boolean {
  const SQLITE_BUSY = 5;
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
