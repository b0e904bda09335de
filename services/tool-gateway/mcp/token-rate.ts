import { AttemptLedger, type Refusal } from '../token-exchange/limits.ts';
import { MAX_COUNTED, WINDOW_MS } from './limits.ts';

/** Requests of a token that were let in, the last of them at `at` (Unix milliseconds). */
export type Admitted = { readonly requests: number; readonly at: number };

/**
 * The rate of tokens in a rolling minute (spec, "Limits"), over what this replica lets in and what it knows of the others.
 * Pure: replicas that know of each other's requests are its user's matter.
 */
export class TokenRate {
  readonly #ledger: AttemptLedger;
  /** By token: let in since the last `take`. */
  #fresh = new Map<string, Admitted>();

  constructor(requestsPerToken: number) {
    this.#ledger = new AttemptLedger(requestsPerToken, MAX_COUNTED, WINDOW_MS);
  }

  /** Counts a request where it is let in. */
  admit(tokenId: string, at: number): Refusal {
    const refusal = this.#ledger.apply(tokenId, at);
    if (refusal === null)
      this.#fresh.set(tokenId, { requests: (this.#fresh.get(tokenId)?.requests ?? 0) + 1, at });
    return refusal;
  }

  /** Counts what another replica let in, whatever the limit. */
  add(tokenId: string, { requests, at }: Admitted): void {
    this.#ledger.add(tokenId, at, requests);
  }

  /** What was let in since the last call, by token. */
  take(): ReadonlyMap<string, Admitted> {
    const fresh = this.#fresh;
    this.#fresh = new Map();
    return fresh;
  }
}
