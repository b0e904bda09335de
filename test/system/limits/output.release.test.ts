/**
 * Exports to a disk without room, or a read-only one: one line that names the file, and no half file
 * (redirected: cli/unusable.test.ts).
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { fillDisk, freeDisk, mountDisk, remountDisk } from '../../support/disk.ts';
import { connectionEnv } from '../../support/environment.ts';
import { System } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchline } from '../../support/touchline.ts';
import { Deliveries } from './deliveries.ts';

const DISK_BYTES = 1024 * 1024;

let folder: string;
let hasDisk: boolean;
let env: Record<string, string>;

beforeAll(async () => {
  folder = temporaryFolder();
  hasDisk = mountDisk(folder, DISK_BYTES);
  const system = await System.create();
  const deliveries = new Deliveries((await system.startReceiver()).url);
  await deliveries.sendAll(5);
  await deliveries.expectAll(system);
  env = connectionEnv(system.pipeline.connection);
});

async function exportTo(file: string): Promise<[number | NodeJS.Signals, string]> {
  const run = touchline(['export', 'states', '--out', file], env);
  return [await run.ended, run.err];
}

describe('an export to a file', () => {
  const name = 'states.parquet';

  test('keeps the last complete file on a full disk, and names it (needs the right to mount)', async ({
    skip,
  }) => {
    if (!hasDisk) return skip();
    const file = join(folder, name);
    expect(await exportTo(file)).toEqual([0, '']);
    const before = readFileSync(file);
    fillDisk(folder);
    expect(await exportTo(file)).toEqual([
      1,
      `touchline export: ${file} cannot be written (ENOSPC: no space left on device, write: the disk is full: free space on it)\n`,
    ]);
    freeDisk(folder);
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(folder).filter((one) => one.endsWith('.part'))).toEqual([]);
    expect(await exportTo(file)).toEqual([0, '']);
  });

  test('names the file on a read-only disk (needs the right to mount)', async ({ skip }) => {
    if (!hasDisk) return skip();
    remountDisk(folder, 'ro');
    const [code, err] = await exportTo(join(folder, name));
    remountDisk(folder, 'rw');
    expect(code).toBe(1);
    expect(err).toMatch(
      /^touchline export: \S+ cannot be written \(EROFS: .*: the file system is read-only: mount it writable\)\n$/,
    );
  });
});
