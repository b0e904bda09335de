import type { CodeOf } from '#errors/catalogue.ts';
import { defineError } from '#errors/touchline-error.ts';

/** A failed stream operation. After a failed transaction the outcome is unknown: close its producer. */
export class StreamError extends defineError('StreamError') {
  /** Kafka's name of the error in the broker's response; null when the broker did not respond. */
  readonly broker: string | null;

  constructor(code: CodeOf<'StreamError'>, message: string, cause?: unknown, broker: string | null = null) {
    super(code, message, cause);
    this.broker = broker;
  }
}

/** Returns how a refusal ends, with the commands, for some partitions: one as `3`, several that are refused alike as `1,12`. */
export type Repair = (partitions: string) => string;

/** Refuses a partition or a start: continuing would lose or repeat records. The message names where, and the command to run. */
export class RefusedError extends defineError('RefusedError') {
  // Private, so that a log does not say them beside the message.
  readonly #why: string;
  readonly #repair: Repair | null;

  constructor(
    code: CodeOf<'RefusedError'>,
    why: string,
    repair: { readonly partition: number; readonly of: Repair } | null = null,
    cause?: unknown,
  ) {
    super(code, repair === null ? why : `${why}; ${repair.of(String(repair.partition))}`, cause);
    this.#why = why;
    this.#repair = repair?.of ?? null;
  }

  get why(): string {
    return this.#why;
  }

  /** Null where `why` says what to do. */
  get repair(): Repair | null {
    return this.#repair;
  }
}

/** A failed publish; `cause` is the last error of the broker or the connection. */
export class PublishError extends defineError('PublishError') {}
