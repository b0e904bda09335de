import { TouchlineError } from '#errors/touchline-error.ts';

/** A failed publish; `cause` is the last error of the broker or the connection. */
export class PublishError extends TouchlineError<'PublishError'> {
  override readonly name = 'PublishError';
}
