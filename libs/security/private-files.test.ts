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

/** The rights of a folder after it was made, with these before where there are some. */
function rightsAfter(before?: number): string {
  const path = join(base, 'data');
  if (before !== undefined) {
    mkdirSync(path);
    chmodSync(path, before);
  }
  makePrivateFolder(path);
  return (statSync(path).mode & 0o7777).toString(8);
}

test("makes a folder that is its owner's", () => {
  expect(rightsAfter()).toBe('700');
});

test('takes the rights of others from a folder that is there', () => {
  expect(rightsAfter(0o755)).toBe('700');
});

test('leaves a folder with the sticky bit, as /tmp, as it is', () => {
  expect(rightsAfter(0o1777)).toBe('1777');
});
