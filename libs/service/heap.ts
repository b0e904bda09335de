/** Says when the heap of this process is nearly full. */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { RAISE_HEAP } from '#errors/shortages.ts';
import type { Logger } from './logger.ts';

const MIB = 1024 * 1024;
/** Share of the heap that is in use after a full collection, above which the heap is nearly full; and below which it no longer is. */
const NEARLY_FULL = { from: 0.85, to: 0.7 };

/** Decides when to log that the heap is nearly full, and when that it has room again. */
export class HeapRule {
  #isFull = false;

  /** Returns what has changed with a full collection; null for nothing. `share`: of the heap that is in use after it. */
  collected(share: number): 'full' | 'room' | null {
    if (this.#isFull ? share >= NEARLY_FULL.to : share < NEARLY_FULL.from) return null;
    this.#isFull = !this.#isFull;
    return this.#isFull ? 'full' : 'room';
  }
}

/** Returns the option of Node that limits the heap, MiB; null without it. The last one of a process counts. */
export function heapOption(
  options: readonly string[] = [process.env.NODE_OPTIONS ?? '', ...process.execArgv],
): number | null {
  const given = [...options.join(' ').matchAll(/--max[-_]old[-_]space[-_]size[= ](\d+)/g)].at(-1)?.[1];
  return given === undefined ? null : Number(given);
}

/**
 * Logs when the heap of this process is nearly full, and when it has room again. At its limit V8 ends the process with a dump that
 * names no setting; no code runs then.
 */
export function watchHeap(log: Pick<Logger, 'warn' | 'info'>): void {
  const rule = new HeapRule();
  const option = heapOption();
  new PerformanceObserver((list) => {
    // The type of an entry lacks its detail.
    const entries = list.getEntries() as unknown as { readonly detail: { readonly kind: number } }[];
    if (!entries.some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) return;
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    // The limit of V8 includes the young generation, which a small heap cannot use for what it keeps.
    const size = option === null ? limit : Math.min(limit, option * MIB);
    const change = rule.collected(used / size);
    if (change === 'room') log.info('the heap has room again');
    if (change === 'full')
      log.warn(
        { code: 'HEAP_NEARLY_FULL', used_mib: Math.round(used / MIB), heap_mib: Math.round(size / MIB) },
        `the heap is nearly full, and the process ends once it is: ${RAISE_HEAP}`,
      );
  }).observe({ type: 'gc' });
}
