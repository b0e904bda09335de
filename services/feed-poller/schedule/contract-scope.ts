import type { Logger } from '#streams/log.ts';
import type { MachineClock } from '#timing/clock.ts';
import type { PollerMetrics } from '../metrics.ts';

/** Time after which a refused resource (403) is requested again, milliseconds: the provider may refuse by mistake. */
const REFUSED_MS = 15 * 60_000;

type ContractOptions = {
  readonly clock: MachineClock;
  readonly log: Pick<Logger, 'error'>;
  readonly metrics: Pick<PollerMetrics, 'stopped'>;
};

type Refusal = {
  /** Aborted when the contract has changed since the request. */
  readonly changed: AbortSignal;
  /** Time of the next request, as of `monotonic`. */
  readonly until: number;
};

/** The contract with the provider, from its answers: a refused resource (403) rests, until a list names a new competition. */
export class ContractScope {
  readonly #options: ContractOptions;
  readonly #refused = new Map<string, Refusal>();
  #changed = new AbortController();

  constructor(options: ContractOptions) {
    this.#options = options;
  }

  /** Aborted with the next change: take it before a request, and pass it to `refuse`. */
  get changed(): AbortSignal {
    return this.#changed.signal;
  }

  /** Lets all refused resources be requested: the contract has changed. */
  widen(): void {
    this.#changed.abort();
    this.#changed = new AbortController();
  }

  /** Whether the provider has refused a resource, and it is not to be requested yet. */
  isRefused(resource: string): boolean {
    const refusal = this.#refused.get(resource);
    return (
      refusal !== undefined && !refusal.changed.aborted && this.#options.clock.monotonic() < refusal.until
    );
  }

  /** Stores a refusal of a resource, and logs the first one. `changed`: as it was before the request. Returns the refusal. */
  refuse(resource: string, changed: AbortSignal): Refusal {
    const { clock, log, metrics } = this.#options;
    if (!this.#refused.has(resource)) {
      metrics.stopped.inc({ resource: kindOf(resource) });
      log.error(
        { resource, code: 'FORBIDDEN' },
        'outside the contract, requested again when the contract changes, and every quarter of an hour',
      );
    }
    const refusal = { changed, until: clock.monotonic() + REFUSED_MS };
    this.#refused.set(resource, refusal);
    return refusal;
  }

  /** Stores that a resource is not refused any more: the provider has answered otherwise, or nobody reads it. */
  admit(resource: string): void {
    if (this.#refused.delete(resource)) this.#options.metrics.stopped.dec({ resource: kindOf(resource) });
  }

  /** Waits until the resource of a refusal may be requested, or `signal` is aborted. */
  reopened({ changed, until }: Refusal, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    return clock.sleep(until - clock.monotonic(), AbortSignal.any([changed, signal]));
  }
}

/** Returns the kind of a resource, which metrics name. */
export function kindOf(resource: string): string {
  return resource.split('/', 1)[0] ?? resource;
}
