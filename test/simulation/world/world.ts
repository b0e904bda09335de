import { setFlagsFromString } from 'node:v8';
import { EventQueue } from './event-queue.ts';
import { Random } from './random.ts';

setFlagsFromString('--allow-natives-syntax');

/**
 * Runs all microtasks, including those that they queue, without a turn of the event loop. Has no effect within a microtask. V8 offers
 * no other way from JavaScript; Node's `runMicrotasks` is in an internal module.
 */
const runMicrotasks = new Function('%PerformMicrotaskCheckpoint()') as () => void;

/** A simulated operating system process. The world delivers the events that it awaits, or never. */
export type Process = {
  readonly name: string;
  readonly world: World;
  /** False once it was killed; then nothing is delivered to it. */
  isAlive: boolean;
  /** End of a pause like SIGSTOP; events wait until then. */
  pausedUntil: number;
  /** A pause at the next request, or at the next request called `name`; null for no pause. */
  pauseAtRequest: { readonly ms: number; readonly name: string | null } | null;
  /** How far the process's wall clock is ahead of the world, milliseconds. */
  wallOffsetMs: number;
};

/** Unix time at the start of every world. */
const BEGIN_UNIX_MS = Date.UTC(2026, 5, 11);

let running: Process | null = null;

/** Returns the process whose code runs now. Throws when none runs. */
export function currentProcess(): Process {
  if (running === null) throw new Error('no process of the simulation runs');
  return running;
}

/**
 * Virtual time and the queue of all events. The world runs one event at a time: it settles promises of one process, whose code then
 * runs until it waits again. So a seed decides every interleaving of awaits.
 */
export class World {
  readonly random: Random;
  readonly #queue = new EventQueue<Process>();
  /** Lines of the history; null unless requested. */
  readonly history: string[] | null;
  /** Milliseconds since the start. */
  now = 0;
  /** Number of events so far. */
  steps = 0;

  constructor(seed: number, records: boolean) {
    this.random = new Random(seed);
    this.history = records ? [] : null;
  }

  /** Adds a line to the history. `who`: the process, the broker, or the world that acts. */
  note(who: string, text: string): void {
    this.history?.push(`${this.now.toFixed(3).padStart(10)}  ${who.padEnd(10)}  ${text}`);
  }

  start(name: string): Process {
    return { name, world: this, isAlive: true, pausedUntil: 0, pauseAtRequest: null, wallOffsetMs: 0 };
  }

  unixMs(): number {
    return BEGIN_UNIX_MS + Math.floor(this.now);
  }

  /** Schedules an event of the cluster or the world, which runs no code of a process. */
  after(ms: number, run: () => void): { run: (() => void) | null } {
    return this.#queue.add(this.now + ms, null, run);
  }

  /** Schedules an event of a process. */
  deliver(process: Process, ms: number, run: () => void): { run: (() => void) | null } {
    return this.#queue.add(this.now + ms, process, run);
  }

  /** Calls code of a process outside of its events. */
  runAs<T>(process: Process, run: () => T): T {
    const before = running;
    running = process;
    try {
      return run();
    } finally {
      running = before;
    }
  }

  /** Runs all events up to a time, and moves the clock to it. */
  async runUntil(ms: number): Promise<void> {
    await this.run(() => (this.#queue.nextAt ?? Number.POSITIVE_INFINITY) > ms);
    if (this.now < ms) this.now = ms;
  }

  /** Runs events until `isOver` returns true, or none is left. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      // `runMicrotasks` has no effect within a microtask, so this runs outside of one.
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
