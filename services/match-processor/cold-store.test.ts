import { describe, expect, test } from 'vitest';
import { ColdStore } from './cold-store.ts';

const KEY = 'state';

describe.each([
  ['in memory', Number.MAX_SAFE_INTEGER],
  ['on disk', 0],
  ['across both', 12],
])('cold store %s', (_, heapBytes) => {
  test('a match comes back whole, with the last record of each key, once', () => {
    const store = new ColdStore(heapBytes);
    store.put(1, KEY, Buffer.from('state 1'));
    store.put(1, 'a', Buffer.from('a 1'));
    store.put(2, KEY, Buffer.from('other'));
    store.put(1, 'a', Buffer.from('a 2'));
    store.put(1, KEY, Buffer.from('state 2'));
    store.put(1, 'b', Buffer.from('b 1'));
    expect(store.size).toBe(2);

    const taken = store.take(1, KEY);
    expect(taken?.state?.toString()).toBe('state 2');
    expect([...(taken?.incidents.values() ?? [])].map(String).sort()).toEqual(['a 2', 'b 1']);
    expect(store.take(1, KEY)).toBeNull();
    expect(store.size).toBe(1);
    store.close();
  });

  test('it copies what it is given', () => {
    const store = new ColdStore(heapBytes);
    const bytes = Buffer.from('before');
    store.put(1, KEY, bytes);
    bytes.write('after!');
    expect(store.take(1, KEY)?.state?.toString()).toBe('before');
    store.close();
  });

  test('a match that was put away whole comes back whole, and later records stand over it', () => {
    const store = new ColdStore(heapBytes);
    store.putAll(1, [
      [KEY, Buffer.from('state 1')],
      ['a', Buffer.from('a 1')],
      ['ü', Buffer.alloc(0)],
    ]);
    store.put(1, KEY, Buffer.from('state 2'));
    expect(store.size).toBe(1);
    const taken = store.take(1, KEY);
    expect(taken?.state?.toString()).toBe('state 2');
    expect([...(taken?.incidents.values() ?? [])].map(String).sort()).toEqual(['', 'a 1']);
    expect(store.take(1, KEY)).toBeNull();
    store.close();
  });

  test('an unknown match is null', () => {
    expect(new ColdStore(heapBytes).take(5, KEY)).toBeNull();
  });
});
