import type { MatchTransition } from '#records/types.ts';
import type { StreamClient } from '#streams/client/port.ts';
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
import type { CodecsOf } from '#topics/registry.ts';
import { CauseReader } from './cause-reader.ts';
import type { WebhookStage } from './webhook-stage.ts';

export type FormerChangesOptions = {
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
export class FormerChanges {
  readonly #options: FormerChangesOptions;
  readonly #positions: string;
  /** Where the former composer stopped; null until it is known. */
  #former: Position | null = null;
  /** Offset of the next transition to compose. */
  #next = 0;
  /** End of the transitions that are composed here. */
  #end = 0;
  #isDone = false;
  /** What is composed and not taken yet. Outlives a failed read: the sent times of the stage include it. */
  #composed: RecordCollector;
  #isReady = false;

  constructor(options: FormerChangesOptions) {
    this.#options = options;
    this.#positions = positionsTopic(options.former.application);
    this.#composed = new RecordCollector(options.partition);
  }

  /** Composes the next part, for `take`. Resolves with whether there is one. Rejects with `StreamError`. */
  async next(): Promise<boolean> {
    if (this.#isReady || this.#isDone) return this.#isReady;
    this.#former ??= await this.#find();
    if (this.#former === null) {
      this.#isDone = true;
      return false;
    }
    await this.#compose();
    this.#isDone = this.#next >= this.#end;
    const { partition } = this.#options;
    const mark = this.#isDone
      ? TAKEN_OVER
      : positionRecord(this.#positions, partition, { ...this.#former, next: this.#next }).value;
    this.#composed.add(this.#positions, String(partition), mark);
    this.#isReady = true;
    return true;
  }

  /** Adds the composed part to a transaction. */
  take(collector: RecordCollector): void {
    if (!this.#isReady) return;
    for (const { topic, key, value, partition } of this.#composed.records)
      collector.add(topic, key, value, partition);
    this.#composed = new RecordCollector(this.#options.partition);
    this.#isReady = false;
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
    this.#next = next;
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

  /** Composes transitions until there are enough for a transaction, or no more. */
  async #compose(): Promise<void> {
    const { client, codecs, former, causesTopic, partition } = this.#options;
    const reader = client.openReader({ topic: causesTopic, partition, maxBytes: READ_BYTES });
    const causes = new CauseReader(reader, codecs['normalized-messages']);
    const range = { topic: former.input, partition, start: this.#next, end: this.#end, maxBytes: READ_BYTES };
    try {
      for await (const { records, next } of readRange(client, range)) {
        await fetchSchemas(codecs['match-transitions'], records);
        for (const { offset, value } of records) {
          await this.#composeOne(decodeInput(codecs['match-transitions'], value), causes);
          this.#next = offset + 1;
          if (this.#composed.bytes > MAX_BYTES) return;
        }
        this.#next = next;
      }
      this.#next = this.#end;
    } finally {
      await causes.close();
    }
  }

  async #composeOne(transition: MatchTransition, causes: CauseReader): Promise<void> {
    const { stage, log } = this.#options;
    const { id, cause } = transition;
    if (stage.isExpired(cause.received_at)) return;
    const message = await causes.at(cause.offset);
    if (message === null)
      log.error({ id, offset: cause.offset }, 'no webhook has this change: its cause expired');
    else stage.add([transition], message, this.#composed);
  }
}
