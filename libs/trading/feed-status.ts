/** Decides whether a reader may act on a match, by feed-health and the time that callers pass (docs/guides/feed-health.md). */

/** The header of an answer or a webhook with the state of feeds: an addition to the contract, whose bodies cannot carry it. */
export const HEALTH_HEADER = 'X-Feed-Health';

/** The time by two clocks of one machine, milliseconds. */
export type Now = {
  /** Since 1970: `Date.now()`. Steps when the clock is set. */
  readonly wall: number;
  /** Since any moment: `performance.now()`. Never steps. */
  readonly steady: number;
};

type HealthState = 'alive' | 'stale' | 'delayed' | 'down' | 'recovering' | 'recovered' | 'ended';

/** The fields that readers need of a feed-health record. All times are Unix milliseconds. */
export type HealthRecord = {
  readonly source: string;
  /** Null in the record of the source itself. */
  readonly event_id: number | null;
  readonly state: HealthState;
  readonly reason: string | null;
  readonly since: number;
  /** How old the newest content was when it was received, milliseconds. Negative of the reason `clock`: so far ahead of our clock. */
  readonly delay: number | null;
  /** The time of its newest content, to within a second; null before the first message. */
  readonly heard_at: number | null;
  /** Of a match: whether silence counts, and since when. */
  readonly clock_runs: boolean;
  readonly clock_since: number | null;
  /** The term of the monitor that wrote it: the number of monitors that have led. */
  readonly term: number;
  /** From then on neither the source nor its matches are alive. Null in the record of a match. */
  readonly valid_until: number | null;
  readonly written_at: number;
};

/** A reader's own limits, in seconds. Where one is left out, the platform's holds. */
export type ReaderLimits = {
  /** Time since the newest content of a match whose clock runs. */
  readonly maxAgeSeconds?: number | undefined;
  /** Age of the newest content of a match at its receipt. */
  readonly maxDelaySeconds?: number | undefined;
};

/** The platform's limits where nobody changes them, seconds: a reader may ask for less, never for more. */
const MAX_LIMIT_S = 20;

/** Returns what is wrong with a limit of a reader; null if nothing is. */
export function limitProblem(seconds: number): string | null {
  if (seconds > 0 && seconds <= MAX_LIMIT_S) return null;
  return `must be more than 0 and at most ${MAX_LIMIT_S} seconds: a reader may only be stricter than the platform`;
}

/** A record, and when it was read, by the steady clock. */
type ReceivedRecord<R extends HealthRecord = HealthRecord> = { readonly record: R; readonly at: number };

/** The current status of a source or of a match. */
export type FeedStatus = {
  readonly believed: boolean;
  /**
   * `alive` or `recovered` if `believed`; else `stale`, `delayed`, `down`, `recovering` or `ended`; `expired`: feed-health itself is silent,
   * its current monitor has not judged the match, or the reader's state of the match may be old; `unknown`: there is no record.
   */
  readonly state: HealthState | 'expired' | 'unknown';
  readonly reason: string | null;
  /** Since when, Unix milliseconds; null if unknown. */
  readonly since: number | null;
  /** As of the record, of any state; null if unknown or expired. */
  readonly delay: number | null;
  readonly source: string | null;
};

export type SourceFeedStatus = FeedStatus & { readonly source: string };

export const UNKNOWN: FeedStatus = {
  believed: false,
  state: 'unknown',
  reason: null,
  since: null,
  delay: null,
  source: null,
};

/** Whether a reader may act on a record of this state. */
export function isBelieved(state: FeedStatus['state']): boolean {
  return state === 'alive' || state === 'recovered';
}

/** The latest feed-health record of each key. */
export class HealthTable<R extends HealthRecord = HealthRecord> {
  readonly #sources = new Map<string, ReceivedRecord<R>>();
  /** Records by event id, then by source. */
  readonly #matches = new Map<number, Map<string, ReceivedRecord<R>>>();
  readonly #limits: ReaderLimits;

  /** Throws `RangeError` for limits that are not stricter than the platform's. */
  constructor(limits: ReaderLimits = {}) {
    for (const name of ['maxAgeSeconds', 'maxDelaySeconds'] as const) {
      const problem = limits[name] === undefined ? null : limitProblem(limits[name]);
      if (problem !== null) throw new RangeError(`${name} ${problem}; it is ${limits[name]}`);
    }
    this.#limits = limits;
  }

