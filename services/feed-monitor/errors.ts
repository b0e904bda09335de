import { TouchlineError } from '#errors/touchline-error.ts';

/** A monitor of a later term publishes. */
export class TermSupersededError extends TouchlineError<'TermSupersededError'> {
  override readonly name = 'TermSupersededError';

  constructor(own: number, later: number) {
    super(
      'TERM_SUPERSEDED',
      `this monitor judges in term ${own}, and another one publishes in term ${later}`,
    );
  }
}
