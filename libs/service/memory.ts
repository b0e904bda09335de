/** Releases memory between matches: V8 and malloc keep the peak of a tournament. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often to check whether the process is idle. */
const LOOK_MS = 10_000;

export type Usage = {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  /** Processor time, milliseconds. */
  readonly cpuMs: number;
  /** Resident memory, bytes. */
  readonly resident: number;
};

/** When a collection is worth its pause. */
export type CalmLimits = {
  /** Below this share of a core the process counts as idle. */
  readonly calm: number;
  /** Minimum growth since the last collection, bytes. */
  readonly worthBytes: number;
};

/** Decides when to release memory: in a calm period, and after growth since the last time. */
export class CalmRule {
  readonly #limits: CalmLimits;
  #last: Usage | null = null;
  #after = 0;

  constructor(limits: CalmLimits) {
    this.#limits = limits;
  }

  isDue(usage: Usage): boolean {
    const { at, cpuMs, resident } = usage;
    const last = this.#last;
    this.#last = usage;
    if (last === null || (cpuMs - last.cpuMs) / (at - last.at) >= this.#limits.calm) return false;
    return resident > this.#after + this.#limits.worthBytes;
  }

  /** Resident memory after a collection, bytes. */
  collected(resident: number): void {
    this.#after = resident;
  }
}

/**
 * Returns unused pages to the system whenever the process is idle. V8 does so by itself only under memory pressure, of
 * which Node does not inform it; `last-resort` simulates it. The process pauses meanwhile, 2.5 ms for each MiB in use.
 */
export function giveMemoryBack(limits: CalmLimits): void {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  const rule = new CalmRule(limits);
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    const usage = {
      at: performance.now(),
      cpuMs: (user + system) / 1_000,
      resident: process.memoryUsage.rss(),
    };
    if (!rule.isDue(usage)) return;
    collect({ type: 'major', flavor: 'last-resort' });
    rule.collected(process.memoryUsage.rss());
  }, LOOK_MS).unref();
}

/**
 * Collects the old generation whenever it has grown by this many percent; null restores V8's rule, which lets it grow to four
 * times of what is in use. For a process that reads much and keeps little: with 80 % an api that builds its views of 8,000 events
 * has 317 MiB resident at most instead of 410, for the same processor time (`BENCH_EVENTS=8000 npm run bench -- views`).
 */
export function limitHeapGrowth(percent: number | null): void {
  setFlagsFromString(`--heap-growing-percent=${percent ?? 0}`);
}

/** For a processor: rarely, since a goal may arrive during the pause. */
export const PROCESSOR_LIMITS: CalmLimits = { calm: 0.02, worthBytes: 64 * 1024 * 1024 };

/**
 * Node flags for the process of a service. Without them the young generation alone grows to some 100 MiB under load: 485 MiB
 * resident instead of 379 (30,000 scheduled matches, `npm run bench -- memory`), and a restore is a tenth slower. Not for the
 * receiver, whose memory is all young: with them it answers 6,800 instead of 10,000 deliveries a second.
 */
export function heapFlags(service: string): readonly string[] {
  return service === 'webhook-receiver' ? [] : ['--max-semi-space-size=8'];
}

/**
 * C library settings for the process of a service. By default glibc keeps freed buffers of up to 32 MiB; with them the
 * poller, whose answers come in bursts, returns them. Other libraries ignore the settings.
 */
export function mallocSettings(service: string): Readonly<Record<string, string>> {
  return service === 'feed-poller'
    ? { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '131072' }
    : {};
}
