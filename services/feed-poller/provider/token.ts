import type { MachineClock } from '#timing/clock.ts';
import { isProviderError, type ProviderError } from './answer.ts';

/** A token as the provider issued it. */
export type Grant = {
  readonly token: string;
  /** Counted from the provider's answer, milliseconds. */
  readonly lifetimeMs: number;
};

type TokenOptions = {
  /** Requests a token. Throws `ProviderError`. */
  readonly exchange: () => Promise<Grant>;
  readonly clock: MachineClock;
  /** Wait before refused credentials are sent again, milliseconds. */
  readonly refusedMs: number;
};

/** Time before its expiry at which a token is renewed; a token with less than twice this lifetime is renewed at half of it. */
const EARLY_MS = 300_000;
/** Maximum wait after a failed renewal while the current token is still valid. */
const RENEWAL_PAUSE_MS = 30_000;

type Held = { readonly token: string; renewAt: number; readonly expiresAt: number };

/**
 * Holds the current token (spec, "Authentication" 4). All callers share one exchange at a time. Lifetimes are counted on
 * the poller's clock.
 */
export class TokenKeeper {
  readonly #options: TokenOptions;
  #held: Held | null = null;
  #exchanging: Promise<Held> | null = null;
  #refusal: { readonly error: ProviderError; readonly until: number } | null = null;

  constructor(options: TokenOptions) {
    this.#options = options;
  }

  /** Returns a token that has not expired on the poller's clock. Throws `ProviderError`. */
  async token(): Promise<string> {
    const { clock } = this.#options;
    const held = this.#held;
    if (held !== null && clock.monotonic() < held.renewAt) return held.token;
    try {
      return (await this.#renew()).token;
    } catch (error) {
      const left = (held?.expiresAt ?? 0) - clock.monotonic();
      // `held` is not `#held` any more when the provider has refused it meanwhile.
      if (held === null || held !== this.#held || left <= 0) throw error;
      held.renewAt = clock.monotonic() + Math.min(RENEWAL_PAUSE_MS, left / 2);
      return held.token;
    }
  }

  /** Returns a token other than `refused`, which the provider has rejected. Throws `ProviderError`. */
  async replace(refused: string): Promise<string> {
    if (this.#held?.token === refused) this.#held = null;
    return this.token();
  }

  #renew(): Promise<Held> {
    this.#exchanging ??= this.#exchange().finally(() => {
      this.#exchanging = null;
    });
    return this.#exchanging;
  }

  async #exchange(): Promise<Held> {
    const { exchange, clock, refusedMs } = this.#options;
    if (this.#refusal !== null && clock.monotonic() < this.#refusal.until) throw this.#refusal.error;
    // Counted from before the request, so that the lifetime is never overestimated.
    const requestedAt = clock.monotonic();
    try {
      const { token, lifetimeMs } = await exchange();
      const early = Math.min(EARLY_MS, lifetimeMs / 2);
      this.#held = { token, renewAt: requestedAt + lifetimeMs - early, expiresAt: requestedAt + lifetimeMs };
      return this.#held;
    } catch (error) {
      if (isProviderError(error, 'CREDENTIALS')) this.#refusal = { error, until: requestedAt + refusedMs };
      throw error;
    }
  }
}
