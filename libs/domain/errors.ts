import { TouchlineError } from '#errors/touchline-error.ts';

/** Thrown by the domain, always before it changes anything. */
export class DomainError extends TouchlineError<'DomainError'> {
  override readonly name = 'DomainError';
}
