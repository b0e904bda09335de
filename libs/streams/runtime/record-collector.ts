import type { OutputRecord } from '../client/port.ts';

/** The records of a task's next commit, in its own partition by default. */
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
