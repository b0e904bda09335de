import type { Logger } from '#streams/log.ts';
import { type RandomBackoff, randomBackoffMs } from '#timing/backoff.ts';
import type { MachineClock } from '#timing/clock.ts';
import { ProviderError } from '../errors.ts';
import type { PollerMetrics } from '../metrics.ts';
import type { ContractScope } from './contract.ts';

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

/** What to do after a failed read. */
export type RepeatDecision =
  | { readonly kind: 'retry'; readonly waitMs: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'given_up' };

/**
 * Retry rules (spec, "Recommended consumer behaviour"): 403 stops until the contract changes, 404 stops for good, 400
 * waits for the longest time (`ProviderClient` sends no unchanged request again for a quarter of an hour), every other code
 * backs off. Rethrows errors that are not the provider's.
 */
export function judge(error: unknown, failures: number, context: RepeatContext): RepeatDecision {
  if (!(error instanceof ProviderError)) throw error;
  switch (error.code) {
    case 'STOPPED':
      return { kind: 'given_up' };
    case 'FORBIDDEN':
      return { kind: 'stopped' };
    case 'NOT_FOUND':
      return { kind: 'gone' };
    case 'REJECTED':
    case 'CREDENTIALS':
    case 'REDIRECTED':
      return { kind: 'retry', waitMs: context.backoff.ceilingMs };
    default:
      return { kind: 'retry', waitMs: randomBackoffMs(context.backoff, failures) };
  }
}

/** The kind of a resource: the part before its id. */
function kindOf(resource: string): string {
  return resource.split('/', 1)[0] ?? resource;
}

/**
 * Repeats a read until `signal` is aborted or the read ends. Throws errors that are not the provider's, e.g. the
 * broker's: the leader then restarts from the checkpoints.
 */
export async function repeat(reading: Repeated, context: RepeatContext, signal: AbortSignal): Promise<void> {
  const { resource, periodMs, read } = reading;
  const { clock, contract, log, metrics } = context;
  const label = { resource: kindOf(resource) };
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
      const verdict = judge(error, failures, context);
      const { code, published, message } = error as ProviderError;
      if (verdict.kind === 'given_up') return;
      if (verdict.kind === 'gone' && reading.oneOfMany === true) {
        log.info({ resource, code }, 'the provider does not have it, drops it');
        return;
      }
      if (verdict.kind === 'stopped') {
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
      await clock.sleep(verdict.kind === 'gone' ? context.backoff.ceilingMs : verdict.waitMs, signal);
    }
  }
}
