import { setTimeout as delay } from 'node:timers/promises';
import { eventFields, eventMessage } from '#domain/testing/messages.ts';
import type { FeedHealth, IngressStatus, NormalizedMessage } from '#records/types.ts';
import { openPublisher, type Publisher } from '#streams/publish/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { atEnd } from '../../support/at-end.ts';
import { connectionEnv } from '../../support/environment.ts';
import { quietLog } from '../../support/log.ts';
import type { PipelineConnection } from '../../support/pipeline.ts';
import { startService, type TestService } from '../../support/processes.ts';

/** Starts a monitor. */
export function startMonitor(
  connection: PipelineConnection,
  settings: Readonly<Record<string, string>> = {},
): TestService {
  return startService('feed-monitor', {
    ...connectionEnv(connection),
    SESSION_TIMEOUT_MS: '6000',
    ...settings,
  });
}

/** The start of matches, Unix seconds of the provider. */
export const BEGAN = 1_790_000_000;

/** A published message. Times in Unix milliseconds; `storedAt` is null until the broker acknowledges the message. */
export type Sent = { readonly eventId: number; readonly receivedAt: number; storedAt: number | null };

/** Publishes messages of live matches, as an ingress service would. */
export class LiveFeed {
  /** Every message, in order. */
  readonly sent: Sent[] = [];
  readonly #connection: PipelineConnection;
  readonly #publisher: Publisher;
  readonly #encode: (message: NormalizedMessage) => Buffer;
  readonly #encodeStatus: (status: IngressStatus) => Buffer;
  readonly #encodeHealth: (record: FeedHealth) => Buffer;
  readonly #lastOf = new Map<number, Sent>();
  #clock = 0;

  private constructor(
    connection: PipelineConnection,
    publisher: Publisher,
    encode: (message: NormalizedMessage) => Buffer,
    encodeStatus: (status: IngressStatus) => Buffer,
    encodeHealth: (record: FeedHealth) => Buffer,
  ) {
    this.#connection = connection;
    this.#publisher = publisher;
    this.#encode = encode;
    this.#encodeStatus = encodeStatus;
    this.#encodeHealth = encodeHealth;
  }

  static async open(connection: PipelineConnection): Promise<LiveFeed> {
    const { brokers, registryUrl, prefix } = connection;
    const registry = Registry.open({ url: registryUrl, prefix });
    const messages = await registry.codec('normalized-messages');
    const statuses = await registry.codec('ingress-status');
    const records = await registry.codec('feed-health');
    const options = { brokers, clientId: 'test-live', log: quietLog, timeoutMs: 120_000 };
    const publisher = await openPublisher(options);
    atEnd(() => publisher.close());
    return new LiveFeed(
      connection,
      publisher,
      (message) => messages.encode(message),
      (status) => statuses.encode(status),
      (record) => records.encode(record),
    );
  }

  /** Returns when the last message of a match was received, Unix milliseconds; 0 before the first. */
  heardAt(eventId: number): number {
    return this.#lastOf.get(eventId)?.receivedAt ?? 0;
  }

  /** Publishes a message of a match. Resolves when the broker acknowledges it. */
  async say(eventId: number, fields: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const receivedAt = Date.now();
    const sent: Sent = { eventId, receivedAt, storedAt: null };
    this.sent.push(sent);
    this.#lastOf.set(eventId, sent);
    this.#clock += 1;
    const event = eventFields({ clock_time: this.#clock, ...fields });
    const message = {
      // Each message has a later time: of two messages of one second, the larger text would win (law 2).
      ...eventMessage(BEGAN + this.#clock, event),
      event_id: eventId,
      received_at: receivedAt,
      content_at: receivedAt,
      message_id: `m-${this.#clock}`,
    };
    await this.#publish('normalized-messages', String(eventId), this.#encode(message));
    sent.storedAt = Date.now();
  }

  /** Reports periodically until the test ends. */
  keepReporting(everyMs: number): void {
    const reporting = setInterval(() => void this.report(), everyMs);
    atEnd(async () => clearInterval(reporting));
  }

  /** Publishes that the ingress service is up. */
  report(): Promise<void> {
    const now = Date.now();
    const status: IngressStatus = {
      source: 'webhook',
      instance: 'test',
      state: 'up',
      reason: null,
      heard_at: null,
      progress: null,
      gap: null,
      clock: null,
      written_at: now,
      messages_read: 0,
      messages_unreadable: 0,
      unreadable_in_row: 0,
      refused_lists: [],
    };
    return this.#publish('ingress-status', status.source, this.#encodeStatus(status));
  }

  /** Publishes a record of feed-health, as a monitor of another term would. */
  publishHealth(record: FeedHealth): Promise<void> {
    const { source, event_id } = record;
    const key = event_id === null ? source : `${source}/${event_id}`;
    return this.#publish('feed-health', key, this.#encodeHealth(record));
  }

  /** Publishes a message of each match every `everyMs`, spread over the interval, until the Unix milliseconds of `until`. */
  async play(matches: readonly number[], everyMs: number, until: (eventId: number) => number): Promise<void> {
    const publishing: Promise<void>[] = [];
    await Promise.all(
      matches.map(async (eventId, index) => {
        await delay((index * everyMs) / matches.length);
        for (; Date.now() < until(eventId); await delay(everyMs)) publishing.push(this.say(eventId));
      }),
    );
    await Promise.all(publishing);
  }

  #publish(
    topic: 'normalized-messages' | 'ingress-status' | 'feed-health',
    key: string,
    value: Buffer,
  ): Promise<void> {
    return this.#publisher.publish([{ topic: topicName(this.#connection.prefix, topic), key, value }]);
  }
}
