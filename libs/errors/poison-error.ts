import { TouchlineError } from './touchline-error.ts';

/**
 * A message or record that can never be used, now or later: it becomes a dead letter with this code. The message is one
 * line, without values of the record.
 */
export class PoisonError extends TouchlineError<'PoisonError'> {
  override readonly name = 'PoisonError';
}
