import { LRUCache } from 'lru-cache';
import type { Access, RestAnswer } from '#contract/rest/provider.ts';
import { accessKey } from '../../queries/access.ts';

/** Returns a list of JSON texts as an object with one field. */
export function listData(name: string, items: readonly string[]): string {
  return `{"${name}":[${items.join(',')}]}`;
}

/** Returns a cache of rendered answers, of at most `maxBytes` of data. Evicts the least recently used. */
export function answerCache(maxBytes: number) {
  type Cached = { readonly version: string; readonly answer: RestAnswer };
  const cached = new LRUCache<string, Cached>({ maxSize: maxBytes });
  /** Returns the cached answer of a key if it has this version of its sources; else renders and caches it. */
  const get = (key: string, version: string, render: () => { data: string; total: number | null }) => {
    const known = cached.get(key);
    if (known?.version === version) return known.answer;
    const { data, total } = render();
    const answer: RestAnswer = { data: Buffer.from(data), total };
    cached.set(key, { version, answer }, { size: answer.data.length });
    return answer;
  };
  return { get, drop: (key: string) => cached.delete(key) };
}

export function listKey(name: string, query: object, access: Access): string {
  return `${name} ${JSON.stringify(query)} ${accessKey(access)}`;
}
