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

/** Refuses a partition or a start: continuing would lose or repeat records. The message names where, and the command to run. */
export class RefusedError extends defineError('RefusedError') {}

/** A failed publish; `cause` is the last error of the broker or the connection. */
export class PublishError extends defineError('PublishError') {}
