import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { makePrivateFolder } from './private-files.ts';

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

test('creates a folder that only its owner can access', () => {
  expect(rightsAfter()).toBe('700');
});

test('removes the rights of others from an existing folder', () => {
  expect(rightsAfter(0o755)).toBe('700');
});

test('leaves a folder with the sticky bit, such as /tmp, unchanged', () => {
  expect(rightsAfter(0o1777)).toBe('1777');
});
