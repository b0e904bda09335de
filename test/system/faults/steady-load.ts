import { setTimeout as delay } from 'node:timers/promises';
import type { NormalizedMessage } from '#records/types.ts';
import type { Brokers } from '#security/brokers.ts';
import { openPublisher, type Publisher } from '#streams/publish/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { quietLog } from '../../support/log.ts';
import type { PipelineConnection } from '../../support/pipeline.ts';

/** Timeout of a publication: longer than any outage of a broker. */
const TIMEOUT_MS = 120_000;
const TICK_MS = 20;

/** Publishes messages in order and at a steady rate, like an ingress service, also during outages of brokers. */
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
    connection: Omit<PipelineConnection, 'brokers'> & { readonly brokers: Brokers },
    messages: readonly NormalizedMessage[],
  ): Promise<SteadyLoad> {
    const { brokers, registryUrl, prefix } = connection;
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

  /** Published and pending messages, in order. */
  get sent(): readonly NormalizedMessage[] {
    return this.#messages.slice(0, this.#sent);
  }

  /**
   * Publishes messages at this rate until `done` resolves. Rejects when `done` rejects or when the messages run out.
   */
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

  /** Waits until all messages are acknowledged. Rejects when one failed. */
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
