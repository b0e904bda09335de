import type { Logger } from '#streams/log.ts';
import type { Clock } from '../clock.ts';
import { ProviderError } from '../errors.ts';
import type { PollerMetrics } from '../metrics.ts';
import { type Backoff, backoffMs } from './backoff.ts';
import type { ContractScope } from './contract.ts';

/** What every reading that is repeated works with. */
export type RepeatContext = {
  readonly clock: Clock;
  readonly backoff: Backoff;
  /** A resource that the provider refuses is left alone until it changes. */
  readonly contract: ContractScope;
  readonly log: Logger;
  readonly metrics: Pick<PollerMetrics, 'retries' | 'stopped'>;
};

/** A reading that is repeated. */
export type Repeated = {
  /** As `season/5`: its kind goes to metrics, all of it to the log. */
  readonly resource: string;
  readonly periodMs: number;
  /** One of many of its kind: it is dropped where the provider does not have it. */
  readonly oneOfMany?: boolean;
  /** Reads once; `again`: there is more, do not wait; `end`: never again. */
  readonly read: (signal: AbortSignal) => Promise<'done' | 'again' | 'end'>;
};

/** What to do after a reading failed. */
export type Verdict =
  | { readonly kind: 'retry'; readonly waitMs: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'given_up' };

/**
 * The rules of retrying (spec, "Recommended consumer behaviour"): 403 stops until the contract changes, 404 for good, after
 * 400 the reading waits for the longest time (an unchanged request is not sent again, see `Provider`), everything else backs
 * off. What is no error of the provider is thrown on, but for what passes.
 */
export function judge(error: unknown, failures: number, context: RepeatContext): Verdict {
  if (!(error instanceof ProviderError)) throw error;
  switch (error.code) {
    case 'stopped':
      return { kind: 'given_up' };
    case 'forbidden':
      return { kind: 'stopped' };
    case 'not_found':
      return { kind: 'gone' };
    case 'rejected':
    case 'credentials':
    case 'redirected':
      return { kind: 'retry', waitMs: context.backoff.ceilingMs };
    default:
      return { kind: 'retry', waitMs: backoffMs(context.backoff, failures) };
  }
}

/** The kind of a resource: what stands before its id. */
export function kindOf(resource: string): string {
  return resource.split('/', 1)[0] ?? resource;
}

/**
 * Repeats a reading until `signal` is aborted or it has ended. Throws what is no failure of the provider, e.g. of the
 * broker: whoever leads begins anew from the checkpoints then.
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
      if (outcome === 'done') await clock.sleep(periodMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      const verdict = judge(error, failures, context);
      const { code, message } = error as ProviderError;
      if (verdict.kind === 'given_up') return;
      if (verdict.kind === 'gone' && reading.oneOfMany === true) {
        log.info({ resource, code }, 'the provider does not have it, it is dropped');
        return;
      }
      if (verdict.kind === 'stopped') {
        log.error({ resource, code }, 'outside the contract, not read until that changes');
        metrics.stopped.inc(label);
        await contract.changedSince(changes, signal);
        metrics.stopped.dec(label);
        continue;
      }
      metrics.retries.inc({ ...label, code });
      // The first failure is told, and then each doubling: an outage of a day is a few lines.
      const level = Number.isInteger(Math.log2(failures)) ? 'warn' : 'debug';
      log[level]({ resource, code, failures, detail: message }, 'reading failed, it is tried again');
      await clock.sleep(verdict.kind === 'gone' ? context.backoff.ceilingMs : verdict.waitMs, signal);
    }
  }
}
