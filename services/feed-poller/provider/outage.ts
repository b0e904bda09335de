import { type RandomBackoff, randomBackoffMs } from '#timing/backoff.ts';
import type { MachineClock } from '#timing/clock.ts';
import { isProviderError, ProviderError } from '../errors.ts';

/** So many unanswered requests in a row mean an outage, not one broken connection. */
const FAILURES = 3;

export type OutageOptions = {
  readonly clock: Pick<MachineClock, 'sleep'>;
  readonly backoff: RandomBackoff;
  /** Ends its waiting. */
  readonly signal: AbortSignal;
};

type Waiting = (probes: boolean) => void;

/**
 * Circuit breaker: during an outage one request at a time probes the provider, after the waits of the backoff; all others
 * wait for it. Otherwise every read would retry by itself, at the cost of a provider that answers.
 */
export class Outage {
  readonly #options: OutageOptions;
  readonly #line = new Set<Waiting>();
  /** Consecutive failures of all requests. */
  #failures = 0;
  /** A backoff wait is running; one request may probe after it. */
  #waits = false;
  /** The next request may probe. */
  #open = false;
  #probing = false;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** Makes a request when it is its turn. Throws what `work` throws, and `ProviderError` `stopped` once aborted. */
  async run<T>(operation: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const probes = await this.#turn(operation, signal);
    try {
      const result = await work();
      this.#answered();
      return result;
    } catch (error) {
      if (isProviderError(error, 'UNREACHABLE', 'TIMEOUT')) this.#failures += 1;
      else if (!isProviderError(error, 'STOPPED')) this.#answered();
      throw error;
    } finally {
      if (probes) this.#probing = false;
      this.#waitForNext();
    }
  }

  get #isOn(): boolean {
    return this.#failures >= FAILURES;
  }

  /** Resolves to whether this request is the probe. */
  async #turn(operation: string, signal: AbortSignal): Promise<boolean> {
    if (!this.#isOn) return false;
    if (this.#open) return this.#probe();
    const stopped = new ProviderError('STOPPED', operation, 'given up');
    if (signal.aborted) throw stopped;
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const stop = (): void => reject(stopped);
    this.#line.add(resolve);
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#line.delete(resolve);
    }
  }

  #probe(): true {
    this.#open = false;
    this.#probing = true;
    return true;
  }

  #answered(): void {
    this.#failures = 0;
    this.#open = false;
    for (const next of this.#line) next(false);
  }

  #waitForNext(): void {
    if (!this.#isOn || this.#waits || this.#open || this.#probing) return;
    this.#waits = true;
    const { clock, backoff, signal } = this.#options;
    const wait = randomBackoffMs(backoff, this.#failures - FAILURES + 1);
    void clock.sleep(wait, signal).then(() => {
      this.#waits = false;
      if (!this.#isOn) return;
      this.#open = true;
      const [next] = this.#line;
      if (next !== undefined) next(this.#probe());
    });
  }
}
