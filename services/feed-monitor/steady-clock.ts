import { defineError } from '#errors/touchline-error.ts';
import { type MachineClock, machineClock } from '#timing/clock.ts';

/** Difference between the machine's clock and the steady one above which the machine's clock was set. */
const STEP_MS = 1_000;
/** Share of the difference that each reading corrects, so that a slewed clock is followed. */
const CORRECTION = 0.1;

/** Thrown when the machine's clock was set to another time. */
export class ClockStepError extends defineError('ClockStepError', (byMs: number) => [
  'CLOCK_STEP',
  `the clock of this machine was set by ${Math.round(byMs)} ms`,
]) {}

type ClockSource = Pick<MachineClock, 'monotonic' | 'unix'>;

/** A clock of Unix time that never goes back: it advances with the monotonic clock and follows the machine's clock slowly. */
export class SteadyClock {
  readonly #source: ClockSource;
  #offset: number;
  #last: number;

  constructor(source: ClockSource = machineClock) {
    this.#source = source;
    this.#last = source.unix();
    this.#offset = this.#last - source.monotonic();
  }

  /** Returns the time, Unix milliseconds. Throws `ClockStepError` when the machine's clock was set. */
  now(): number {
    const monotonic = this.#source.monotonic();
    const ahead = this.#source.unix() - (monotonic + this.#offset);
    if (Math.abs(ahead) > STEP_MS) throw new ClockStepError(ahead);
    this.#offset += ahead * CORRECTION;
    this.#last = Math.max(this.#last, Math.floor(monotonic + this.#offset));
    return this.#last;
  }
}
