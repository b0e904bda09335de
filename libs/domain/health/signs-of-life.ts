/** How old content is when it arrives (docs/decisions/0080). All times are Unix milliseconds, and are passed in. */

/** Minimum time for which a measured clock counts, milliseconds. */
const MEASURED_MS = 600_000;

/** How far the clock of a provider is ahead of ours, as its keep-alives of the last ten to twenty minutes show. */
export class ProviderClock {
  #since = Number.NEGATIVE_INFINITY;
  #before = 0;
  #now = 0;

  /** At least so many milliseconds; 0 where nothing was measured. Behind cannot be measured: a delay looks the same. */
  get ahead(): number {
    return Math.max(this.#before, this.#now);
  }

  /** Applies a keep-alive, unless it is ahead by more than `maxLeadMs`: what no content may be, no clock is corrected by. */
  measure({ contentAt, receivedAt }: ContentReceipt, maxLeadMs: number): void {
    if (contentAt - receivedAt > maxLeadMs) return;
    if (receivedAt - this.#since >= MEASURED_MS) {
      this.#before = receivedAt - this.#since < 2 * MEASURED_MS ? this.#now : 0;
      this.#now = 0;
      this.#since = receivedAt;
    }
    this.#now = Math.max(this.#now, contentAt - receivedAt);
  }
}

/** A message or an answer: when its content was true by the provider's clock, and when it was received. */
export type ContentReceipt = { readonly contentAt: number; readonly receivedAt: number };

/** Content whose age on arrival is too large, or unknown. */
export type LateContent = {
  /** `delay`: it is old. `clock`: it is further ahead of our clock than clocks differ, so its age is unknown. */
  readonly reason: 'delay' | 'clock';
  readonly receivedAt: number;
};

/** The newest content as a record of feed-health has it. */
type RecordedSigns = {
  readonly heardAt: number;
  readonly delay: number | null;
  /** When content was received last, as far as the record says. */
  readonly receivedAt: number;
};

/** The newest content of a source, or of a match under it. Content that is not newer than all before is no sign of life. */
export class SignsOfLife {
  readonly #maxDelayMs: number;
  /** Time of the newest content, at most its receipt; 0 before any. */
  heardAt: number;
  /** Age of that content on its arrival, or of older one that came too late since, milliseconds; of the reason `clock` the negative lead. Null before any. */
  delay: number | null;
  /** Set while what came last, apart from repetitions, came too late. */
  late: LateContent | null;
  /** The first sign of life since it was last believed; null if none came. */
  backAt: number | null = null;

  /** `maxDelayMs`: maximum distance of content from its receipt. `known`: what a record has. */
  constructor(maxDelayMs: number, known: RecordedSigns = { heardAt: 0, delay: null, receivedAt: 0 }) {
    const { heardAt, delay, receivedAt } = known;
    this.#maxDelayMs = maxDelayMs;
    this.heardAt = heardAt;
    this.delay = delay;
    const age = delay ?? 0;
    const reason = age < 0 ? 'clock' : age > maxDelayMs ? 'delay' : null;
    this.late = reason && { reason, receivedAt };
  }

  /** Where a gap begins that opens now. */
  get lastAt(): number {
    return this.heardAt === 0 ? (this.late?.receivedAt ?? 0) : this.heardAt;
  }

  /**
   * Applies content. `ahead`: of its provider's clock. `isBelieved`: whether its source or match is. Returns whether it is a sign of
   * life: newer than all before, and fresh.
   */
  note({ contentAt, receivedAt }: ContentReceipt, ahead = 0, isBelieved = true): boolean {
    const max = this.#maxDelayMs;
    const lead = contentAt - receivedAt;
    if (lead > max) {
      // One record of a wrong clock among others says nothing of them.
      if (receivedAt - this.heardAt >= max) {
        this.late = { reason: 'clock', receivedAt };
        this.delay = -lead;
      }
      return false;
    }
    const at = Math.min(contentAt - ahead, receivedAt);
    const age = receivedAt - at;
    // A repetition of old content says nothing while there is fresh one.
    if (at <= this.heardAt && (at === this.heardAt || receivedAt - this.heardAt <= max)) return false;
    this.heardAt = Math.max(this.heardAt, at);
    this.delay = age;
    this.late = age > max ? { reason: 'delay', receivedAt } : null;
    // A new monitor reads again messages from before the silence: they are not newer.
    if (this.late === null && !isBelieved) this.backAt ??= this.heardAt;
    return this.late === null;
  }
}
