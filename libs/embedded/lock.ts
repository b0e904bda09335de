import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FolderError } from '#security/folders.ts';

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
    const opened = new DatabaseSync(file, { timeout: 0 });
    database = opened;
    opened.exec('BEGIN EXCLUSIVE');
    return { release: () => opened.isOpen && opened.close() };
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    throw new FolderError(setting, dirname(file), causeOf(file) ?? error);
  }
}

/**
 * Returns why a file cannot be opened, which SQLite does not say; null when it can be. Only for a file that this process has not
 * locked: closing it here would release that lock too, as all locks of a process on a file are one to the system.
 */
function causeOf(file: string): unknown {
  try {
    closeSync(openSync(file, 'a'));
    return null;
  } catch (error) {
    return error;
  }
}

function isBusy(error: unknown): boolean {
  const SQLITE_BUSY = 5;
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
