import type { ConsumedRecord, PartitionReader, ReadBatch } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';

const NO_RECORDS: ReadBatch = { records: [], next: -1, end: -1, written: -1, epoch: null };

/** Reads single records of a partition by offset. One batch serves many requests that are in the order of the log. */
export class CauseReader {
  readonly #reader: PartitionReader;
  #batch = NO_RECORDS;
  /** Offset of the first record that the batch may contain. */
  #from = 0;
  #at = 0;

  constructor(reader: PartitionReader) {
    this.#reader = reader;
  }

  /** Returns the record at an offset; null if the log no longer has it. Rejects with `StreamError`. */
  async at(offset: number): Promise<ConsumedRecord | null> {
    if (offset < this.#from || offset >= this.#batch.next) {
      const batch = await this.#read(offset);
      if (batch === null) return null;
      if (batch.next <= offset) throw new StreamError('UNAVAILABLE', `offset ${offset} cannot be read yet`);
      this.#batch = batch;
      this.#from = offset;
      this.#at = 0;
    }
    const { records } = this.#batch;
    if ((records[this.#at]?.offset ?? 0) > offset) this.#at = 0;
    while ((records[this.#at]?.offset ?? Number.POSITIVE_INFINITY) < offset) this.#at += 1;
    const found = records[this.#at];
    return found?.offset === offset ? found : null;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async #read(offset: number): Promise<ReadBatch | null> {
    try {
      return await this.#reader.read(offset);
    } catch (error) {
      // The segment was deleted, or the topic was recreated: both are permanent.
      const isGone =
        error instanceof StreamError &&
        (error.code === 'OFFSET_OUT_OF_RANGE' || error.code === 'TOPIC_RECREATED');
      if (isGone) return null;
      throw error;
    }
  }
}
