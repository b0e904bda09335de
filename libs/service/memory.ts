/** Limits and releases memory: V8 and malloc otherwise keep their peak after busy hours. */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RAISE_HEAP } from '#errors/shortages.ts';
import type { Logger } from './logger.ts';

/** Interval between checks whether the process is idle. */
const CHECK_MS = 10_000;

type UsageSample = {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  /** Processor time, milliseconds. */
  readonly cpuMs: number;
  /** Resident memory, bytes. */
  readonly resident: number;
};

/** Conditions of a collection. */
type ReleaseLimits = {
  /** Below this share of a core the process counts as idle. */
  readonly calm: number;
  /** Minimum growth since the last collection, bytes. */
  readonly worthBytes: number;
};

/** Decides when to release memory: when the process is idle and has grown since the last collection. */
export class ReleaseRule {
  readonly #limits: ReleaseLimits;
  #last: UsageSample | null = null;
  #after = 0;

  constructor(limits: ReleaseLimits) {
    this.#limits = limits;
  }

  isDue(usage: UsageSample): boolean {
    const { at, cpuMs, resident } = usage;
    const last = this.#last;
    this.#last = usage;
    if (last === null || (cpuMs - last.cpuMs) / (at - last.at) >= this.#limits.calm) return false;
    return resident > this.#after + this.#limits.worthBytes;
  }

  /** Stores the resident memory after a collection, bytes. */
  collected(resident: number): void {
    this.#after = resident;
  }
}

/**
 * Returns a function that collects all garbage, and returns unused pages to the system. V8 itself does so only under memory pressure,
 * which Node does not report to it and `last-resort` simulates. Meanwhile the process pauses for 2.5 ms for each MiB in use.
 */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  return () => collect({ type: 'major', flavor: 'last-resort' });
}

/** Releases memory whenever the process is idle. */
export function releaseIdleMemory(limits: ReleaseLimits): void {
  const collect = collector();
  const rule = new ReleaseRule(limits);
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    const resident = residentBytes();
    if (resident === null) return;
    if (!rule.isDue({ at: performance.now(), cpuMs: (user + system) / 1_000, resident })) return;
    collect();
    rule.collected(residentBytes() ?? resident);
  }, CHECK_MS).unref();
}

/** Returns the process's resident memory; null while it cannot be read: it is read from a file, and a process may have no descriptor left. */
function residentBytes(): number | null {
  try {
    return process.memoryUsage.rss();
  } catch {
    return null;
  }
}

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
 * Logs when the heap of this thread is nearly full, and when it has room again. At its limit V8 ends the process with a dump that
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

/**
 * Lets V8 collect the old generation whenever it has grown by `percent`, until `endHeapLimit`; V8's default is growth to four times the
 * used memory. For a process that reads much and keeps little: with 80 %, an api that builds views of 8,000 events needs
 * 317 MiB instead of 410, with the same processor time (`BENCH_EVENTS=8000 npm run bench -- views`).
 */
export function limitHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/** Restores V8's default growth. `release`: also releases what the work has left, which V8 would keep until as much garbage is made again. */
export function endHeapLimit({ release }: { readonly release: boolean }): void {
  limitHeapGrowth(0);
  if (release) collector()();
}

/** Limits of a processor: rare collections, since a goal may arrive during the pause. */
export const PROCESSOR_LIMITS: ReleaseLimits = { calm: 0.02, worthBytes: 64 * 1024 * 1024 };

/**
 * Returns the Node flags for the process of a service. Without them the young generation grows to some 100 MiB under load:
 * 485 MiB resident instead of 379 (30,000 scheduled matches, `npm run bench -- memory`), and a restore is a tenth slower. The
 * receiver gets none, as its objects all die young: with them it answers 6,800 instead of 10,000 deliveries a second.
 */
export function heapFlags(service: string): readonly string[] {
  return service === 'webhook-receiver' ? [] : ['--max-semi-space-size=8'];
}

/**
 * Returns the C library settings for the process of a service. By default glibc keeps freed buffers of up to 32 MiB; with
 * these the poller, whose answers come in bursts, returns them. Other C libraries ignore the settings.
 */
export function mallocSettings(service: string): Readonly<Record<string, string>> {
  return service === 'feed-poller'
    ? { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '131072' }
    : {};
}
