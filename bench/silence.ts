import { setTimeout as delay } from 'node:timers/promises';

/** Maximum silence of a served partition; each partition gets a message every 40 ms. */
const CALM_GAP_MS = 1_000;
/** Time for which all partitions must be served before the measurement. */
export const CALM_MS = 2_000;
const LIMIT_MS = 120_000;

/** A period without a record of a partition, milliseconds, on the clock of `performance.now`. */
export type Silence = { readonly ms: number; readonly endAt: number };

/** Tracks the last record of each partition, and its longest silence since `begin`. */
export class SilenceWatch {
  readonly #partitions: number;
  readonly #last = new Map<number, number>();
  readonly #longest = new Map<number, Silence>();

  constructor(partitions: number) {
    this.#partitions = partitions;
  }

  seen(partition: number, at: number): void {
    const ms = at - (this.#last.get(partition) ?? at);
    this.#last.set(partition, at);
    if (ms >= (this.#longest.get(partition)?.ms ?? 0)) this.#longest.set(partition, { ms, endAt: at });
  }

  begin(): void {
    this.#longest.clear();
  }

  /** Returns the longest silence of each partition, longest first. */
  longest(): Silence[] {
    return [...this.#longest.values()].sort((a, b) => b.ms - a.ms);
  }

  /** Waits until every partition was served for `CALM_MS` without a long gap. */
  async calm(): Promise<void> {
    const limit = performance.now() + LIMIT_MS;
    for (let since = performance.now(); performance.now() < since + CALM_MS; await delay(10)) {
      const now = performance.now();
      if (now > limit) throw new Error('not all partitions are served');
      const last = [...this.#last.values()];
      if (last.length < this.#partitions || last.some((at) => now - at > CALM_GAP_MS)) since = now;
    }
  }
}
