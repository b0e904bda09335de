/** Gives memory back between matches: V8 and malloc keep what a tournament needed. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often it is looked whether the process has little to do. */
const LOOK_MS = 10_000;

/** What a process has used until now. */
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
  /** Below this share of a core the process has little to do. */
  readonly calm: number;
  /** This much came since the last one, bytes. */
  readonly worthBytes: number;
};

/** Says when memory is to be given back: in a calm stretch, and where there is more of it than after the last time. */
export class CalmRule {
  readonly #limits: CalmLimits;
  #last: Usage | null = null;
  #after = 0;

  constructor(limits: CalmLimits) {
    this.#limits = limits;
  }

  /** Whether to collect now. */
  isDue(usage: Usage): boolean {
    const { at, cpuMs, resident } = usage;
    const last = this.#last;
    this.#last = usage;
    if (last === null || (cpuMs - last.cpuMs) / (at - last.at) >= this.#limits.calm) return false;
    return resident > this.#after + this.#limits.worthBytes;
  }

  /** What is resident after a collection, bytes. */
  collected(resident: number): void {
    this.#after = resident;
  }
}

/**
 * Gives the pages that this process does not need back to the system whenever it has little to do. V8 does that by itself
 * only on signs of memory pressure, which Node does not pass on; `last-resort` is one. The process stands still meanwhile,
 * 2.5 ms for each MiB in use.
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

/** For a processor: rarely, for a goal may come in the middle of it. */
export const PROCESSOR_LIMITS: CalmLimits = { calm: 0.02, worthBytes: 64 * 1024 * 1024 };
