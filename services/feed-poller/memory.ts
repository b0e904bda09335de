/** Keeps the process small between matches: V8 and malloc keep what a tournament needed, and give none of it back. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** By how much the heap may grow before it is collected, in percent of what is in use: docs/performance.md. */
const HEAP_GROWING_PERCENT = 30;
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

/** Below this share of a core the process has little to do. */
const CALM = 0.05;
/** It is worth a collection where this much came since the last one, bytes. */
const WORTH_BYTES = 8 * 1024 * 1024;

/** Says when memory is to be given back: in a calm stretch, and where there is more of it than after the last time. */
export class CalmRule {
  #last: Usage | null = null;
  #after = 0;

  /** Whether to collect now. */
  isDue(usage: Usage): boolean {
    const { at, cpuMs, resident } = usage;
    const last = this.#last;
    this.#last = usage;
    if (last === null || (cpuMs - last.cpuMs) / (at - last.at) >= CALM) return false;
    return resident > this.#after + WORTH_BYTES;
  }

  /** What is resident after a collection, bytes. */
  collected(resident: number): void {
    this.#after = resident;
  }
}

/**
 * Lets the heap of this process grow less, and gives the pages of it back to the system whenever there is little to do.
 * V8 does that by itself only on signs of memory pressure, which Node does not pass on; `last-resort` is one.
 */
export function keepProcessSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  const rule = new CalmRule();
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
