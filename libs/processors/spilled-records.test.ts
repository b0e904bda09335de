import { execFile } from 'node:child_process';
import { fstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SpilledRecords } from './spilled-records.ts';

const record = (key: string, value: string) => ({ key: Buffer.from(key), value: Buffer.from(value) });
const texts = (records: ReadonlyMap<string, Buffer> | null) =>
  records && [...records].map(([key, value]) => `${key}=${value.subarray(0, 20)}`);

/** Returns records of an owner, and a function that adds some to it. */
function storeOf(padding: number) {
  const store = new SpilledRecords<number | string>();
  onTestFinished(() => store.close());
  const put = (owner: number | string, ...records: readonly (readonly [key: string, value: string])[]) => {
    for (const [key, value] of records) store.put(owner, record(key, value.padEnd(20).padEnd(padding)));
  };
  return { store, put };
}

describe.each([
  ['in memory', 20],
  ['in the file', 100_000],
  ['in both', 15_000],
])('spilled records %s', (_, padding) => {
  test('are the last ones of each key of an owner, in the order of the last writes', () => {
    const { store, put } = storeOf(padding);
    put(1, ['state', 'state 1'], ['a', 'a 1'], ['a', 'a 2']);
    put('4/5', ['state', 'other']);
    put(1, ['state', 'state 2'], ['ü', '']);
    expect(store.size).toBe(2);

    const all = ['a=a 2', 'state=state 2', 'ü='].map((text) => text.padEnd(text.indexOf('=') + 21));
    expect(texts(store.read(1))).toEqual(all);
    expect(texts(store.read(1))).toEqual(all);
    put(1, ['a', 'a 3']);
    expect(texts(store.take(1))).toEqual([all[1], all[2], 'a=a 3'.padEnd(22)]);
    expect(store.take(1)).toBeNull();
    expect(texts(store.read('4/5'))).toEqual(['state=other'.padEnd(26)]);
    expect(store.size).toBe(1);
  });
});

/** Has TMPDIR name a new folder during this test. */
function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spilled-records-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  return folder;
}

test('leave no file behind in TMPDIR', () => {
  const folder = ownFolder();
  const { store, put } = storeOf(100_000);
  put(1, ['a', 'a 1']);
  expect(readdirSync(folder)).toEqual([]);
  expect(store.take(1)?.size).toBe(1);
});

test('a folder that is gone is named with its setting', () => {
  const folder = ownFolder();
  vi.stubEnv('TMPDIR', join(folder, 'gone'));
  const { put } = storeOf(100_000);
  const message = expect.stringMatching(/gone cannot be written \(.*ENOENT.*\): set TMPDIR to a folder/);
  expect(() => put(1, ['a', 'a 1'])).toThrow(expect.objectContaining({ code: 'FOLDER_UNUSABLE', message }));
});

test('a disk that becomes full is named with the setting of its folder', async () => {
  const script = join(import.meta.dirname, 'testing/full-disk.fixture.ts');
  const command = 'ulimit -f 1024 && exec "$0" "$1"';
  // Leaves out NODE_COMPILE_CACHE: its file would reach the limit at the start.
  const env = { PATH: process.env.PATH ?? '' };
  const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, script], { env });
  expect(JSON.parse(stdout)).toEqual({
    code: 'FOLDER_UNUSABLE',
    message: expect.stringMatching(/cannot be written \(disk I\/O error\): set TMPDIR to a folder/),
  });
});

test('use the space of records that were taken again', () => {
  const folder = ownFolder();
  const { store, put } = storeOf(100_000);
  for (let round = 0; round < 20; round++) {
    for (let owner = 0; owner < 50; owner++) put(owner, ['state', `round ${round}`]);
    for (let owner = 0; owner < 50; owner++)
      expect(texts(store.take(owner))).toEqual([`state=${`round ${round}`.padEnd(20)}`]);
  }
  expect(store.size).toBe(0);
  expect(openBytes(folder)).toBeLessThan(12 * 1024 * 1024);
});

/** Returns the bytes of this process's files in a folder, unlinked ones included. */
function openBytes(folder: string): number {
  let bytes = 0;
  for (const fd of readdirSync('/proc/self/fd')) {
    try {
      if (readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)) bytes += fstatSync(Number(fd)).size;
    } catch {
      // The descriptor of this list.
    }
  }
  return bytes;
}
