import { TouchlineError } from '#errors/touchline-error.ts';

/** A failed stream operation. A failed transaction has an unknown outcome: do not use its producer again. */
export class StreamError extends TouchlineError<'StreamError'> {
  override readonly name = 'StreamError';
}

/**
 * A partition, or a start, that is refused: going on would lose or repeat records. The message names the topic, the
 * partition, the offsets and the command to run.
 */
export class RefusedError extends TouchlineError<'RefusedError'> {
  override readonly name = 'RefusedError';
}
