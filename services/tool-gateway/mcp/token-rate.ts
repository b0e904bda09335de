import { AttemptLedger, type Refusal } from '../token-exchange/limits.ts';
import { MAX_COUNTED, WINDOW_MS } from './limits.ts';

/** Admitted requests of a token; `at` is the time of the last one, Unix milliseconds. */
export type Admitted = { readonly requests: number; readonly at: number };

/**
 * Limits the requests of each token in a rolling minute (spec, "Limits"), those that other replicas admitted included.
 * Pure: `SharedRate` exchanges the counts between replicas.
 */
export class TokenRate {
  readonly #ledger: AttemptLedger;
  /** By token: requests admitted here since the last `take`. */
  #fresh = new Map<string, Admitted>();

  constructor(requestsPerToken: number) {
    this.#ledger = new AttemptLedger(requestsPerToken, MAX_COUNTED, WINDOW_MS);
  }

  /** Decides on a request, and counts it if it is admitted. */
  admit(tokenId: string, at: number): Refusal {
    const refusal = this.#ledger.apply(tokenId, at);
    if (refusal === null)
      this.#fresh.set(tokenId, { requests: (this.#fresh.get(tokenId)?.requests ?? 0) + 1, at });
    return refusal;
  }

  /** Counts requests that another replica admitted, even beyond the limit. */
  add(tokenId: string, { requests, at }: Admitted): void {
    this.#ledger.add(tokenId, at, requests);
  }

  /** Returns the requests admitted here since the last call, by token. */
  take(): ReadonlyMap<string, Admitted> {
    const fresh = this.#fresh;
    this.#fresh = new Map();
    return fresh;
  }
}
