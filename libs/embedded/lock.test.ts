import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { tryLock } from './folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
let holder: ChildProcess | undefined;
afterEach(async () => {
  holder?.kill('SIGKILL');
});

test('is held once at a time, whoever tries, and again after a release', async () => {
  const file = join(folder, 'lock');
  const first = tryLock(file);
  expect(first).toBeDefined();
  expect(tryLock(file)).toBeUndefined();
  expect((await lockElsewhere(file)).hasIt).toBe(false);
  first?.release();
  first?.release(); // a second release is nothing
  const second = tryLock(file);
  expect(second).toBeDefined();
  second?.release();
});

/** Starts a process that tries to lock a file and keeps the lock. Resolves with whether it got it. */
async function lockElsewhere(file: string): Promise<{ child: ChildProcess; hasIt: boolean }> {
  const script = `
    const { tryLock } = await import(process.argv[1]);
    console.log(tryLock(process.argv[2]) !== undefined);
    setInterval(() => {}, 1000);
  `;
  const module = join(import.meta.dirname, 'folder.ts');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, module, file]);
  holder = child;
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, hasIt: said.toString().trim() === 'true' };
}

test('is released when its process is killed', async () => {
  const file = join(folder, 'lock');
  const { child, hasIt } = await lockElsewhere(file);
  expect(hasIt).toBe(true);
  expect(tryLock(file)).toBeUndefined();
  child.kill('SIGKILL');
  const lock = await vi.waitUntil(() => tryLock(file), 50_000);
  lock.release();
});

test('names the folder of a file that cannot be created, why, and its setting', () => {
  const missing = join(folder, 'no');
  expect(() => tryLock(join(missing, 'lock'))).toThrow(
    new RegExp(`^${missing} cannot be written \\(ENOENT: .*\\): set DATA_DIR to a folder`),
  );
});
