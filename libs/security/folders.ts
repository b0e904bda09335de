/** Folders that a process needs: created where they are missing, and refused with the setting that names them. */

import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { adviceOf, shortageOf } from '#errors/shortages.ts';
import { defineError, reasonOf } from '#errors/touchline-error.ts';

/**
 * Returns the error with which a file cannot be opened for writing, which SQLite does not say; null when it can be. Only for a file that
 * this process has not locked: closing it releases that lock too, as all locks of a process on a file are one to the system.
 */
export function openError(file: string): unknown {
  try {
    closeSync(openSync(file, 'a'));
    return null;
  } catch (error) {
    return error;
  }
}

/** A folder, or its disk, that a process cannot write to. */
export class FolderError extends defineError('FolderError') {
  /** `setting`: the setting that names the folder. `cause`: the error of the system call. */
  constructor(setting: string, path: string, cause: unknown) {
    const shortage = shortageOf(cause);
    // No other folder helps a process without descriptors.
    const advice =
      shortage === 'EMFILE' || shortage === 'ENFILE'
        ? adviceOf(shortage)
        : `set ${setting} to a folder that this user may write to, on a disk with room`;
    super('FOLDER_UNUSABLE', `${path} cannot be written (${reasonOf(cause)}): ${advice}`, cause);
  }
}

/** Creates a folder and those above it, with the rights `mode`. Node's `recursive` tries for ever below one such as /proc. */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

/** Creates a folder as `makeFolder` does. Throws `FolderError` when this user cannot create files in it; `setting` names it. */
export function requireFolder(setting: string, path: string, mode?: number): void {
  try {
    makeFolder(path, mode);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new FolderError(setting, path, error);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

const OTHERS = 0o077;
const STICKY = 0o1000;

/** Restricts files and folders that this process and its children create from now on to their user. */
export function makeFilesPrivate(): void {
  process.umask(OTHERS);
}

/** Creates a folder that only this user can access; restricts an existing one that is ours and not shared. Throws `FolderError`. */
export function makePrivateFolder(path: string): void {
  requireFolder('DATA_DIR', path, 0o700);
  const { mode, uid } = statSync(path);
  const canRestrict = uid === process.getuid?.() && (mode & STICKY) === 0;
  if (canRestrict && (mode & OTHERS) !== 0) chmodSync(path, mode & ~OTHERS);
}
