import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { makeFolder, makePrivateFolder, requireFolder } from './folders.ts';

const ROOT = join(import.meta.dirname, '../..');

test('creates a folder and those above it, and leaves an existing one', () => {
  const path = join(temporaryFolder(), 'a/b/c');
  makeFolder(path);
  writeFileSync(join(path, 'file'), '');
  makeFolder(path);
  expect(existsSync(join(path, 'file'))).toBe(true);
});

test.each([
  ['/proc/x', /ENOENT/],
  ['/proc/x/y', /ENOENT/],
  [join(import.meta.filename, 'data'), /ENOTDIR|EEXIST/],
])('refuses %s at once, and names the setting', (path, why) => {
  expect(() => requireFolder('DATA_DIR', path)).toThrow(
    expect.objectContaining({ code: 'FOLDER_UNUSABLE', message: expect.stringMatching(why) }),
  );
  expect(() => requireFolder('DATA_DIR', path)).toThrow(`${path} cannot be written`);
  expect(() => requireFolder('DATA_DIR', path)).toThrow('set DATA_DIR to a folder');
});

test('nothing that runs creates a folder by the option of Node that tries for ever', () => {
  const isRun = (file: string) => !/\.test\.ts$|\/testing\/|\/browser\//.test(file);
  const files = ['libs', 'services', 'cli'].flatMap((folder) =>
    globSync(`${folder}/**/*.ts`, { cwd: ROOT }).filter(isRun),
  );
  expect(files.length).toBeGreaterThan(0);
  const creates = (file: string) =>
    /mkdir(Sync)?\([^)]*recursive/.test(readFileSync(join(ROOT, file), 'utf8'));
  const found = files.filter(creates);
  expect(found).toEqual([]);
});

let base: string;
beforeEach(() => {
  base = temporaryFolder();
});

/** Returns the rights of the folder after `makePrivateFolder`; `before`: those of an existing folder. */
function rightsAfter(before?: number): string {
  const path = join(base, 'data');
  if (before !== undefined) {
    mkdirSync(path);
    chmodSync(path, before);
  }
  makePrivateFolder(path);
  return (statSync(path).mode & 0o7777).toString(8);
}

test.each([
  ['creates a folder that only its owner can access', undefined, '700'],
  ['removes the rights of others from an existing folder', 0o755, '700'],
  ['leaves a folder with the sticky bit, such as /tmp, unchanged', 0o1777, '1777'],
])('%s', (_, before, rights) => expect(rightsAfter(before)).toBe(rights));
