import type { StreamError } from '../errors.ts';
import type { Logger } from '../log.ts';

/** Logs failures that follow each other: each kind of them once, and how many they were once they end. */
export class FailureLog {
  readonly #log: Logger;
  readonly #reported = new Set<string>();
  #failures = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

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

  /** A publish has succeeded. */
  end(): void {
    if (this.#failures === 0) return;
    this.#log.info({ failures: this.#failures }, 'publishing succeeds again');
    this.#failures = 0;
    this.#reported.clear();
  }
}
