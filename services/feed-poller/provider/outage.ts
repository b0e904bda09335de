import type { Clock } from '../clock.ts';
import { isProviderError, ProviderError } from '../errors.ts';
import { type Backoff, backoffMs } from '../schedule/backoff.ts';

/** So many requests in a row got no answer: the provider is away, it was not one connection that broke. */
const FAILURES = 3;

/** What an outage is told by. */
export type OutageOptions = {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly backoff: Backoff;
  /** Ends its waiting. */
  readonly signal: AbortSignal;
};

type Waiting = (probes: boolean) => void;

/**
 * While a provider is away one request at a time asks whether it is back, after the waits of the backoff; all others
 * wait for that. Without it every reading would go on asking by itself, and cost as much as a provider that answers.
 */
export class Outage {
  readonly #options: OutageOptions;
  readonly #line = new Set<Waiting>();
  /** In a row, of all requests. */
  #failures = 0;
  /** A wait is under way, after which the next one may ask. */
  #waits = false;
  /** The next one may ask. */
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
      if (isProviderError(error, 'unreachable', 'timeout')) this.#failures += 1;
      else if (!isProviderError(error, 'stopped')) this.#answered();
      throw error;
    } finally {
      if (probes) this.#probing = false;
      this.#waitForNext();
    }
  }

  get #isOn(): boolean {
    return this.#failures >= FAILURES;
  }

  /** Resolves to whether this is the one request that asks. */
  async #turn(operation: string, signal: AbortSignal): Promise<boolean> {
    if (!this.#isOn) return false;
    if (this.#open) return this.#probe();
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const stop = (): void => reject(new ProviderError('stopped', operation, 'given up'));
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
    const wait = backoffMs(backoff, this.#failures - FAILURES + 1);
    void clock.sleep(wait, signal).then(() => {
      this.#waits = false;
      if (!this.#isOn) return;
      this.#open = true;
      const [next] = this.#line;
      if (next !== undefined) next(this.#probe());
    });
  }
}
