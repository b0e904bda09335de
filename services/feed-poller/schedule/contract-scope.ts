import type { Logger } from '#streams/log.ts';
import type { MachineClock } from '#timing/clock.ts';
import type { PollerMetrics } from '../metrics.ts';

/** Time after which a refused resource (403) is requested again, milliseconds: the contract may have changed. */
export const REFUSED_MS = 15 * 60_000;

type ContractOptions = {
  readonly clock: Pick<MachineClock, 'monotonic'>;
  readonly log: Pick<Logger, 'error'>;
  readonly metrics: Pick<PollerMetrics, 'stopped'>;
};

/** The contract with the provider, from its answers: a refused resource (403) rests. */
export class ContractScope {
  readonly #options: ContractOptions;
  /** The refused resources, with the time of the next request of each, as of `monotonic`. */
  readonly #refused = new Map<string, number>();

  constructor(options: ContractOptions) {
    this.#options = options;
  }

  /** Whether the provider has refused a resource, and it is not to be requested yet. */
  isRefused(resource: string): boolean {
    return this.#options.clock.monotonic() < (this.#refused.get(resource) ?? 0);
  }

  /** Stores a refusal of a resource, and logs the first one. */
  refuse(resource: string): void {
    const { clock, log, metrics } = this.#options;
    if (!this.#refused.has(resource)) {
      metrics.stopped.inc({ resource: kindOf(resource) });
      log.error(
        { resource, code: 'FORBIDDEN' },
        'outside the contract, requested again every quarter of an hour',
      );
    }
    this.#refused.set(resource, clock.monotonic() + REFUSED_MS);
  }

  /** Stores that a resource is not refused any more: the provider has answered otherwise, or nobody reads it. */
  admit(resource: string): void {
    if (this.#refused.delete(resource)) this.#options.metrics.stopped.dec({ resource: kindOf(resource) });
  }
}

/** Returns the kind of a resource, which metrics name. */
export function kindOf(resource: string): string {
  return resource.split('/', 1)[0] ?? resource;
}
