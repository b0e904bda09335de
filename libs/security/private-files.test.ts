import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { makePrivateFolder } from './private-files.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'touchline-private-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
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
