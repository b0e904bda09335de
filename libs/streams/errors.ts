import type { CodeOf } from '#errors/catalogue.ts';
import { TouchlineError } from '#errors/touchline-error.ts';

/** A failed stream operation. A failed transaction has an unknown outcome: do not use its producer again. */
export class StreamError extends TouchlineError<'StreamError'> {
  override readonly name = 'StreamError';
  /** The error in the broker's answer, by its name in Kafka's protocol; null where it did not answer. */
  readonly broker: string | null;

  constructor(code: CodeOf<'StreamError'>, message: string, cause?: unknown, broker: string | null = null) {
    super(code, message, cause);
    this.broker = broker;
  }
}

/**
 * A partition, or a start, that is refused: going on would lose or repeat records. The message names the topic, the
 * partition, the offsets and the command to run.
 */
export class RefusedError extends TouchlineError<'RefusedError'> {
  override readonly name = 'RefusedError';
}

/** A failed publish; `cause` is the last error of the broker or the connection. */
export class PublishError extends TouchlineError<'PublishError'> {
  override readonly name = 'PublishError';
}
