import { LRUCache } from 'lru-cache';
import type { RestAnswer } from '#contract/rest/provider.ts';

/** Returns a list of JSON texts as an object with one field. */
export function listData(name: string, items: readonly string[]): string {
  return `{"${name}":[${items.join(',')}]}`;
}

/** A cache of rendered answers, of at most `maxBytes` of data. Evicts the least recently used. */
export class AnswerCache {
  readonly #cached: LRUCache<string, { readonly version: string; readonly answer: RestAnswer }>;

  constructor(maxBytes: number) {
    this.#cached = new LRUCache({ maxSize: maxBytes });
  }

  /** Returns the cached answer of a key if it has this version of its sources; else renders and caches it. */
  get(key: string, version: string, render: () => { data: string; total: number | null }): RestAnswer {
    const cached = this.#cached.get(key);
    if (cached?.version === version) return cached.answer;
    const { data, total } = render();
    const answer: RestAnswer = { data: Buffer.from(data), total };
    this.#cached.set(key, { version, answer }, { size: answer.data.length });
    return answer;
  }

  drop(key: string): void {
    this.#cached.delete(key);
  }
}
