/**
 * The client's contract with the provider, inferred from its answers. A resource answered 403 is outside the contract
 * until a list names a new competition. Any other contract change is invisible; the next term of the poller, e.g. after a
 * restart, reads every resource again.
 */
export class ContractScope {
  #changes = 0;
  #changed = Promise.withResolvers<void>();

  /** Counts its changes: an answer that was refused at the same count is still refused. */
  get changes(): number {
    return this.#changes;
  }

  /** Ends every wait for a change. */
  widen(): void {
    this.#changes += 1;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Resolves at the first change after `changes`, or when `signal` is aborted. */
  async changedSince(changes: number, signal: AbortSignal): Promise<void> {
    if (this.#changes !== changes || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): void => resolve();
    signal.addEventListener('abort', end, { once: true });
    await Promise.race([this.#changed.promise, promise]);
    signal.removeEventListener('abort', end);
  }
}
