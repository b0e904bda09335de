import { spawnSync } from 'node:child_process';
import { atEnd } from './at-end.ts';

/** Mounts a separate disk of this size on a folder, until the test or file ends. Returns false when this user may not mount. */
export function mountDisk(folder: string, bytes: number): boolean {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]).status === 0;
  if (mounted) atEnd(() => spawnSync('umount', ['--lazy', folder]));
  return mounted;
}
