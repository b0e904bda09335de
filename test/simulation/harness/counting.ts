/** The processor of the simulated processes. The checks use the same rule for its output. */
import type { ConsumedRecord } from '#streams/client/port.ts';
import type { PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';

export const TOPICS = { input: 'input', counts: 'counts', output: 'output', letters: 'letters' } as const;
export const APPLICATION = 'sim.counting';

/** Counts records by key. It writes an output record for each input record, and the changed counts to the changelog. */
export class CountingProcessor implements PartitionProcessor {
  readonly #counts = new Map<string, number>();
  readonly #changed = new Set<string>();
  readonly #partition: number;
  /** Whether the state outlives a failure of the broker (docs/decisions/0050). */
  readonly isKept: boolean;

  constructor(partition: number, isKept: boolean) {
    this.#partition = partition;
    this.isKept = isKept;
  }

  restore(_topic: string, records: readonly ConsumedRecord[]): void {
    for (const { key, value } of records) this.#counts.set(String(key), Number(value));
  }

  process({ key, value }: ConsumedRecord, collector: RecordCollector): void {
    const name = String(key);
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    this.#changed.add(name);
    collector.add(TOPICS.output, name, Buffer.from(outputOf(String(value), count)));
  }

  flush(collector: RecordCollector): void {
    for (const key of this.#changed)
      collector.add(TOPICS.counts, key, Buffer.from(String(this.#counts.get(key))), this.#partition);
    this.#changed.clear();
  }

  committed(): void {}

  size(): number {
    return this.#counts.size;
  }

  close(): void {}
}

/** Returns the output for an input record. */
export function outputOf(value: string, count: number): string {
  return `${value}=${count}`;
}
