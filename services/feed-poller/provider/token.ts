import type { MachineClock } from '#timing/clock.ts';
import { isProviderError, type ProviderError } from '../errors.ts';

/** A token as the provider issued it. */
export type Grant = {
  readonly token: string;
  /** From the provider's answer on, milliseconds. */
  readonly lifetimeMs: number;
};

export type TokenOptions = {
  /** Requests a token. Throws `ProviderError`. */
  readonly exchange: () => Promise<Grant>;
  readonly clock: MachineClock;
  /** How long refused credentials are not tried again, milliseconds. */
  readonly refusedMs: number;
};

/** Tokens are renewed this long before they expire, milliseconds; one that lives less than twice as long at half. */
const EARLY_MS = 300_000;
/** Longest pause after a failed renewal while the current token is still valid. */
const RENEWAL_PAUSE_MS = 30_000;

type Held = { readonly token: string; renewAt: number; readonly expiresAt: number };

/**
 * The token in use (spec, "Authentication" 4): one exchange at a time for all callers; lifetimes are counted on the
 * poller's own clock.
 */
export class TokenKeeper {
  readonly #options: TokenOptions;
  #held: Held | null = null;
  #exchanging: Promise<Held> | null = null;
  #refusal: { readonly error: ProviderError; readonly until: number } | null = null;

  constructor(options: TokenOptions) {
    this.#options = options;
  }

  /** A token that has not expired as far as is known. Throws `ProviderError`. */
  async token(): Promise<string> {
    const { clock } = this.#options;
    const held = this.#held;
    if (held !== null && clock.monotonic() < held.renewAt) return held.token;
    try {
      return (await this.#renew()).token;
    } catch (error) {
      const left = (held?.expiresAt ?? 0) - clock.monotonic();
      // `held` is stale if the provider has refused it meanwhile.
      if (held === null || held !== this.#held || left <= 0) throw error;
      held.renewAt = clock.monotonic() + Math.min(RENEWAL_PAUSE_MS, left / 2);
      return held.token;
    }
  }

  /** A token other than `refused`, which the provider rejected. Throws `ProviderError`. */
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
    // Counted from before the request, so the lifetime is never overestimated.
    const asked = clock.monotonic();
    try {
      const { token, lifetimeMs } = await exchange();
      const early = Math.min(EARLY_MS, lifetimeMs / 2);
      this.#held = { token, renewAt: asked + lifetimeMs - early, expiresAt: asked + lifetimeMs };
      return this.#held;
    } catch (error) {
      if (isProviderError(error, 'CREDENTIALS')) this.#refusal = { error, until: asked + refusedMs };
      throw error;
    }
  }
}
