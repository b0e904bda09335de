import { TouchlineError } from '#errors/touchline-error.ts';

/** A failed publish; `cause` is what the broker or the connection said last. */
export class PublishError extends TouchlineError<'PublishError'> {
  override readonly name = 'PublishError';
}
