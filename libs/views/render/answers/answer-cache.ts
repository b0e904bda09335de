import type { Answer } from '#contract/rest/provider.ts';

type Kept = { readonly version: string; readonly answer: Answer; readonly bytes: number };

/**
 * Answers that are sent again as they are while what they were made of is the same. Holds a bounded number of bytes;
 * those that were not asked for the longest go first.
 */
export class AnswerCache {
  readonly #maxBytes: number;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The answer of a key at a version of its sources; made where it is not kept. */
  get(key: string, version: string, make: () => { data: string; total: number | null }): Answer {
    const kept = this.#kept.get(key);
    if (kept !== undefined) this.#kept.delete(key);
    if (kept?.version === version) {
      // Put back as the one that was asked for last.
      this.#kept.set(key, kept);
      return kept.answer;
    }
    this.#bytes -= kept?.bytes ?? 0;
    const made = make();
    const data = Buffer.from(made.data);
    const answer: Answer = { data, total: made.total };
    if (data.length <= this.#maxBytes) {
      this.#kept.set(key, { version, answer, bytes: data.length });
      this.#bytes += data.length;
      this.#makeRoom();
    }
    return answer;
  }

  /** Forgets one. */
  drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }

  #makeRoom(): void {
    for (const key of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.drop(key);
    }
  }
}
