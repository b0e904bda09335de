/** An offset, and when its record was received, Unix milliseconds. */
type AppliedStep = { readonly offset: number; readonly at: number };

/** Interval between records whose time is remembered. A record in between counts as old as the remembered one before it. */
const STEP_MS = 250;
/** Maximum number of remembered steps; above it, every second one is forgotten. */
const MAX_STEPS = 4_096;
/** A longer pause interrupts the reading (docs/decisions/0080): messages that could not be written then are not missing. */
const INTERRUPTED_MS = 2_000;

/** How far match state is behind in one partition of its input: its position, and the time of the first record not applied. */
export class AppliedPosition {
  readonly #readFrom: AppliedStep;
  /** Offset of the first record that is not applied. */
  next: number;
  /** After the last record that was read. */
  #end: number;
  #steps: AppliedStep[];

  /** `next`: the first offset not applied. `readFrom`: the first to be read; earlier ones count as received at its time. */
  constructor(next: number, readFrom: AppliedStep) {
    this.#readFrom = readFrom;
    this.next = next;
    this.#end = readFrom.offset;
    this.#steps = [{ offset: next, at: readFrom.at }];
  }

  /** The last record that is neither read nor applied, of which any match may have one, and its time; null if there is none. */
  get neverRead(): AppliedStep | null {
    const { offset, at } = this.#readFrom;
    return this.next < offset ? { offset: offset - 1, at } : null;
  }

  /** Earliest time at which the first record not applied was received, Unix milliseconds; null when all are applied. */
  get waitingSince(): number | null {
    return this.next < this.#end ? (this.#steps[0]?.at ?? null) : null;
  }

  /** Notes that a record was read, which was received at `at`, Unix milliseconds. */
  read(offset: number, at: number): void {
    if (this.next >= this.#end) this.#steps = [];
    this.#end = Math.max(this.#end, offset + 1);
    const last = this.#steps.at(-1);
    if (last !== undefined && at - last.at < STEP_MS) return;
    this.#steps.push({ offset, at });
    if (this.#steps.length > MAX_STEPS) this.#steps = this.#steps.filter((_, index) => index % 2 === 0);
  }

  /** Notes that everything before `next` is applied. The position goes back when state is rebuilt. */
  applied(next: number): void {
    this.next = next;
    const current = this.#steps.findLastIndex(({ offset }) => offset <= next);
    // Removes none where `current` is -1.
    this.#steps.splice(0, current);
  }
}

/** How far a partition is read, by time. All times are Unix milliseconds. */
export class ReadProgress {
  /** Everything written until then is read. */
  to = Number.NEGATIVE_INFINITY;
  /** The start of the current uninterrupted reading. */
  since = Number.NEGATIVE_INFINITY;

  /** Notes that everything written until `at` is read. */
  advance(at: number): void {
    if (at - this.to > INTERRUPTED_MS) this.since = at;
    this.to = Math.max(this.to, at);
  }
}
