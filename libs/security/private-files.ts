/** Files of a process for its user alone: views, logs and what is kept hold what contracts are about. */
import { chmodSync, mkdirSync, statSync } from 'node:fs';

const OTHERS = 0o077;
const STICKY = 0o1000;

/** From now on, files and folders that this process and its children make are their user's alone. */
export function makeFilesPrivate(): void {
  process.umask(OTHERS);
}

/**
 * Makes a folder for this user alone. One that is there loses the rights of others, where it is this user's own: a mounted
 * volume may be another's, and a folder with the sticky bit, as /tmp, is shared on purpose.
 */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(path);
  const isOurs = uid === process.getuid?.() && (mode & STICKY) === 0;
  if (isOurs && (mode & OTHERS) !== 0) chmodSync(path, mode & ~OTHERS);
}
