/** The timers and clocks of the running simulated process. They replace Node's in libs (test/simulation/harness/substitutes.ts). */
import { currentProcess } from './world.ts';

/** Replaces `NodeJS.Timeout`. `unref` has no effect, as timers do not keep a simulated process running. */
class Timer {
  readonly #event: { run: (() => void) | null };

  constructor(event: { run: (() => void) | null }) {
    this.#event = event;
  }

  clear(): void {
    this.#event.run = null;
  }

  unref(): this {
    return this;
  }
}

export const performance = { now: (): number => currentProcess().world.now };

const SimulatedDate = {
  now(): number {
    const { world, wallOffsetMs } = currentProcess();
    return world.unixMs() + wallOffsetMs;
  },
};

export { SimulatedDate as Date };

export function setTimeout(callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): Timer {
  const process = currentProcess();
  return new Timer(process.world.deliver(process, Math.max(ms, 0), () => callback(...args)));
}

export function clearTimeout(timer: Timer | undefined): void {
  timer?.clear();
}

/** Replaces `setTimeout` of node:timers/promises. */
export function delay<T>(ms: number, value?: T, options: { readonly signal?: AbortSignal } = {}): Promise<T> {
  const { signal } = options;
  return new Promise<T>((resolve, reject) => {
    if (signal?.aborted === true) return reject(aborted());
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(aborted());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve(value as T);
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function aborted(): Error {
  return Object.assign(new Error('The operation was aborted'), { name: 'AbortError' });
}
