import type { ConsumedRecord, PartitionReader, ReadBatch } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';

const NO_RECORDS: ReadBatch = { records: [], next: -1, end: -1, written: -1, epoch: null };

/** A read before its records are requested; null if it fails. */
type ReadAhead = { readonly from: number; readonly reading: Promise<ReadBatch | null> };

/**
 * Reads single records of a partition by offset. Optimised for requests in log order: one batch serves many requests,
 * and the next batch is read before it is requested.
 */
export class CauseReader {
  readonly #reader: PartitionReader;
  #batch = NO_RECORDS;
  /** Offset of the first record that the batch may contain. */
  #from = 0;
  #at = 0;
  #ahead: ReadAhead | null = null;

  constructor(reader: PartitionReader) {
    this.#reader = reader;
  }

  /** Returns the record at an offset; null if the log no longer has it. Rejects with `StreamError`. */
  async at(offset: number): Promise<ConsumedRecord | null> {
    while (offset < this.#from || offset >= this.#batch.next) {
      if (await this.#useAhead(offset)) continue;
      const batch = await this.#read(offset);
      if (batch === null) return null;
      if (batch.next <= offset) throw new StreamError('UNAVAILABLE', `offset ${offset} cannot be read yet`);
      this.#use(batch, offset);
    }
    if (offset === this.#batch.next - 1) this.#readAhead();
    const { records } = this.#batch;
    if ((records[this.#at]?.offset ?? 0) > offset) this.#at = 0;
    while ((records[this.#at]?.offset ?? Number.POSITIVE_INFINITY) < offset) this.#at += 1;
    const found = records[this.#at];
    return found?.offset === offset ? found : null;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #use(batch: ReadBatch, from: number): void {
    this.#batch = batch;
    this.#from = from;
    this.#at = 0;
  }

  /** Reads the next batch ahead: its records are written long before they are requested. */
  #readAhead(): void {
    const from = this.#batch.next;
    if (this.#ahead?.from === from) return;
    this.#ahead = { from, reading: this.#read(from).catch(() => null) };
  }

  /** Uses the batch that was read ahead if it has the offset. Returns whether it has. */
  async #useAhead(offset: number): Promise<boolean> {
    const ahead = this.#ahead;
    this.#ahead = null;
    if (ahead === null || offset < ahead.from) return false;
    const batch = await ahead.reading;
    if (batch === null || offset >= batch.next) return false;
    this.#use(batch, ahead.from);
    return true;
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
