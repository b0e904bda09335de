import { EventQueue } from './event-queue.ts';
import { runMicrotasks } from './microtasks.ts';
import { Random } from './random.ts';

/** An operating system process of the simulation: what it awaits is delivered by the world, or never. */
export type Process = {
  readonly name: string;
  readonly world: World;
  /** False once it was killed: nothing is delivered to it any more. */
  isAlive: boolean;
  /** Stopped as by SIGSTOP until then; its deliveries wait. */
  pausedUntil: number;
  /** Pauses for so long when it sends its next request, or its next one of this name; null for no pause. */
  pauseAtRequest: { readonly ms: number; readonly name: string | null } | null;
  /** What its wall clock is ahead of the world, milliseconds. */
  wallOffsetMs: number;
};

/** Unix time at the beginning of every world. */
const BEGIN_UNIX_MS = Date.UTC(2026, 5, 11);

let running: Process | null = null;

/** The process whose code runs now. Throws outside of all. */
export function currentProcess(): Process {
  if (running === null) throw new Error('no process of the simulation runs');
  return running;
}

/**
 * Virtual time and the one queue of everything that happens. One event at a time: it settles promises of one process, whose
 * code then runs until it waits again. So a seed decides every interleaving of awaits.
 */
export class World {
  readonly random: Random;
  readonly #queue = new EventQueue<Process>();
  /** Lines of what happened; null where nobody reads them. */
  readonly history: string[] | null;
  /** Milliseconds since its beginning. */
  now = 0;
  /** Events so far. */
  steps = 0;

  constructor(seed: number, records: boolean) {
    this.random = new Random(seed);
    this.history = records ? [] : null;
  }

  /** Adds a line to the history. `who` acts: a process, a broker, or the world. */
  note(who: string, text: string): void {
    this.history?.push(`${this.now.toFixed(3).padStart(10)}  ${who.padEnd(10)}  ${text}`);
  }

  start(name: string): Process {
    return { name, world: this, isAlive: true, pausedUntil: 0, pauseAtRequest: null, wallOffsetMs: 0 };
  }

  unixMs(): number {
    return BEGIN_UNIX_MS + Math.floor(this.now);
  }

  /** Something that happens to the cluster or the world: no code of a process runs by it. */
  after(ms: number, run: () => void): { run: (() => void) | null } {
    return this.#queue.add(this.now + ms, null, run);
  }

  /** Something that reaches a process. */
  deliver(process: Process, ms: number, run: () => void): { run: (() => void) | null } {
    return this.#queue.add(this.now + ms, process, run);
  }

  /** Calls code of a process outside of its events, at the start of the process. */
  runAs(process: Process, run: () => void): void {
    const before = running;
    running = process;
    try {
      run();
    } finally {
      running = before;
    }
  }

  /** Lets everything happen up to a time, to which the clock moves. */
  async runUntil(ms: number): Promise<void> {
    await this.run(() => (this.#queue.nextAt ?? Number.POSITIVE_INFINITY) > ms);
    if (this.now < ms) this.now = ms;
  }

  /** Lets everything happen until `isOver`, or until nothing is left to happen. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      // Microtasks are run here, so this is none.
      setImmediate(() => {
        try {
          this.#run(isOver);
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #run(isOver: () => boolean): void {
    while (!isOver()) {
      const event = this.#queue.take();
      if (event === undefined) return;
      const { process, run } = event;
      if (run === null) continue;
      if (event.at > this.now) this.now = event.at;
      if (process === null) {
        this.steps += 1;
        run();
        continue;
      }
      if (!process.isAlive) continue;
      if (process.pausedUntil > this.now) {
        this.#queue.postpone(event, process.pausedUntil);
        continue;
      }
      this.steps += 1;
      running = process;
      run();
      runMicrotasks();
      running = null;
    }
  }
}
