import { setTimeout as delay } from 'node:timers/promises';
import type { WebhookAttempt } from '#records/types.ts';
import type { Brokers } from '#security/brokers.ts';
import { PublishError } from '#streams/errors.ts';
import type { Logger } from '#streams/log.ts';
import { openPublisher, type Publisher } from '#streams/publish/publisher.ts';
import type { Codec } from '#topics/codec.ts';

type AttemptLogOptions = {
  readonly brokers: Brokers;
  readonly clientId: string;
  /** Name of webhook-attempts on the broker. */
  readonly topic: string;
  readonly codec: Codec<WebhookAttempt>;
  readonly log: Logger;
};

/**
 * Time that an attempt waits for those of other subscriptions, milliseconds, unless `flush` is called: a produce request
 * for each would cost broker and dispatcher more than the deliveries. Meanwhile the next batch is sent.
 */
const LINGER_MS = 10;
/** Delay before a record that the publisher has given up is published again, milliseconds. */
const RETRY_MS = 1_000;

/** Publishes to webhook-attempts, retrying until it succeeds: an unrecorded delivery is sent again. */
export class AttemptLog {
  readonly #options: AttemptLogOptions;
  readonly #publisher: Publisher;
  readonly #linger = new Linger(LINGER_MS);

  private constructor(options: AttemptLogOptions, publisher: Publisher) {
    this.#options = options;
    this.#publisher = publisher;
  }

  /** Opens the publisher. Rejects with `PublishError` when no broker answers in time. */
  static async open(options: AttemptLogOptions): Promise<AttemptLog> {
    return new AttemptLog(options, await openPublisher(options));
  }

  get healthy(): boolean {
    return this.#publisher.healthy;
  }

  /** Resolves when the record is acknowledged. Rejects with `PublishError` CLOSED after a close. */
  async record(attempt: WebhookAttempt): Promise<void> {
    const { topic, codec } = this.#options;
    const record = { topic, key: attempt.subscription_id, value: codec.encode(attempt) };
    await this.#linger.join();
    for (;;) {
      try {
        return await this.#publisher.publish([record]);
      } catch (error) {
        // The publisher has logged why.
        if (!(error instanceof PublishError) || error.code === 'CLOSED') throw error;
        await delay(RETRY_MS);
      }
    }
  }

  /** Publishes all waiting attempts at once. */
  flush(): void {
    this.#linger.end();
  }

  close(): Promise<void> {
    return this.#publisher.close();
  }
}

/** A wait that is shared by all callers who join before it ends. */
export class Linger {
  readonly #ms: number;
  #pending: PromiseWithResolvers<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Resolves `ms` after the first caller joined, or at `end`. */
  join(): Promise<void> {
    if (this.#pending === null) {
      this.#pending = Promise.withResolvers();
      this.#timer = setTimeout(() => this.end(), this.#ms);
    }
    return this.#pending.promise;
  }

  /** Ends the pending wait, if there is one. */
  end(): void {
    clearTimeout(this.#timer);
    this.#pending?.resolve();
    this.#pending = null;
  }
}
