import { LRUCache } from 'lru-cache';
import type { RestAnswer } from '#contract/rest/provider.ts';

type Kept = { readonly version: string; readonly answer: RestAnswer };

/**
 * Answers that are sent again as they are while what they were made of is the same. Holds a bounded number of bytes;
 * those that were not asked for the longest go first.
 */
export class AnswerCache {
  readonly #kept: LRUCache<string, Kept>;

  constructor(maxBytes: number) {
    this.#kept = new LRUCache({ maxSize: maxBytes });
  }

  /** The answer of a key at a version of its sources; made where it is not kept. */
  get(key: string, version: string, make: () => { data: string; total: number | null }): RestAnswer {
    const kept = this.#kept.get(key);
    if (kept?.version === version) return kept.answer;
    const made = make();
    const answer: RestAnswer = { data: Buffer.from(made.data), total: made.total };
    this.#kept.set(key, { version, answer }, { size: answer.data.length });
    return answer;
  }

  drop(key: string): void {
    this.#kept.delete(key);
  }
}
