import type { StreamError } from '../errors.ts';
import type { Logger } from '../log.ts';

/** Logs a series of publish failures: each kind once, and their number when publishing succeeds again. */
export class FailureLog {
  readonly #log: Logger;
  readonly #reported = new Set<string>();
  #failures = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Counts a failure, and logs it when it is the first of its kind. */
  report(error: StreamError): void {
    this.#failures += 1;
    const kind = `${error.code} ${error.broker ?? ''}`;
    if (this.#reported.has(kind)) return;
    this.#reported.add(kind);
    this.#log.warn(
      { err: error },
      'publishing failed: it is retried, and further failures of this kind are counted',
    );
  }

  /** Ends the series after a successful publish. */
  end(): void {
    if (this.#failures === 0) return;
    this.#log.info({ failures: this.#failures }, 'publishing succeeds again');
    this.#failures = 0;
    this.#reported.clear();
  }
}