  /** Applies the next record of a key, `<source>` or `<source>/<event id>`; null deletes the key. `at`: when it was read. */
  apply(key: string, record: R | null, at: Now['steady']): void {
    const slash = key.lastIndexOf('/');
    const source = slash === -1 ? key : key.slice(0, slash);
    const eventId = slash === -1 ? null : Number(key.slice(slash + 1));
    const bySource = (eventId === null ? this.#sources : this.#matches.get(eventId)) ?? new Map();
    if (record === null) bySource.delete(source);
    else bySource.set(source, { record, at });
    if (eventId === null) return;
    if (bySource.size === 0) this.#matches.delete(eventId);
    else this.#matches.set(eventId, bySource);
  }

  events(): number[] {
    return [...this.#matches.keys()];
  }

  records(eventId: number): R[] {
    const received = [...this.#sources.values(), ...(this.#matches.get(eventId)?.values() ?? [])];
    return received.map(({ record }) => record);
  }

  sources(now: Now): SourceFeedStatus[] {
    return [...this.#sources.values()]
      .map((received) => statusOfSource(received, now))
      .sort((a, b) => (a.source < b.source ? -1 : 1));
  }

  /** Returns a match's status under a believed source, else the one that changed last. `limits`: in place of the table's. */
  match(eventId: number, now: Now, limits: ReaderLimits = this.#limits): FeedStatus {
    const statuses = [...(this.#matches.get(eventId) ?? [])].map(([source, match]) =>
      within(limits, statusOfMatch(this.#sources.get(source), match.record, now), match, now),
    );
    const [latest = UNKNOWN] = statuses.toSorted((a, b) => (b.since ?? 0) - (a.since ?? 0));
    return statuses.find(({ believed }) => believed) ?? latest;
  }
}

function statusOfSource({ record, at }: ReceivedRecord, { wall, steady }: Now): SourceFeedStatus {
  const { source, valid_until, written_at } = record;
  const expired = { believed: false, state: 'expired', reason: null, delay: null, source } as const;
  if (valid_until === null) return { ...expired, since: null };
  // A record expires when no monitor renews it, by both clocks: the wall clock notices a record that was read late; the steady
  // clock is right when the clocks of monitor and reader differ or step.
  if (wall < valid_until && steady - at < valid_until - written_at) return { ...statusOf(record), source };
  return { ...expired, since: Math.min(valid_until, wall) };
}

function statusOfMatch(source: ReceivedRecord | undefined, match: HealthRecord, now: Now): FeedStatus {
  if (match.state === 'ended') return statusOf(match);
  if (source === undefined) return { ...UNKNOWN, source: match.source };
  const inSource = statusOfSource(source, now);
  if (inSource.state === 'expired') return inSource;
  // The current monitor has not judged the match.
  if (match.term < source.record.term)
    return { ...statusOf(match), believed: false, state: 'expired', reason: null, delay: null };
  return inSource.believed || !isBelieved(match.state) ? statusOf(match) : inSource;
}

/** Returns the status of a match, not believed where its content is older than a reader's limits allow. */
function within(
  { maxAgeSeconds = Number.POSITIVE_INFINITY, maxDelaySeconds = Number.POSITIVE_INFINITY }: ReaderLimits,
  status: FeedStatus,
  { record, at }: ReceivedRecord,
  { wall, steady }: Now,
): FeedStatus {
  const { delay, heard_at, clock_runs, clock_since, written_at } = record;
  if (!status.believed) return status;
  if (delay !== null && delay > maxDelaySeconds * 1_000)
    return { ...status, believed: false, state: 'delayed', reason: 'delay', since: written_at };
  if (!clock_runs || heard_at === null) return status;
  const silentFrom = Math.max(heard_at, clock_since ?? 0);
  const due = silentFrom + maxAgeSeconds * 1_000;
  // By both clocks, as a source's record expires.
  if (wall <= due && written_at + steady - at <= due) return status;
  return { ...status, believed: false, state: 'stale', reason: 'silence', since: due };
}

function statusOf({ source, state, reason, since, delay }: HealthRecord): FeedStatus {
  return { believed: isBelieved(state), state, reason, since, delay, source };
}
