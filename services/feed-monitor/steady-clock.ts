import { TouchlineError } from '#errors/touchline-error.ts';
import { type MachineClock, machineClock } from '#timing/clock.ts';

/** How far the machine's clock may be from the steady one before that is a step, milliseconds. */
const STEP_MS = 1_000;
/** How much of a difference is made up for at once, so that a clock that is slewed is followed. */
const FOLLOW = 0.1;

/** The machine's clock was set to another time. */
export class ClockStepError extends TouchlineError<'ClockStepError'> {
  override readonly name = 'ClockStepError';

  constructor(byMs: number) {
    super('CLOCK_STEP', `the clock of this machine was set by ${Math.round(byMs)} ms`);
  }
}

type ClockSource = Pick<MachineClock, 'monotonic' | 'unix'>;

/** Unix time that never goes back: the machine's, carried on by its monotonic clock. */
export class SteadyClock {
  readonly #source: ClockSource;
  #offset: number;
  #last: number;

  constructor(source: ClockSource = machineClock) {
    this.#source = source;
    this.#last = source.unix();
    this.#offset = this.#last - source.monotonic();
  }

  /** Unix milliseconds. Throws `ClockStepError` where the machine's clock was set. */
  now(): number {
    const monotonic = this.#source.monotonic();
    const ahead = this.#source.unix() - (monotonic + this.#offset);
    if (Math.abs(ahead) > STEP_MS) throw new ClockStepError(ahead);
    this.#offset += ahead * FOLLOW;
    this.#last = Math.max(this.#last, Math.floor(monotonic + this.#offset));
    return this.#last;
  }
}
