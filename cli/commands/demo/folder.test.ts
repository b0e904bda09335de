import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { claimDemoFolder, keepFolder } from './folder.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = temporaryFolder();
});

function put(...path: string[]): string {
  const file = join(dataDir, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, 'x');
  return file;
}

test('creates a missing data folder', () => {
  const folder = claimDemoFolder(join(dataDir, 'new'));
  expect(folder.path).toBe(join(dataDir, 'new'));
  folder.release();
});

test('deletes the data of the last demonstration, but no secret and no foreign file', () => {
  claimDemoFolder(dataDir).release();
  const old = put('kafka', 'log');
  const [secret, other] = [put('webhook-secret'), put('notes.txt')];
  const folder = claimDemoFolder(dataDir);
  expect(folder.path).toBe(dataDir);
  expect([old, secret, other].map(existsSync)).toEqual([false, true, true]);
  folder.release();
});

test.each([
  ['of an embedded broker', ['kafka', 'log']],
  ['of services whose broker is elsewhere', ['logs', 'api.log']],
  ['of a platform that runs', ['backbone.json']],
])('keeps data that no demonstration wrote: %s', (_name, path) => {
  const data = put(...path);
  const folder = claimDemoFolder(dataDir);
  expect(folder.path).toBe(join(dataDir, 'demo'));
  expect(readFileSync(data, 'utf8')).toBe('x');
  folder.release();
});

test('keeps data whose mark was removed', () => {
  claimDemoFolder(dataDir).release();
  const data = put('kafka', 'log');
  keepFolder(dataDir);
  const folder = claimDemoFolder(dataDir);
  expect(folder.path).toBe(join(dataDir, 'demo'));
  expect(existsSync(data)).toBe(true);
  folder.release();
});

test('does not use the folder of a running demonstration, and fails without another folder', () => {
  const first = claimDemoFolder(dataDir);
  const data = put('kafka', 'log');
  const second = claimDemoFolder(dataDir);
  expect([first.path, second.path]).toEqual([dataDir, join(dataDir, 'demo')]);
  expect(existsSync(data)).toBe(true);
  expect(() => claimDemoFolder(dataDir)).toThrow('a demonstration is running in');
  first.release();
  second.release();
});
