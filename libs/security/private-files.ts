/** Restricts files of a process to its user: views and logs contain data under contract. */
import { chmodSync, statSync } from 'node:fs';
import { requireFolder } from './folders.ts';

const OTHERS = 0o077;
const STICKY = 0o1000;

/** Restricts files and folders that this process and its children create from now on to their user. */
export function makeFilesPrivate(): void {
  process.umask(OTHERS);
}

/**
 * Creates a folder that only this user can access. Removes the rights of others from an existing folder, unless another user
 * owns it, as with a mounted volume, or it has the sticky bit, as a shared folder such as /tmp does. Throws `FolderError`, which names
 * DATA_DIR, when it cannot be created or written.
 */
export function makePrivateFolder(path: string): void {
  requireFolder('DATA_DIR', path, 0o700);
  const { mode, uid } = statSync(path);
  const canRestrict = uid === process.getuid?.() && (mode & STICKY) === 0;
  if (canRestrict && (mode & OTHERS) !== 0) chmodSync(path, mode & ~OTHERS);
}
