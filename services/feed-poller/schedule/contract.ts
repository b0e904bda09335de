/**
 * The client's contract with the provider, as far as its answers show it. Nothing says what a contract grants: a resource
 * that is answered 403 is outside of it, until a list names a competition that no list has named before. A contract that
 * changes in any other way shows nothing; the poller reads anew with its next term, e.g. after a restart.
 */
export class ContractScope {
  #changes = 0;
  #changed = Promise.withResolvers<void>();

  /** How often it has changed: what was refused at the same number is still refused. */
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
