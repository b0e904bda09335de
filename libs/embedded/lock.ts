import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FolderError, openError } from '#security/folders.ts';

/** Of two processes that lock at once one waits for the other, which gives up: without a wait both would fail. Milliseconds. */
const WAIT_MS = 100;

/** Keeps locks from the garbage collector, which would release them. */
const held = new Set<DatabaseSync>();

/** A lock that is held until its release, or until this process ends, even by a kill. */
export type Lock = { release(): void };

/**
 * Locks a file. Returns undefined if another process, or another lock of this one, holds it. Uses SQLite's lock of a database
 * file, which the operating system releases with the process. The file remains, and is empty. Throws `FolderError` when the file
 * cannot be written; `setting` names its folder.
 */
export function tryLock(file: string, setting = 'DATA_DIR'): Lock | undefined {
  let database: DatabaseSync | undefined;
  try {
    const opened = new DatabaseSync(file, { timeout: WAIT_MS });
    database = opened;
    opened.exec('BEGIN EXCLUSIVE');
    held.add(opened);
    return { release: () => held.delete(opened) && opened.close() };
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    throw new FolderError(setting, dirname(file), openError(file) ?? error);
  }
}

function isBusy(error: unknown): boolean {
  const SQLITE_BUSY = 5;
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
