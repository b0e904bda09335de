import { INTERRUPTED_MS } from './limits.ts';
/** An offset, and when its record was received, Unix milliseconds. */
export type AppliedStep = { readonly offset: number; readonly at: number };

/** One record in so many milliseconds is remembered by its time: what lies between counts as old as the one before. */
const STEP_MS = 250;
/** Steps that are kept; of more, every second one is forgotten. */
const MAX_STEPS = 4_096;

/**
 * How far match state is behind in one partition of its input: which records it has applied, and when the first one that it has
 * not was received.
 */
export class AppliedPosition {
  readonly #readFrom: AppliedStep;
  #next: number;
  /** After the last record that was read. */
  #end: number;
  #steps: AppliedStep[];

  /**
   * `next`: offset of the first record that is not applied. `readFrom`: what is read first, and a time before it was received: what
   * lies before it and is not applied is never read, and counts as received then.
   */
  constructor(next: number, readFrom: AppliedStep) {
    this.#readFrom = readFrom;
    this.#next = next;
    this.#end = readFrom.offset;
    this.#steps = [{ offset: next, at: readFrom.at }];
  }

  /** Offset of the first record that is not applied. */
  get next(): number {
    return this.#next;
  }

  /** What a match of this partition may have that is neither read nor applied: its last offset, and when it came. */
  get neverRead(): AppliedStep | null {
    const { offset, at } = this.#readFrom;
    return this.#next < offset ? { offset: offset - 1, at } : null;
  }

  /** When the first record that is not applied was received, at the earliest, Unix milliseconds; null where all is. */
  get waitingSince(): number | null {
    return this.#next < this.#end ? (this.#steps[0]?.at ?? null) : null;
  }

  /** A record was read, received at `at`, Unix milliseconds. */
  read(offset: number, at: number): void {
    if (this.#next >= this.#end) this.#steps = [];
    this.#end = Math.max(this.#end, offset + 1);
    const last = this.#steps.at(-1);
    if (last !== undefined && at - last.at < STEP_MS) return;
    this.#steps.push({ offset, at });
    if (this.#steps.length > MAX_STEPS) this.#steps = this.#steps.filter((_, index) => index % 2 === 0);
  }

  /** Everything before `next` is applied. A position that went back is one of state that is rebuilt. */
  applied(next: number): void {
    this.#next = next;
    const current = this.#steps.findLastIndex(({ offset }) => offset <= next);
    if (current > 0) this.#steps.splice(0, current);
  }
}

/** How far a partition is read, by time. All times are Unix milliseconds. */
export class ReadProgress {
  #to = Number.NEGATIVE_INFINITY;
  #since = Number.NEGATIVE_INFINITY;

  /** Everything written by that moment is read. */
  get to(): number {
    return this.#to;
  }

  /** The start of the current uninterrupted reading. */
  get since(): number {
    return this.#since;
  }

  /** Everything written by `at` is read. */
  advance(at: number): void {
    if (at - this.#to > INTERRUPTED_MS) this.#since = at;
    this.#to = Math.max(this.#to, at);
  }
}
