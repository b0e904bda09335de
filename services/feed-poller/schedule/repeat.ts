import { once } from 'node:events';
import type { Logger } from '#streams/log.ts';
import { type RandomBackoff, randomBackoffMs } from '#timing/backoff.ts';
import type { MachineClock } from '#timing/clock.ts';
import type { PollerMetrics } from '../metrics.ts';
import { ProviderError, type ProviderErrorCode } from '../provider/answer.ts';

/**
 * The client's contract with the provider, inferred from its answers. A resource answered with 403 is outside the contract
 * until a list names a new competition. The poller cannot see any other change of the contract; its next term, e.g. after
 * a restart, reads every resource again.
 */
export class ContractScope {
  #changes = 0;
  #changed = new AbortController();

  /** Number of changes so far. A resource that was refused at the same number is still refused. */
  get changes(): number {
    return this.#changes;
  }

  /** Counts a change, and ends every wait for one. */
  widen(): void {
    this.#changes += 1;
    this.#changed.abort();
    this.#changed = new AbortController();
  }

  /** Waits for the first change after `changes`, or until `signal` is aborted. */
  async changedSince(changes: number, signal: AbortSignal): Promise<void> {
    if (this.#changes !== changes || signal.aborted) return;
    await once(AbortSignal.any([this.#changed.signal, signal]), 'abort');
  }
}

/** Shared dependencies of repeated reads. */
export type RepeatContext = {
  readonly clock: MachineClock;
  readonly backoff: RandomBackoff;
  /** The scope whose change makes refused resources readable again. */
  readonly contract: ContractScope;
  readonly log: Logger;
  readonly metrics: Pick<PollerMetrics, 'retries' | 'stopped'>;
};

/** A repeated read. */
export type Repeated = {
  /** Such as `season/5`: its kind goes to metrics, the whole to the log. */
  readonly resource: string;
  /** Returns the wait before the next read, milliseconds. */
  readonly periodMs: () => number;
  /** Whether it is one of many of its kind: then 404 ends it. */
  readonly oneOfMany?: boolean;
  /** Reads once. Returns `again` to read again without a wait, `end` to read no more. */
  readonly read: (signal: AbortSignal) => Promise<'done' | 'again' | 'end'>;
};

/**
 * Failures after which a read waits for the maximum time (spec, "Recommended consumer behaviour": 400 is not retried
 * unchanged; `ProviderClient` sends no such request again for a quarter of an hour). After others it backs off.
 */
const SLOW_CODES: readonly ProviderErrorCode[] = ['NOT_FOUND', 'REJECTED', 'CREDENTIALS', 'REDIRECTED'];

/**
 * Repeats a read until `signal` is aborted or the read returns `end`. 403 pauses it until the contract changes; 404 ends
 * one of many. Throws errors that are no `ProviderError`, e.g. of the broker: the leader then restarts from the checkpoints.
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
      if (failures > 0) log.info({ resource, failures }, 'the resource is read again');
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
        log.info({ resource, code }, 'the provider does not have the resource, it is dropped');
        return;
      }
      if (code === 'FORBIDDEN') {
        log.error({ resource, code }, 'outside the contract, not read until the contract changes');
        metrics.stopped.inc(label);
        await contract.changedSince(changes, signal);
        metrics.stopped.dec(label);
        continue;
      }
      metrics.retries.inc({ ...label, code: published });
      // Warns at failures 1, 2, 4, 8 and so on, so that an outage of a day is a few lines.
      const level = Number.isInteger(Math.log2(failures)) ? 'warn' : 'debug';
      log[level]({ resource, code, failures, detail: message }, 'read failed, retries');
      await clock.sleep(
        SLOW_CODES.includes(code) ? backoff.ceilingMs : randomBackoffMs(backoff, failures),
        signal,
      );
    }
  }
}
