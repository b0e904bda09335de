import { LRUCache } from 'lru-cache';
import type { Paging, RestAnswer } from '#contract/rest/provider.ts';
import { pageOf } from '#contract/rest/tree.ts';

/** Returns a page of a list of JSON texts, under its name. */
export function listAnswer(name: string, items: readonly string[], paging: Paging): RestAnswer {
  return { data: listData(name, pageOf(items, paging)), total: items.length };
}

/** Returns a list of JSON texts as an object with one field. */
export function listData(name: string, items: readonly string[]): string {
  return `{"${name}":[${items.join(',')}]}`;
}

type CachedAnswer = { readonly version: string; readonly answer: RestAnswer };

/** A cache of rendered answers, of at most `maxBytes` of data. Evicts the least recently used. */
export class AnswerCache {
  readonly #cached: LRUCache<string, CachedAnswer>;

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
