import { offsetsAt } from '#cluster/logs.ts';
import { lowerBound } from '#domain/sorted.ts';
import type { WebhookMessage } from '#records/types.ts';
import { type LogBounds, partitionKey, partitionsUpTo, type StreamClient } from '#streams/client/port.ts';
import { follow, type OpenTopics, type TopicRecord } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import type { Subscription } from './subscriptions.ts';

export type MessageAtOffset = {
  readonly offset: number;
  readonly message: WebhookMessage;
  readonly traceparent?: string | undefined;
};

export type MessageChunk = {
  readonly messages: readonly MessageAtOffset[];
  readonly next: number;
};

type MessageReaderOptions = {
  readonly source: OpenTopics;
  readonly client: StreamClient;
  /** Name of the reader in the broker's logs. */
  readonly reader: string;
  /** Maximum bytes of the latest messages in memory. */
  readonly windowBytes: number;
};

export const TOPIC = 'webhook-messages';

/** Minimum interval between reads of the latest messages, milliseconds: what arrives meanwhile costs a subscription one request. */
const PACE_MS = 10;
/** The same while no subscription waits for messages. */
const IDLE_PACE_MS = 1_000;

export type MessageReader = Awaited<ReturnType<typeof openMessageReader>>;

/** Opens the reader of the latest messages, read once for all subscriptions of a process. Rejects with `StreamError`. */
export async function openMessageReader({ source, client, reader, windowBytes }: MessageReaderOptions) {
  const { brokers, prefix } = source;
  const topic = topicName(prefix, TOPIC);
  const all = partitionsUpTo(topic, await client.partitionCount(topic));
  /** Returns the current bounds of each partition. Rejects with `StreamError`. */
  const bounds = (): Promise<readonly LogBounds[]> => client.logBounds(all);
  const ends = (await bounds()).map(({ end }) => end);
  const window = new MessageWindow(ends, windowBytes);
  return {
    window,
    partitions: all.length,
    bounds,
    /** Returns the offsets, by partition, at which a new subscription starts: those at the time of its creation. */
    async startOf({ created_at: time }: Pick<Subscription, 'created_at'>): Promise<number[]> {
      const found = await offsetsAt({ brokers, topic, time });
      return all.map((of) => found.get(partitionKey(of)) ?? 0);
    },
    /** Reads the latest messages until `signal`, and passes them on. `isIdle`: no subscription waits for them. Rejects as `follow`. */
    follow: (
      signal: AbortSignal,
      onMessages: (messages: readonly MessageAtOffset[]) => void,
      isIdle: () => boolean,
    ): Promise<void> =>
      follow([TOPIC], source, {
        reader,
        paceMs: () => (isIdle() ? IDLE_PACE_MS : PACE_MS),
        from: new Map(all.map((of) => [partitionKey(of), window.endOf(of.partition)])),
        signal,
        onBatch: ({ records, partitions }) => {
          const latest = partitions.flatMap(({ partition, next }) => {
            const messages = messagesOf(records.filter((record) => record.partition === partition));
            window.add(partition, messages, next);
            return messages;
          });
          onMessages(latest);
        },
        // Each subscription that has not passed them reads there, and records its loss.
        onExpired: ({ partition, next }) => window.restart(partition, next),
      }),
  };
}

type DecodedMessage = Pick<TopicRecord<typeof TOPIC>, 'offset' | 'value' | 'traceparent'>;

export function messagesOf(records: readonly DecodedMessage[]): MessageAtOffset[] {
  return records.flatMap(({ value: message, offset, traceparent }) =>
    message === null ? [] : [{ offset, message, traceparent }],
  );
}

type PartitionWindow = {
  readonly entries: MessageAtOffset[];
  /** Offset from which on the window has all messages. */
  start: number;
  end: number;
  bytes: number;
  /** Offset of the newest state of each match in it, by event id. */
  readonly newest: Map<number, number>;
};

/** Type of the messages with the state of a match; those of other types are facts of their own. */
const STATE = 'event';

/** The latest messages of all partitions. Beyond its share of a maximum of bytes each drops its oldest. */
export class MessageWindow {
  readonly #maxBytes: number;
  readonly #partitions: PartitionWindow[];

  /** `ends`: the first offset to read, by partition. */
  constructor(ends: readonly number[], maxBytes: number) {
    this.#maxBytes = maxBytes / ends.length;
    this.#partitions = ends.map(emptyFrom);
  }

  get bytes(): number {
    return this.#partitions.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  endOf(partition: number): number {
    return this.#windowOf(partition).end;
  }

  /** Adds messages, oldest first; `next` is the next offset to read. */
  add(partition: number, messages: readonly MessageAtOffset[], next: number): void {
    const window = this.#windowOf(partition);
    const { entries, newest } = window;
    for (const one of messages) {
      // Copies the bytes: a view would keep all bytes that were fetched with it.
      const message = { ...one.message, message: Buffer.from(one.message.message) };
      entries.push({ ...one, message });
      window.bytes += message.message.length;
      if (message.type === STATE) newest.set(message.event_id, one.offset);
    }
    window.end = next;
    let dropped = 0;
    while (window.bytes > this.#maxBytes) {
      const { offset, message } = entries[dropped++] as MessageAtOffset;
      window.start = offset + 1;
      window.bytes -= message.message.length;
      if (newest.get(message.event_id) === offset) newest.delete(message.event_id);
    }
    entries.splice(0, dropped);
  }

  /** Drops the messages of a partition, and begins anew at an offset: messages before it were not read. */
  restart(partition: number, next: number): void {
    this.#partitions[partition] = emptyFrom(next);
  }

  /** Returns the messages of a partition at or after an offset; null if the window has not all of them. */
  latest(partition: number, offset: number): MessageChunk | null {
    const { entries, start, end } = this.#windowOf(partition);
    if (offset < start) return null;
    const first = lowerBound(entries, (entry) => entry.offset < offset);
    return { messages: entries.slice(first), next: end };
  }

  /** Whether a message of a partition is a state, and a newer one of its match has arrived. */
  isOutdated(partition: number, { offset, message: { type, event_id } }: MessageAtOffset): boolean {
    return type === STATE && (this.#windowOf(partition).newest.get(event_id) ?? offset) > offset;
  }

  #windowOf(partition: number): PartitionWindow {
    return this.#partitions[partition] as PartitionWindow;
  }
}

function emptyFrom(offset: number): PartitionWindow {
  return { entries: [], start: offset, end: offset, bytes: 0, newest: new Map() };
}
