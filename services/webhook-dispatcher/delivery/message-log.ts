/** Reads webhook-messages once a process, from its end at the start. */
import { offsetsAt } from '#cluster/logs.ts';
import type { WebhookMessage } from '#records/types.ts';
import type { Brokers } from '#security/brokers.ts';
import {
  type LogBounds,
  partitionKey,
  type StreamClient,
  type TopicPartition,
} from '#streams/client/port.ts';
import { follow } from '#streams/read/follow.ts';
import type { Decoder } from '#topics/codec.ts';
import { readable } from '#topics/readable.ts';
import { type MessageAtOffset, MessageWindow } from './message-window.ts';
import type { Subscription } from './subscriptions.ts';

type MessageLogOptions = {
  readonly brokers: Brokers;
  readonly client: StreamClient;
  /** Name of webhook-messages on the broker. */
  readonly topic: string;
  readonly decoder: Decoder<WebhookMessage>;
  /** Name of the reader in the broker's logs. */
  readonly reader: string;
  /** Maximum bytes of the messages in the window. */
  readonly windowBytes: number;
};

/** webhook-messages, with its latest messages in a window that all subscriptions share. */
export class MessageLog {
  readonly window: MessageWindow;
  readonly #options: MessageLogOptions;
  readonly #partitions: readonly TopicPartition[];

  private constructor(
    options: MessageLogOptions,
    partitions: readonly TopicPartition[],
    ends: readonly number[],
  ) {
    this.#options = options;
    this.#partitions = partitions;
    this.window = new MessageWindow(ends, options.windowBytes);
  }

  /** Reads the bounds of the topic. Rejects with `StreamError`. */
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

  /** Reads messages into the window until `signal` is aborted, and passes them to `onMessages`. Rejects as `follow` does. */
  async follow(
    signal: AbortSignal,
    onMessages: (messages: readonly MessageAtOffset[]) => void,
  ): Promise<void> {
    const { brokers, reader, topic, decoder } = this.#options;
    await follow({
      brokers,
      reader,
      topics: [topic],
      from: new Map(this.#partitions.map((of) => [partitionKey(of), this.window.nextOf(of.partition)])),
      signal,
      onBatch: async ({ partition, records, next }) => {
        const messages: MessageAtOffset[] = [];
        for (const { value: message, record } of await readable(decoder, { topic, partition }, records)) {
          if (message === null) continue;
          // Copies the bytes: a view would keep all bytes that were fetched with it.
          messages.push({
            offset: record.offset,
            message: { ...message, message: Buffer.from(message.message) },
            traceparent: record.traceparent,
          });
        }
        this.window.add(partition, messages, next);
        onMessages(messages);
      },
      // Each subscription that has not passed them reads there, and records its loss.
      onExpired: ({ partition, next }) => this.window.restart(partition, next),
    });
  }

  /**
   * Returns the offsets, by partition, at which a new subscription starts: those at the time of its creation, or the
   * current ones if that time is unknown.
   */
  async startOf({ createdAt }: Subscription): Promise<number[]> {
    const { brokers, topic } = this.#options;
    if (createdAt === null) return this.#partitions.map(({ partition }) => this.window.nextOf(partition));
    const found = await offsetsAt({ brokers, topic, time: createdAt });
    return this.#partitions.map((of) => found.get(partitionKey(of)) ?? 0);
  }

  /** Returns the current bounds of each partition. Rejects with `StreamError`. */
  bounds(): Promise<readonly LogBounds[]> {
    return this.#options.client.logBounds(this.#partitions);
  }
}
