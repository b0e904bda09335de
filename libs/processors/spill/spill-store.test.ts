import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SpillStore } from './spill-store.ts';

const record = (key: string, value: string) => ({ key: Buffer.from(key), value: Buffer.from(value) });
const texts = (records: ReadonlyMap<string, Buffer> | null) =>
  records && [...records].map(([key, value]) => `${key}=${value}`);

describe.each([
  ['in memory', 1024 * 1024],
  ['on disk, an entry a chunk', 16],
  ['across both', 256],
])('spill store %s', (_, chunkBytes) => {
  test('returns the last record of each key of an owner, in the order of the last writes', () => {
    const store = new SpillStore(chunkBytes);
    store.put(1, [record('state', 'state 1'), record('a', 'a 1')]);
    store.put(2, [record('state', 'other')]);
    store.put(1, [record('x', ''), record('a', 'a 2'), record('state', 'state 2'), record('y', '')], 1, 3);
    store.put(1, [record('ü', '')]);
    expect(store.size).toBe(2);

    const all = ['a=a 2', 'state=state 2', 'ü='];
    expect(texts(store.read(1))).toEqual(all);
    expect(texts(store.read(1))).toEqual(all);
    store.put(1, [record('a', 'a 3')]);
    expect(texts(store.take(1))).toEqual(['state=state 2', 'ü=', 'a=a 3']);
    expect(store.take(1)).toBeNull();
    expect(texts(store.read(2))).toEqual(['state=other']);
    expect(store.size).toBe(1);
    store.close();
  });

  test('copies its input', () => {
    const store = new SpillStore(chunkBytes);
    const given = record('k', 'before');
    store.put(1, [given]);
    given.value.write('after!');
    const taken = store.take(1);
    store.put(2, [record('k', 'later')]);
    expect(texts(taken)).toEqual(['k=before']);
    store.close();
  });

  test('stores a record that is larger than a chunk', () => {
    const store = new SpillStore(chunkBytes);
    const long = 'x'.repeat(10_000);
    for (const owner of [1, 2, 3]) store.put(owner, [record('k', `${owner}${long}`)]);
    for (const owner of [2, 1, 3]) expect(texts(store.take(owner))).toEqual([`k=${owner}${long}`]);
    expect(store.size).toBe(0);
    store.close();
  });

  test('returns null for an unknown owner', () => {
    expect(new SpillStore(chunkBytes).take(5)).toBeNull();
  });
});

test.each([
  ['before anything is written', Number.POSITIVE_INFINITY],
  ['written by another thread', 100],
])('keeps both logs within three times the live records, %s', async (_, turnAfter) => {
  const chunkBytes = 4096;
  const store = new SpillStore(chunkBytes);
  const expected = new Map<number, string>();
  // The same order of owners in every run.
  let random = 1;
  for (let step = 0; step < 20_000; step++) {
    if (step % turnAfter === 0) await Promise.all([store.room(), turn()]);
    random = (random * 48_271) % 2_147_483_647;
    const owner = random % 300;
    if (random % 7 === 0) {
      expect(texts(store.take(owner))?.at(-1)).toBe(expected.get(owner));
      expected.delete(owner);
    } else if (random % 3 === 0) {
      expect(texts(store.read(owner))?.at(-1)).toBe(expected.get(owner));
    } else {
      const value = `${step} ${'x'.repeat(random % 200)}`;
      store.take(owner);
      store.put(owner, [record('k', value)]);
      expected.set(owner, `k=${value}`);
    }
  }
  for (const owner of expected.keys()) expect(texts(store.read(owner))).toEqual([expected.get(owner)]);
  const live = [...expected.values()].reduce((sum, value) => sum + value.length + 64, 0);
  expect(store.size).toBe(expected.size);
  expect(store.bytes).toBeLessThan(3 * live + 6 * chunkBytes);
  store.close();
});

test('returns a promise to await while many chunks are being written', async () => {
  const store = new SpillStore(4096);
  const value = Buffer.alloc(4_000, 'x');
  let owners = 0;
  const putUntilFull = () => {
    while (store.room() === undefined) store.put(owners++, [{ key: Buffer.from('k'), value }]);
  };
  putUntilFull();
  expect(owners).toBeLessThan(20);
  await store.room();
  for (let owner = 0; owner < owners; owner++) expect(store.read(owner)?.get('k')).toEqual(value);
  putUntilFull();
  const waiting = store.room();
  store.close();
  await waiting;
});

test('names TMPDIR and the error of a full disk on a later record', async () => {
  const script = join(import.meta.dirname, 'testing/full-disk.fixture.ts');
  const command = 'ulimit -f 16 && exec "$0" "$1"';
  // Leaves out NODE_COMPILE_CACHE: its file would reach the limit at the start.
  const env = { PATH: process.env.PATH ?? '' };
  const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, script], { env });
  expect(JSON.parse(stdout)).toEqual({ code: 'FOLDER_UNUSABLE', cause: 'EFBIG', kept: true });
});
