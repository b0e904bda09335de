import { once } from 'node:events';
import type { Logger } from '#streams/log.ts';
import { type RandomBackoff, randomBackoffMs } from '#timing/backoff.ts';
import type { MachineClock } from '#timing/clock.ts';
import { ProviderError, type ProviderErrorCode } from '../errors.ts';
import type { PollerMetrics } from '../metrics.ts';

/**
 * The client's contract with the provider, inferred from its answers. A resource answered 403 is outside the contract
 * until a list names a new competition. Any other contract change is invisible; the next term of the poller, e.g. after a
 * restart, reads every resource again.
 */
export class ContractScope {
  #changes = 0;
  #changed = new AbortController();

  /** Counts its changes: an answer that was refused at the same count is still refused. */
  get changes(): number {
    return this.#changes;
  }

  /** Ends every wait for a change. */
  widen(): void {
    this.#changes += 1;
    this.#changed.abort();
    this.#changed = new AbortController();
  }

  /** Resolves at the first change after `changes`, or when `signal` is aborted. */
  async changedSince(changes: number, signal: AbortSignal): Promise<void> {
    if (this.#changes !== changes || signal.aborted) return;
    await once(AbortSignal.any([this.#changed.signal, signal]), 'abort');
  }
}

/** Shared dependencies of repeated reads. */
export type RepeatContext = {
  readonly clock: MachineClock;
  readonly backoff: RandomBackoff;
  /** A refused resource is not read until the contract changes. */
  readonly contract: ContractScope;
  readonly log: Logger;
  readonly metrics: Pick<PollerMetrics, 'retries' | 'stopped'>;
};

/** A repeated read. */
export type Repeated = {
  /** As `season/5`: its kind goes to metrics, all of it to the log. */
  readonly resource: string;
  /** The wait before the next read, milliseconds. */
  readonly periodMs: () => number;
  /** One of many of its kind: dropped on 404. */
  readonly oneOfMany?: boolean;
  /** Reads once; `again`: there is more, do not wait; `end`: never again. */
  readonly read: (signal: AbortSignal) => Promise<'done' | 'again' | 'end'>;
};

/**
 * After these a read waits for the longest time (spec, "Recommended consumer behaviour": 400 is not retried unchanged;
 * `ProviderClient` sends no such request again for a quarter of an hour); after any other it backs off.
 */
const SLOW: readonly ProviderErrorCode[] = ['NOT_FOUND', 'REJECTED', 'CREDENTIALS', 'REDIRECTED'];

/**
 * Repeats a read until `signal` is aborted or the read ends: 403 stops it until the contract changes, 404 drops one of many.
 * Throws errors that are not the provider's, e.g. the broker's: the leader then restarts from the checkpoints.
 */
export async function repeat(reading: Repeated, context: RepeatContext, signal: AbortSignal): Promise<void> {
  const { resource, periodMs, read } = reading;
  const { clock, backoff, contract, log, metrics } = context;
  const [kind = resource] = resource.split('/', 1);
  const label = { resource: kind };
  let failures = 0;
  while (!signal.aborted) {
    const { changes } = contract;
    try {
      const outcome = await read(signal);
      if (failures > 0) log.info({ resource, failures }, 'read again');
      failures = 0;
      if (outcome === 'end') return;
      if (outcome === 'done') await clock.sleep(periodMs(), signal);
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      if (!(error instanceof ProviderError)) throw error;
      const { code, published, message } = error;
      if (code === 'STOPPED') return;
      if (code === 'NOT_FOUND' && reading.oneOfMany === true) {
        log.info({ resource, code }, 'the provider does not have it, drops it');
        return;
      }
      if (code === 'FORBIDDEN') {
        log.error({ resource, code }, 'outside the contract, not read until that changes');
        metrics.stopped.inc(label);
        await contract.changedSince(changes, signal);
        metrics.stopped.dec(label);
        continue;
      }
      metrics.retries.inc({ ...label, code: published });
      // Warns of the first failure and of each doubling, so an outage of a day is a few lines.
      const level = Number.isInteger(Math.log2(failures)) ? 'warn' : 'debug';
      log[level]({ resource, code, failures, detail: message }, 'read failed, retries');
      await clock.sleep(SLOW.includes(code) ? backoff.ceilingMs : randomBackoffMs(backoff, failures), signal);
    }
  }
}
