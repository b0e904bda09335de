/** webhook-messages, as a dispatcher reads it: once a process, from its end at the start on. */
import { offsetsAt } from '#cluster/logs.ts';
import type { Brokers } from '#security/brokers.ts';
import {
  type LogBounds,
  partitionKey,
  type StreamClient,
  type TopicPartition,
} from '#streams/client/port.ts';
import { follow } from '#streams/read/follow.ts';
import type { Decoder } from '#topics/codec.ts';
import type { WebhookMessage } from '#topics/generated/types.ts';
import { type MessageAtOffset, MessageWindow } from './message-window.ts';
import type { Subscription } from './subscriptions.ts';

export type MessageLogOptions = {
  readonly brokers: Brokers;
  readonly client: StreamClient;
  /** Name of webhook-messages on the broker. */
  readonly topic: string;
  readonly decoder: Decoder<WebhookMessage>;
  /** The name of the reader, in the broker's logs. */
  readonly reader: string;
  /** Bytes of messages that are held for all subscriptions. */
  readonly windowBytes: number;
};

export class MessageLog {
  readonly window: MessageWindow;
  readonly #options: MessageLogOptions;
  readonly #partitions: readonly TopicPartition[];
  /** The end of each partition at the start. */
  readonly #ends: readonly number[];

  private constructor(
    options: MessageLogOptions,
    partitions: readonly TopicPartition[],
    ends: readonly number[],
  ) {
    this.#options = options;
    this.#partitions = partitions;
    this.#ends = ends;
    this.window = new MessageWindow(ends, options.windowBytes);
  }

  /** Rejects with `StreamError`. */
  static async open(options: MessageLogOptions): Promise<MessageLog> {
    const { client, topic } = options;
    const count = await client.partitionCount(topic);
    const partitions = Array.from({ length: count }, (_, partition) => ({ topic, partition }));
    const bounds = await client.logBounds(partitions);
    return new MessageLog(
      options,
      partitions,
      bounds.map(({ end }) => end),
    );
  }

  /** Reads into the window until `signal` is aborted, and passes on what arrives. Rejects as `follow` does. */
  async follow(
    signal: AbortSignal,
    onMessages: (messages: readonly MessageAtOffset[]) => void,
  ): Promise<void> {
    const { brokers, reader, topic, decoder } = this.#options;
    await follow({
      brokers,
      reader,
      topics: [topic],
      from: new Map(this.#partitions.map((of, at) => [partitionKey(of), this.#ends[at] ?? 0])),
      signal,
      onBatch: async ({ partition, records, next }) => {
        await decoder.prepare(records);
        const placed: MessageAtOffset[] = [];
        for (const { offset, value, traceparent } of records) {
          if (value === null) continue;
          const message = decoder.decode(value);
          // A copy: otherwise a few messages would keep all bytes fetched with them.
          placed.push({
            offset,
            message: { ...message, message: Buffer.from(message.message) },
            traceparent,
          });
        }
        this.window.add(partition, placed, next);
        onMessages(placed);
      },
    });
  }

  /** Offsets, by partition, from which a subscription without progress is delivered: from its creation on, or from now on where that is unknown. */
  async startOf({ createdAt }: Subscription): Promise<number[]> {
    const { brokers, topic } = this.#options;
    if (createdAt === null) return this.#partitions.map(({ partition }) => this.window.nextOf(partition));
    const found = await offsetsAt({ brokers, topic, time: createdAt });
    return this.#partitions.map((of) => found.get(partitionKey(of)) ?? 0);
  }

  /** The bounds of each partition now. Rejects with `StreamError`. */
  bounds(): Promise<readonly LogBounds[]> {
    return this.#options.client.logBounds(this.#partitions);
  }
}
