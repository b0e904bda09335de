import { DatabaseSync } from 'node:sqlite';

/** A lock that is held until it is released or this process ends, in whatever way. */
export type Lock = { release(): void };

/**
 * Locks a file; undefined when another process (or another lock here) holds it. Uses SQLite's lock of a database file:
 * the operating system releases it with the process, so it never goes stale. The file stays, and is empty.
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
