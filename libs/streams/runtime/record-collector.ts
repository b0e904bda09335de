import type { OutputRecord } from '../client/port.ts';

/** What a task writes with its next commit, to its own partition unless said otherwise. */
export class RecordCollector {
  readonly #partition: number;
  readonly #records: OutputRecord[] = [];
  #bytes = 0;

  constructor(partition: number) {
    this.#partition = partition;
  }

  /** Adds a record; `topic` is the name on the broker. */
  add(topic: string, key: Buffer | string, value: Buffer | null, partition: number = this.#partition): void {
    this.#records.push({ topic, partition, key, value });
    this.#bytes += value?.length ?? 0;
  }

  /** Everything added so far, in order. */
  get records(): readonly OutputRecord[] {
    return this.#records;
  }

  /** Bytes of the values added so far. */
  get bytes(): number {
    return this.#bytes;
  }
}
