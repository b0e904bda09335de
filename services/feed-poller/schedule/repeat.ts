import type { Logger } from '#streams/log.ts';
import type { MachineClock } from '#timing/clock.ts';
import { type RandomBackoff, randomBackoffMs } from '#timing/retry.ts';
import type { PollerMetrics } from '../metrics.ts';
import { ProviderError, type ProviderErrorCode } from '../provider/answer.ts';

/** Time after which a refused resource (403) is requested again, milliseconds: the contract may have changed. */
export const REFUSED_MS = 15 * 60_000;

/** Returns the record of the resources that the provider refuses (403): logs and counts each once, until it answers otherwise. */
export function contractScope({ log, metrics }: { log: Logger; metrics: Pick<PollerMetrics, 'stopped'> }) {
  const refused = new Set<string>();
  return {
    refuse(resource: string): void {
      if (refused.has(resource)) return;
      refused.add(resource);
      metrics.stopped.inc({ resource: kindOf(resource) });
      const fields = { resource, code: 'FORBIDDEN' };
      log.error(fields, 'outside the contract, requested again every quarter of an hour');
    },
    /** Ends a refusal: the provider has answered otherwise, or nobody reads the resource. */
    admit(resource: string): void {
      if (refused.delete(resource)) metrics.stopped.dec({ resource: kindOf(resource) });
    },
  };
}

/** Returns the kind of a resource, which metrics name. */
function kindOf(resource: string): string {
  return resource.split('/', 1)[0] ?? resource;
}

export type RepeatContext = {
  readonly clock: MachineClock;
  readonly backoff: RandomBackoff;
  readonly contract: ReturnType<typeof contractScope>;
  readonly log: Logger;
  readonly metrics: Pick<PollerMetrics, 'retries'>;
};

export type Repeated = {
  /** Such as `season/5`: its kind goes to metrics, the whole to the log. */
  readonly resource: string;
  /** Returns the wait before the next read, milliseconds. */
  readonly periodMs: () => number;
  /** Whether 404 ends it, as a catalogue names it again once it is back. */
  readonly untilMissing?: boolean;
  /** Reads once. Returns `again` to read again without a wait, `end` to read no more. */
  readonly read: (signal: AbortSignal) => Promise<unknown>;
};

/** Failures after which a read waits for the maximum time (spec, "Recommended consumer behaviour"), after 404 its period if longer. */
const SLOW_CODES: readonly ProviderErrorCode[] = ['REJECTED', 'CREDENTIALS', 'REDIRECTED'];

/** Repeats a read until `signal` or `end`. 403 pauses it. Throws errors that are no `ProviderError`: the leader restarts then. */
export async function repeat(
  { resource, periodMs, untilMissing = false, read }: Repeated,
  { clock, backoff, contract, log, metrics }: RepeatContext,
  signal: AbortSignal,
): Promise<void> {
  const waitMs = (code: ProviderErrorCode, failed: number): number => {
    if (code === 'NOT_FOUND') return Math.max(backoff.ceilingMs, periodMs());
    return SLOW_CODES.includes(code) ? backoff.ceilingMs : randomBackoffMs(backoff, failed);
  };
  let failures = 0;
  while (!signal.aborted) {
    try {
      const outcome = await read(signal);
      contract.admit(resource);
      if (failures > 0) log.info({ resource, failures }, 'the resource is read again');
      failures = 0;
      if (outcome === 'end') return;
      if (outcome !== 'again') await clock.sleep(periodMs(), signal);
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      if (!(error instanceof ProviderError)) throw error;
      const { code, published, message } = error;
      if (code === 'STOPPED') return;
      if (code === 'FORBIDDEN') {
        contract.refuse(resource);
        await clock.sleep(REFUSED_MS, signal);
        continue;
      }
      contract.admit(resource);
      if (code === 'NOT_FOUND' && untilMissing) {
        log.info({ resource, code }, 'the provider does not have the resource, it is dropped');
        return;
      }
      metrics.retries.inc({ resource: kindOf(resource), code: published });
      // Warns at failures 1, 2, 4, 8 and so on, so that an outage of a day is a few lines.
      const level = Number.isInteger(Math.log2(failures)) ? 'warn' : 'debug';
      log[level]({ resource, code, failures, detail: message }, 'read failed, retries');
      await clock.sleep(waitMs(code, failures), signal);
    }
  }
}
