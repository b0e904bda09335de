import { setTimeout as delay } from 'node:timers/promises';
import { eventFields, eventMessage } from '#domain/testing/messages.ts';
import type { FeedHealth, IngressStatus, TopicValues } from '#records/types.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
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

type Publish = <T extends TopicName>(topic: T, key: string, value: TopicValues[T]) => Promise<void>;

/** Publishes messages of live matches, as an ingress service would. */
export class LiveFeed {
  readonly #heardAt = new Map<number, number>();
  #clock = 0;

  readonly #publish: Publish;

  private constructor(publish: Publish) {
    this.#publish = publish;
  }

  static async open({ brokers, registryUrl: url, prefix }: PipelineConnection): Promise<LiveFeed> {
    const registry = new Registry({ url, prefix });
    const options = { brokers, clientId: 'test-live', log: quietLog, timeoutMs: 120_000 };
    const publisher = await openPublisher(options);
    atEnd(() => publisher.close());
    return new LiveFeed(async (topic, key, value) => {
      const codec = await registry.codec(topic);
      await publisher.publish([{ topic: topicName(prefix, topic), key, value: codec.encode(value) }]);
    });
  }

  /** Returns when the last message of a match was received, Unix milliseconds; 0 before the first. */
  heardAt(eventId: number): number {
    return this.#heardAt.get(eventId) ?? 0;
  }

  /** Publishes a message of a match. Resolves when the broker acknowledges it. */
  async say(eventId: number, fields: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const receivedAt = Date.now();
    this.#heardAt.set(eventId, receivedAt);
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
    await this.#publish('normalized-messages', String(eventId), message);
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
    return this.#publish('ingress-status', status.source, status);
  }

  /** Publishes a record of feed-health, as a monitor of another term would. */
  publishHealth(record: FeedHealth): Promise<void> {
    const { source, event_id } = record;
    const key = event_id === null ? source : `${source}/${event_id}`;
    return this.#publish('feed-health', key, record);
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
}
