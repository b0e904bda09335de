import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { WebhookMessage } from '#records/types.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { times } from './harness.ts';
import { uuidOf } from './hostile-receiver.ts';
import { quietLog } from './log.ts';
import type { PipelineConnection } from './pipeline.ts';

export const EVENTS = 12;
const PUBLISH_EVERY_MS = times(40, 80);

/** Publishes messages of several events to webhook-messages, one after the other, until it is stopped. */
export class NumberedMessages {
  readonly #connection: PipelineConnection;
  readonly published: string[] = [];
  readonly #last = new Map<number, number>();
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #poisonNext: ((uuid: string) => void) | null = null;

  constructor(connection: PipelineConnection) {
    this.#connection = connection;
  }

  async start(): Promise<void> {
    const connection = this.#connection;
    const codec = await Registry.open({ url: connection.registryUrl, prefix: connection.prefix }).codec(
      'webhook-messages',
    );
    const topic = topicName(connection.prefix, 'webhook-messages');
    const publisher = await openPublisher({ brokers: connection.brokers, clientId: 'test', log: quietLog });
    this.#running = (async () => {
      for (let turn = 0; !this.#stopping.signal.aborted; turn += 1) {
        const message = this.#message(1 + (turn % EVENTS));
        await publisher.publish([{ topic, key: String(message.event_id), value: codec.encode(message) }]);
        this.published.push(message.uuid);
        await delay(PUBLISH_EVERY_MS);
      }
      await publisher.close();
    })();
    onTestFinished(() => this.stop());
  }

  /** Adds the uuid of the next message to `into` before it is published, and returns the uuid. */
  poison(into: Set<string>): Promise<string> {
    return new Promise((resolve) => {
      this.#poisonNext = (uuid) => {
        into.add(uuid);
        resolve(uuid);
      };
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  #message(event: number): WebhookMessage {
    const n = (this.#last.get(event) ?? 0) + 1;
    this.#last.set(event, n);
    const uuid = uuidOf(event, n);
    this.#poisonNext?.(uuid);
    this.#poisonNext = null;
    const [ut, received_at] = [Math.floor(Date.now() / 1_000), Date.now()];
    const message = Buffer.from(JSON.stringify({ uuid, event, n, padding: 'x'.repeat(200) }));
    const head = { uuid, id: null, event_id: event, competition_id: 1, type: 'incident', version: n };
    return { ...head, ut, received_at, message, in_play: true, message_id: null };
  }
}
