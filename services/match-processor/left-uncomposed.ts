import type { OutputRecord, StreamClient } from '#streams/client/port.ts';
import { RefusedError } from '#streams/errors.ts';
import type { Logger } from '#streams/log.ts';
import { readRange } from '#streams/read/read-range.ts';
import {
  findPosition,
  lastPositionValue,
  type Position,
  positionRecord,
  positionsTopic,
} from '#streams/runtime/positions.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { type StreamTopics, transactionalIdOf, writesOf } from '#streams/runtime/stream-topics.ts';
import { decodeInput, fetchSchemas } from '#topics/codec.ts';
import type { NormalizedMessage } from '#topics/generated/types.ts';
import type { CodecsOf } from '#topics/registry.ts';
import { CauseReader } from './cause-reader.ts';
import type { WebhookStage } from './webhook-stage.ts';

export type LeftUncomposedOptions = {
  readonly client: StreamClient;
  readonly codecs: CodecsOf<'match-transitions' | 'normalized-messages'>;
  /** The topics of the former composer. */
  readonly former: StreamTopics;
  /** Name of normalized-messages on the broker. */
  readonly causesTopic: string;
  readonly partition: number;
  readonly stage: WebhookStage;
  readonly log: Logger;
};

/** Bytes of composed messages after which a transaction ends. */
const MAX_BYTES = 4 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;

/** The last record of the former positions: the composer of release 1 refuses to go on from it, as of an unknown layout. */
const TAKEN_OVER = Buffer.from(JSON.stringify({ layout: 'taken over by match-processor' }));

/**
 * Composes, once a partition, the changes whose webhook messages the composer of release 1 had not written when it ended: there it was
 * a service of its own (docs/decisions/0160). Its progress is in the positions of that composer, written with the messages.
 */
export class LeftUncomposed {
  readonly #options: LeftUncomposedOptions;
  readonly #positions: string;
  /** Where the former composer stopped, and then this one; null until it is known. */
  #position: Position | null = null;
  /** End of the transitions that are composed here. */
  #end = 0;
  #isDone = false;
  #records: readonly OutputRecord[] = [];

  constructor(options: LeftUncomposedOptions) {
    this.#options = options;
    this.#positions = positionsTopic(options.former.application);
  }

  /** Composes the next part, for `take`. Resolves with whether there is one. Rejects with `StreamError`. */
  async next(): Promise<boolean> {
    if (this.#records.length > 0) return true;
    if (this.#isDone) return false;
    this.#position ??= await this.#find();
    if (this.#position === null) {
      this.#isDone = true;
      return false;
    }
    const { collector, next } = await this.#compose(this.#position.next);
    this.#position = { ...this.#position, next };
    this.#isDone = next >= this.#end;
    const { partition } = this.#options;
    const mark = this.#isDone
      ? { topic: this.#positions, partition, key: String(partition), value: TAKEN_OVER }
      : positionRecord(this.#positions, partition, this.#position);
    this.#records = [...collector.records, mark];
    return true;
  }

  /** Adds the composed part to a transaction. */
  take(collector: RecordCollector): void {
    for (const { topic, key, value, partition } of this.#records) collector.add(topic, key, value, partition);
    this.#records = [];
  }

  /** Fences the former composer, and returns where it stopped; null when it left nothing, or never ran. */
  async #find(): Promise<Position | null> {
    const { client, former, partition, log } = this.#options;
    if ((await client.partitionCount(this.#positions)) <= partition) return null;
    const value = await lastPositionValue(client, this.#positions, partition);
    if (value === null || value.equals(TAKEN_OVER)) return null;
    await this.#fence();
    const [bounds] = await client.logBounds([{ topic: former.input, partition }]);
    const topicId = (await client.topicIds([former.input])).get(former.input) ?? '';
    const { start = 0, end = 0 } = bounds ?? {};
    this.#end = end;
    const found = await this.#read();
    const next = found?.topicId === topicId ? Math.min(Math.max(found.next, start), end) : start;
    log.info({ partition, from: next, to: end }, 'composing what the webhook-composer of release 1 left');
    return {
      next,
      topicId,
      inputEpoch: null,
      logs: {},
      producer: found?.producer ?? { id: '-1', epoch: -1 },
    };
  }

  async #read(): Promise<Position | null> {
    const { client, partition, log } = this.#options;
    try {
      return await findPosition(client, this.#positions, partition);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      log.error(
        { partition, err: error },
        'the position of the former composer cannot be read: composing the last seven days',
      );
      return null;
    }
  }

  /** Ends an open transaction of the former composer, and keeps one that still runs from writing more. */
  async #fence(): Promise<void> {
    const { client, former, partition } = this.#options;
    const lastCommitted = async () => (await this.#read())?.producer ?? null;
    const transactionalId = transactionalIdOf(former, partition);
    const producer = await client.openProducer({
      transactionalId,
      ...writesOf(former, partition),
      lastCommitted,
    });
    await producer.close();
  }

  /** Composes transitions from an offset on. Resolves with the offset after the last one. */
  async #compose(start: number): Promise<{ collector: RecordCollector; next: number }> {
    const { client, codecs, former, causesTopic, partition, stage } = this.#options;
    const collector = new RecordCollector(partition);
    const causes = new CauseReader(
      client.openReader({ topic: causesTopic, partition, maxBytes: READ_BYTES }),
    );
    const range = { topic: former.input, partition, start, end: this.#end, maxBytes: READ_BYTES };
    try {
      for await (const { records } of readRange(client, range)) {
        await fetchSchemas(codecs['match-transitions'], records);
        for (const { offset, value } of records) {
          const transition = decodeInput(codecs['match-transitions'], value);
          const cause = await this.#causeOf(causes, transition.cause.offset);
          if (cause !== null) stage.add([transition], cause, collector);
          if (collector.bytes > MAX_BYTES) return { collector, next: offset + 1 };
        }
      }
      return { collector, next: this.#end };
    } finally {
      await causes.close();
    }
  }

  /** Returns the message at an offset of normalized-messages; null when it expired: its messages would have, too. */
  async #causeOf(causes: CauseReader, offset: number): Promise<NormalizedMessage | null> {
    const codec = this.#options.codecs['normalized-messages'];
    const record = await causes.at(offset);
    if (record === null) return null;
    await fetchSchemas(codec, [record]);
    return decodeInput(codec, record.value);
  }
}
