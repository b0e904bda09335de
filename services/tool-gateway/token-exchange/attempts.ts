import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Followed, followRecords } from '#clients/follow-records.ts';
import type { DirectoryPlace } from '#clients/versioned-topic.ts';
import type { PublishRecord } from '#streams/publish/publisher.ts';
import type { Codec } from '#topics/codec.ts';
import type { ExchangeAttempt } from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { AttemptLedger, type AttemptScope, LIMITS, type Refusal, WINDOW_MS } from './limits.ts';

/** An attempt could not be counted, so it must not go on. */
export class AttemptNotCountedError extends Error {
  override readonly name = 'AttemptNotCountedError';
  readonly code = 'ATTEMPT_NOT_COUNTED';
}

/** How attempts are counted. */
export type AttemptsOptions = DirectoryPlace & {
  /** Writes records; resolves once they are acknowledged. */
  readonly publish: (records: readonly PublishRecord[]) => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Longest time until an attempt is read back, milliseconds. */
  readonly timeoutMs: number;
  /** Told what ended the following of the topic. */
  readonly onFailure: (error: unknown) => void;
};

/** Read at a start: attempts that were refused, which only those before them show, no longer matter by then. */
const READ_BACK_MS = 4 * WINDOW_MS;

type Waiting = { readonly resolve: (refusal: Refusal) => void };

/**
 * Counts attempts over all replicas: each is written to a topic and read back from it before it goes on, and the order of
 * that log says who was over the limit. What is over the limit already, or will be by what is on its way there, is refused
 * without being written: a flood costs nothing.
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #topic: string;
  readonly #codec: Codec<ExchangeAttempt>;
  readonly #ledgers: Readonly<Record<AttemptScope, AttemptLedger>> = {
    address: new AttemptLedger(LIMITS.address),
    client: new AttemptLedger(LIMITS.client),
  };
  readonly #waiting = new Map<string, Waiting>();
  /** By subject: attempts that are not read back yet. */
  readonly #pending = new Map<string, number>();
  #followed: Followed | undefined;

  private constructor(options: AttemptsOptions, codec: Codec<ExchangeAttempt>) {
    this.#options = options;
    this.#topic = topicName(options.prefix, 'exchange-attempts');
    this.#codec = codec;
  }

  /** Resolves once everything that still counts is known. Throws as `followRecords` and `Registry.codec`. */
  static async open(options: AttemptsOptions): Promise<Attempts> {
    const { brokers, prefix, registryUrl, log, now, onFailure } = options;
    const registry = Registry.open({ url: registryUrl, prefix });
    const attempts = new Attempts(options, await registry.codec('exchange-attempts'));
    attempts.#followed = await followRecords({
      ...{ brokers, prefix, registry, log, onFailure, topic: 'exchange-attempts' },
      since: now() - READ_BACK_MS,
      onRecord: (_, attempt) => {
        if (attempt !== null) attempts.#apply(attempt);
      },
    });
    return attempts;
  }

  /** How many subjects are held. */
  subjects(scope: AttemptScope): number {
    return this.#ledgers[scope].size;
  }

  /**
   * Counts an attempt; `subject` is its digest. Resolves once the log has it: null where it may go on. Throws
   * `AttemptNotCountedError` where the broker does not answer in time; it may count all the same then.
   */
  async count(scope: AttemptScope, subject: string): Promise<Refusal> {
    const at = this.#options.now();
    const pending = this.#pending.get(subject) ?? 0;
    const refusal = this.#ledgers[scope].refusal(subject, at, pending);
    if (refusal !== null) return refusal;
    this.#pending.set(subject, pending + 1);
    try {
      return await this.#write({
        attempt_id: randomBytes(16).toString('hex'),
        counted_for: scope,
        subject,
        at,
      });
    } finally {
      const left = (this.#pending.get(subject) ?? 1) - 1;
      if (left === 0) this.#pending.delete(subject);
      else this.#pending.set(subject, left);
    }
  }

  async close(): Promise<void> {
    await this.#followed?.close();
  }

  async #write(attempt: ExchangeAttempt): Promise<Refusal> {
    const { publish, timeoutMs } = this.#options;
    const { promise: readBack, resolve } = Promise.withResolvers<Refusal>();
    this.#waiting.set(attempt.attempt_id, { resolve });
    const over = new AbortController();
    const timeUp = delay(timeoutMs, undefined, { signal: over.signal }).then(() => {
      throw new AttemptNotCountedError('an attempt was not read back in time');
    });
    const published = publish([
      { topic: this.#topic, key: attempt.subject, value: this.#codec.encode(attempt) },
    ]);
    try {
      const counted = published.then(() => readBack);
      return await Promise.race([counted, timeUp]);
    } catch (cause) {
      if (cause instanceof AttemptNotCountedError) throw cause;
      throw new AttemptNotCountedError('an attempt could not be written', { cause });
    } finally {
      over.abort();
      timeUp.catch(() => {});
      this.#waiting.delete(attempt.attempt_id);
    }
  }

  #apply({ attempt_id, counted_for, subject, at }: ExchangeAttempt): void {
    const refusal = this.#ledgers[counted_for].apply(subject, at);
    this.#waiting.get(attempt_id)?.resolve(refusal);
  }
}
