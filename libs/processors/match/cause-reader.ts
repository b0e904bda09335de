import type { NormalizedMessage } from '#records/types.ts';
import type { ConsumedRecord, PartitionReader, ReadBatch } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import { type Decoder, decodeInput, fetchSchemas } from '#topics/codec.ts';

/**
 * Reads the causes of transitions by offset. One batch serves many requests that are in the order of the log. The last message stays
 * decoded: a list of incidents may cause many transitions.
 */
export class CauseReader {
  readonly #reader: PartitionReader;
  readonly #codec: Decoder<NormalizedMessage>;
  #batch: Pick<ReadBatch, 'records' | 'next'> = { records: [], next: 0 };
  /** Offset of the first record that the batch may contain. */
  #from = 0;
  #last: { readonly offset: number; readonly message: NormalizedMessage } | null = null;

  constructor(reader: PartitionReader, codec: Decoder<NormalizedMessage>) {
    this.#reader = reader;
    this.#codec = codec;
  }

  /** Returns the message at an offset; null if the log no longer has it. Rejects with `StreamError`, `PoisonError`. */
  async at(offset: number): Promise<NormalizedMessage | null> {
    if (this.#last?.offset === offset) return this.#last.message;
    const record = await this.#recordAt(offset);
    if (record === null) return null;
    await fetchSchemas(this.#codec, [record]);
    const message = decodeInput(this.#codec, record.value);
    this.#last = { offset, message };
    return message;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async #recordAt(offset: number): Promise<ConsumedRecord | null> {
    if (offset < this.#from || offset >= this.#batch.next) {
      const batch = await this.#read(offset);
      if (batch === null) return null;
      if (batch.next <= offset) throw new StreamError('UNAVAILABLE', `offset ${offset} cannot be read yet`);
      this.#batch = batch;
      this.#from = offset;
    }
    return this.#batch.records.find((record) => record.offset === offset) ?? null;
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
