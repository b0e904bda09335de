/** A minimal processor. */
import { PoisonError } from '#errors/touchline-error.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import type { PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';

/** A value that the processor rejects. */
export const POISON = 'poison';

/** Functions that a test runs at the steps of a processor. An error fails the step. */
export type Hooks = {
  readonly restore?: (partition: number) => void | Promise<void>;
  /** Runs after the change, so that only a restore can undo it. */
  readonly process?: (value: string, partition: number) => void | Promise<void>;
  /** Returns the value written for a key. Default: its count. */
  readonly encode?: (key: string, count: number) => string;
  /** Maximum number of keys of a commit. Default: no limit. */
  readonly maxKeys?: number;
};

/** Counts records by key. */
export class CountByKey implements PartitionProcessor {
  readonly isKept = true;
  readonly #counts = new Map<string, number>();
  readonly #changed = new Set<string>();
  readonly #changelog: string;
  readonly #partition: number;
  readonly #hooks: Hooks;

  constructor(changelog: string, partition: number, hooks: Hooks) {
    this.#changelog = changelog;
    this.#partition = partition;
    this.#hooks = hooks;
  }

  isFull(): boolean {
    return this.#changed.size >= (this.#hooks.maxKeys ?? Number.POSITIVE_INFINITY);
  }

  restore(_topic: string, records: readonly ConsumedRecord[]): void | Promise<void> {
    for (const { key, value } of records) this.#counts.set(String(key), Number(value));
    return this.#hooks.restore?.(this.#partition);
  }

  process({ key, value }: ConsumedRecord, _collector: RecordCollector): void | Promise<void> {
    if (String(value) === POISON) throw new PoisonError('UNDECODABLE', 'as this test wants it');
    const name = String(key);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#changed.add(name);
    return this.#hooks.process?.(String(value), this.#partition);
  }

  flush(collector: RecordCollector): void {
    const encode = this.#hooks.encode ?? ((_key, count) => String(count));
    for (const key of this.#changed)
      collector.add(this.#changelog, key, Buffer.from(encode(key, this.#counts.get(key) ?? 0)));
    this.#changed.clear();
  }

  committed(): void {}

  size(): number {
    return this.#counts.size;
  }

  close(): void {}
}
