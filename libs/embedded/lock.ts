import { DatabaseSync } from 'node:sqlite';

/** A lock that is held until it is released or this process ends, however it ends. */
export type Lock = { release(): void };

/**
 * Takes the lock of a file, or gives back undefined when another process (or another lock here) has it.
 * The lock is the one that SQLite takes on a database file: the operating system lets go of it with the process,
 * so there is never a stale one to judge. The file stays; it holds nothing.
 */
export function tryLock(file: string): Lock | undefined {
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
