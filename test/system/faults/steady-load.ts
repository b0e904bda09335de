import { setTimeout as delay } from 'node:timers/promises';
import type { Brokers } from '#security/brokers.ts';
import { openPublisher, type Publisher } from '#streams/publish/publisher.ts';
import type { NormalizedMessage } from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { quietLog } from '../../support/log.ts';
import type { PipelineConnection } from '../../support/pipeline.ts';

/** Longer than any broker is down. */
const TIMEOUT_MS = 120_000;
const TICK_MS = 20;

/** Publishes messages in order and at a steady rate, like an ingress service, whatever the brokers do. */
export class SteadyLoad {
  readonly #messages: readonly NormalizedMessage[];
  readonly #encode: (message: NormalizedMessage) => Buffer;
  readonly #topic: string;
  readonly #publisher: Publisher;
  readonly #publishing: Promise<void>[] = [];
  #sent = 0;

  private constructor(
    messages: readonly NormalizedMessage[],
    topic: string,
    publisher: Publisher,
    encode: (message: NormalizedMessage) => Buffer,
  ) {
    this.#messages = messages;
    this.#topic = topic;
    this.#publisher = publisher;
    this.#encode = encode;
  }

  static async open(
    place: Omit<PipelineConnection, 'brokers'> & { readonly brokers: Brokers },
    messages: readonly NormalizedMessage[],
  ): Promise<SteadyLoad> {
    const { brokers, registryUrl, prefix } = place;
    const codec = await Registry.open({ url: registryUrl, prefix }).codec('normalized-messages');
    const publisher = await openPublisher({
      brokers,
      clientId: 'test-load',
      log: quietLog,
      timeoutMs: TIMEOUT_MS,
    });
    const topic = topicName(prefix, 'normalized-messages');
    return new SteadyLoad(messages, topic, publisher, (message) => codec.encode(message));
  }

  /** What was published, or will be, in order. */
  get sent(): readonly NormalizedMessage[] {
    return this.#messages.slice(0, this.#sent);
  }

  /** Publishes so many messages a second until `done` resolves; rejects with it, and where there are no more messages. */
  async during(
    perSecond: number,
    done: Promise<unknown>,
    onSent: (message: NormalizedMessage) => void,
  ): Promise<void> {
    let isDone = false;
    const ended = done.finally(() => {
      isDone = true;
    });
    ended.catch(() => {});
    const [started, before] = [performance.now(), this.#sent];
    while (!isDone) {
      const due = before + Math.floor(((performance.now() - started) * perSecond) / 1_000);
      if (due > this.#messages.length) throw new Error(`the load has ${this.#messages.length} messages only`);
      this.#send(due, onSent);
      await delay(TICK_MS);
    }
    await ended;
  }

  /** Waits until all is acknowledged; rejects where something was not. */
  async close(): Promise<void> {
    await Promise.all(this.#publishing);
    await this.#publisher.close();
  }

  #send(upTo: number, onSent: (message: NormalizedMessage) => void): void {
    const next = this.#messages.slice(this.#sent, upTo);
    this.#sent = upTo;
    for (const message of next) onSent(message);
    const published = this.#publisher.publish(
      next.map((message) => ({
        topic: this.#topic,
        key: String(message.event_id),
        value: this.#encode(message),
      })),
    );
    // Awaited at the end.
    published.catch(() => {});
    this.#publishing.push(published);
  }
}
