import type { MachineClock } from '#timing/clock.ts';
import { type RandomBackoff, randomBackoffMs } from '#timing/retry.ts';
import { isProviderError, ProviderError } from './answer.ts';

/** Number of consecutive unanswered requests that mean an outage, not one broken connection. */
const OUTAGE_FAILURES = 3;

type OutageOptions = {
  readonly clock: Pick<MachineClock, 'sleep'>;
  readonly backoff: RandomBackoff;
  /** Ends the backoff wait. */
  readonly signal: AbortSignal;
};

/** A circuit breaker: in an outage one request at a time probes the provider, by the backoff, and all others wait for its result. */
export class Outage {
  readonly #options: OutageOptions;
  readonly #queue = new Set<(probes: boolean) => void>();
  /** Consecutive failures of all requests. */
  #failures = 0;
  /** Whether a backoff wait is running, after which one request may probe. */
  #waits = false;
  #mayProbe = false;
  #probing = false;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** Makes a request, in an outage once it may. Throws what `work` throws, and `ProviderError` STOPPED. */
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
    return this.#failures >= OUTAGE_FAILURES;
  }

  /** Waits until the request may be made. Resolves to whether it is the probe. */
  async #turn(operation: string, signal: AbortSignal): Promise<boolean> {
    if (!this.#isOn) return false;
    if (this.#mayProbe) return this.#probe();
    const stopped = new ProviderError('STOPPED', operation, 'aborted');
    if (signal.aborted) throw stopped;
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const stop = (): void => reject(stopped);
    this.#queue.add(resolve);
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#queue.delete(resolve);
    }
  }

  #probe(): true {
    this.#mayProbe = false;
    this.#probing = true;
    return true;
  }

  #answered(): void {
    this.#failures = 0;
    this.#mayProbe = false;
    for (const start of this.#queue) start(false);
  }

  #waitForNext(): void {
    if (!this.#isOn || this.#waits || this.#mayProbe || this.#probing) return;
    this.#waits = true;
    const { clock, backoff, signal } = this.#options;
    const wait = randomBackoffMs(backoff, this.#failures - OUTAGE_FAILURES + 1);
    void clock.sleep(wait, signal).then(() => {
      this.#waits = false;
      if (!this.#isOn) return;
      this.#mayProbe = true;
      const [start] = this.#queue;
      if (start !== undefined) start(this.#probe());
    });
  }
}
