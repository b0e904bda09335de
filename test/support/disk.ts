import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shortageOf } from '#errors/shortages.ts';
import { atEnd } from './at-end.ts';
import { temporaryFolder } from './temporary-folder.ts';

const FILLING = 'filling';

/** Mounts a separate disk of this size on a folder, until the test or file ends. Returns false when this user may not mount. */
export function mountDisk(folder: string, bytes: number): boolean {
  const mounted = runs('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder);
  if (mounted) atEnd(() => runs('umount', '--lazy', folder));
  return mounted;
}

/** Changes an option of a mounted disk, such as `ro` or `size=1048576`. A disk with a file open for writing cannot become read-only. */
export function remountDisk(folder: string, option: string): void {
  if (!runs('mount', '-o', `remount,${option}`, folder))
    throw new Error(`cannot remount ${folder} ${option}`);
}

export function fillDisk(folder: string, leave = 0): void {
  const { bavail, bsize } = statfsSync(folder);
  try {
    writeFileSync(join(folder, FILLING), Buffer.alloc(Math.max(0, bavail * bsize - leave)));
  } catch (error) {
    // A file needs room for its own structure too.
    if (shortageOf(error) !== 'ENOSPC') throw error;
  }
}

export function freeDisk(folder: string): void {
  rmSync(join(folder, FILLING));
}

/** A disk with a file system of its own, which can fail as a real one does. It is unmounted after the test or file. */
export class FailingDisk {
  readonly folder: string;
  readonly #image: string;

  private constructor(folder: string, image: string) {
    this.folder = folder;
    this.#image = image;
  }

  /** Mounts a disk of this size on a new folder. Returns null when this user, or this machine, cannot. */
  static mount(bytes: number): FailingDisk | null {
    const disk = new FailingDisk(temporaryFolder(), join(temporaryFolder(), 'image'));
    writeFileSync(disk.#image, '');
    truncateSync(disk.#image, bytes);
    if (!runs('mkfs.ext4', '-q', '-m', '0', disk.#image) || !disk.#mount()) return null;
    atEnd(() => runs('umount', '--lazy', disk.folder));
    return disk;
  }

  /** Makes the disk read-only while its files are open, as the kernel does when the disk fails. What was written before is on it. */
  fail(): void {
    runs('sync', '-f', this.folder);
    const [device = ''] = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .flatMap((line) => (line.split(' ')[1] === this.folder ? [line.split(' ')[0]] : []));
    // The write itself fails: the disk is read-only by then.
    spawnSync('sh', ['-c', `echo 1 > /sys/fs/ext4/${device.replace('/dev/', '')}/trigger_fs_error`]);
  }

  /** Mounts the disk again, writable. No process may have a file of it open. */
  repair(): void {
    if (!runs('umount', this.folder) || !this.#mount()) throw new Error(`cannot mount ${this.folder} again`);
  }

  #mount(): boolean {
    return runs('mount', '-o', 'loop,errors=remount-ro', this.#image, this.folder);
  }
}

function runs(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}
