import { randomBytes } from 'node:crypto';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { AttemptScope, ExchangeAttempt } from '#records/types.ts';
import type { PublishRecord } from '#streams/client/port.ts';
import type { Logger } from '#streams/log.ts';
import { settlesWithin } from '#timing/clock.ts';
import type { Codec } from '#topics/codec.ts';
import { type FollowContext, followRecords, type RecordFollower } from '#topics/follow-records.ts';
import { topicName } from '#topics/topics.ts';
import { AttemptLedger, LIMITS, type Refusal, WINDOW_MS } from './limits.ts';

/** Thrown when an attempt could not be counted, so that it must be refused. */
export class AttemptNotCountedError extends TouchlineError<'AttemptNotCountedError'> {
  override readonly name = 'AttemptNotCountedError';

  constructor(message: string, cause?: unknown) {
    super('ATTEMPT_NOT_COUNTED', message, cause);
  }
}

/** Options of a count that all replicas share through a topic. */
export type CountingOptions = FollowContext & {
  readonly log: Logger;
  /** Writes records; resolves once they are acknowledged. */
  readonly publish: (records: readonly PublishRecord[]) => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

type AttemptsOptions = CountingOptions & {
  /** Timeout for publishing an attempt and reading it back, milliseconds. */
  readonly timeoutMs: number;
};

/**
 * Age of the oldest attempt that is read at the start, milliseconds. Whether an attempt was admitted depends on those
 * before it; after four windows an error about the first ones no longer matters.
 */
const HISTORY_MS = 4 * WINDOW_MS;

/**
 * Counts attempts over all replicas: publishes each one and reads it back before it proceeds. The order of that log
 * decides which attempts exceed the limit. Attempts over the limit, pending ones included, are refused without a write:
 * a flood costs nothing.
 */
export class AttemptCounter {
  readonly #options: AttemptsOptions;
  readonly #topic: string;
  readonly #codec: Codec<ExchangeAttempt>;
  readonly #ledgers: Readonly<Record<AttemptScope, AttemptLedger>> = {
    address: new AttemptLedger(LIMITS.address),
    client: new AttemptLedger(LIMITS.client),
  };
  /** By attempt id: called with the decision once the attempt is read back. */
  readonly #waiting = new Map<string, (refusal: Refusal) => void>();
  /** By subject: number of attempts that are not read back yet. */
  readonly #pending = new Map<string, number>();
  #follower: RecordFollower | undefined;

  private constructor(options: AttemptsOptions, codec: Codec<ExchangeAttempt>) {
    this.#options = options;
    this.#topic = topicName(options.prefix, 'exchange-attempts');
    this.#codec = codec;
  }

  /** Resolves once all attempts that still count are applied. Throws what `followRecords` and `Registry.codec` throw. */
  static async open(options: AttemptsOptions): Promise<AttemptCounter> {
    const attempts = new AttemptCounter(options, await options.registry.codec('exchange-attempts'));
    attempts.#follower = await followRecords({
      ...options,
      topic: 'exchange-attempts',
      since: options.now() - HISTORY_MS,
      onRecord: (_, attempt) => {
        if (attempt !== null) attempts.#apply(attempt);
      },
    });
    return attempts;
  }

  subjects(scope: AttemptScope): number {
    return this.#ledgers[scope].size;
  }

  /**
   * Counts an attempt of a subject, which is a digest. Resolves with the decision once the attempt is read back. Throws
   * `AttemptNotCountedError` when the broker does not answer in time; the attempt may still count then.
   */
  async count(scope: AttemptScope, subject: string): Promise<Refusal> {
    const at = this.#options.now();
    const pending = this.#pending.get(subject) ?? 0;
    const refusal = this.#ledgers[scope].refusal(subject, at, pending);
    if (refusal !== null) return refusal;
    this.#pending.set(subject, pending + 1);
    try {
      const attempt_id = randomBytes(16).toString('hex');
      return await this.#write({ attempt_id, counted_for: scope, subject, at });
    } finally {
      const left = (this.#pending.get(subject) ?? 1) - 1;
      if (left === 0) this.#pending.delete(subject);
      else this.#pending.set(subject, left);
    }
  }

  async close(): Promise<void> {
    await this.#follower?.close();
  }

  async #write(attempt: ExchangeAttempt): Promise<Refusal> {
    const { publish, timeoutMs } = this.#options;
    const { promise: readBack, resolve } = Promise.withResolvers<Refusal>();
    this.#waiting.set(attempt.attempt_id, resolve);
    const record = { topic: this.#topic, key: attempt.subject, value: this.#codec.encode(attempt) };
    const counted = publish([record]).then(() => readBack);
    try {
      if (await settlesWithin(counted, timeoutMs)) return await readBack;
    } catch (cause) {
      throw new AttemptNotCountedError('an attempt could not be written', cause);
    } finally {
      this.#waiting.delete(attempt.attempt_id);
    }
    throw new AttemptNotCountedError('an attempt was not read back in time');
  }

  #apply({ attempt_id, counted_for, subject, at }: ExchangeAttempt): void {
    const refusal = this.#ledgers[counted_for].apply(subject, at);
    this.#waiting.get(attempt_id)?.(refusal);
  }
}
