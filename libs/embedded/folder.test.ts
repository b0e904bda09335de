import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { ownFolder, tryLock } from './folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const NOTES = { owner: 4711, port: 1 };

test('returns the notes of the previous owner', async () => {
  const first = await ownFolder(folder);
  expect(first.last).toBeUndefined();
  await first.note(NOTES);
  first.release();
  const second = await ownFolder(folder);
  expect(second.last).toEqual(NOTES);
  second.release();
});

test('rejects a folder in use, naming its owner', async () => {
  const owner = await ownFolder(folder);
  await owner.note(NOTES);
  await expect(ownFolder(folder)).rejects.toMatchObject({
    code: 'DATA_FOLDER_IN_USE',
    message: `the data folder ${folder} is in use by process 4711: stop that one, or set DATA_DIR to another folder`,
  });
  owner.release();
});

test('waits for the end of a broker that outlived its starter', async () => {
  const program = `
    setTimeout(() => require('node:fs').writeFileSync(process.argv[1] + '/last', ''), 700);
    console.log(1);
  `;
  const broker = spawn(process.execPath, ['-e', program, folder]);
  await once(broker.stdout, 'data');
  await writeFile(join(folder, 'broker.json'), JSON.stringify({ ...NOTES, broker: broker.pid }));
  const owner = await ownFolder(folder);
  // Its last write is visible before this process learns of its end.
  expect(await readdir(folder)).toContain('last');
  owner.release();
});

test.each([
  ['another process with the pid of the last broker', JSON.stringify({ ...NOTES, broker: process.pid })],
  ['half-written notes', '{"owner":47'],
])('ignores %s', async (_, notes) => {
  await writeFile(join(folder, 'broker.json'), notes);
  (await ownFolder(folder)).release();
});

test('a lock is held once at a time, whoever tries, and again after a release', async () => {
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
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, hasIt: said.toString().trim() === 'true' };
}

test('a lock is released when its process is killed', async () => {
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
