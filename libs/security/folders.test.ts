import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { makeFolder, requireFolder } from './folders.ts';

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
  const files = ['libs', 'services', 'cli'].flatMap((folder) =>
    globSync(`${folder}/**/*.ts`, { cwd: ROOT }).filter(
      (file) => !/\.test\.ts$|\/testing\/|\/browser\//.test(file),
    ),
  );
  expect(files.length).toBeGreaterThan(0);
  const found = files.filter((file) =>
    /mkdir(Sync)?\([^)]*recursive/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(found).toEqual([]);
});
