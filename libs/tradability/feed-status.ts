/**
 * Whether a reader may act on a match, by the records of feed-health and the time, which is passed in. Words and reasons:
 * docs/guides/feed-health.md.
 */

/** The time, milliseconds, by two clocks of one machine. */
export type Now = {
  /** Since 1970; whoever sets the clock makes it step. */
  readonly wall: number;
  /** Since any moment; it never steps: `performance.now()`. */
  readonly steady: number;
};

/** State of a source, or of a match of a source. */
type HealthState = 'alive' | 'stale' | 'down' | 'recovering' | 'recovered' | 'ended';

/** The fields of a record of feed-health that the rule reads. All times are Unix milliseconds. */
export type HealthRecord = {
  readonly source: string;
  /** Null in the record of the source itself. */
  readonly event_id: number | null;
  readonly state: HealthState;
  readonly reason: string | null;
  readonly since: number;
  /** Counts the monitors that led. */
  readonly term: number;
  /** Of a source: from then on neither it nor its matches are alive. Null in the record of a match. */
  readonly valid_until: number | null;
  readonly written_at: number;
};

/** A record of a source with the steady time of its arrival. */
type Received = { readonly record: HealthRecord; readonly at: number };

/** The status of a source, or of a match, for readers now. */
export type FeedStatus = {
  readonly believed: boolean;
  /**
   * `alive` or `recovered` where `believed`; else why not: `stale`, `down`, `recovering`, `ended`; `expired`: feed-health
   * itself is silent, its present monitor has not judged this, or the reader's state of the match may be old; `unknown`: there
   * is no record.
   */
  readonly state: HealthState | 'expired' | 'unknown';
  readonly reason: string | null;
  /** Since when, Unix milliseconds; null where that is unknown. */
  readonly since: number | null;
  /** The source that this is of; null where there is none. */
  readonly source: string | null;
};

export type SourceFeedStatus = FeedStatus & { readonly source: string };

const UNKNOWN: FeedStatus = { believed: false, state: 'unknown', reason: null, since: null, source: null };

/** Whether a reader may act on a record of this state. */
export function isGoodState(state: FeedStatus['state']): boolean {
  return state === 'alive' || state === 'recovered';
}

/** What a reader knows of feed-health: the latest record of each key. */
export class HealthTable {
  readonly #sources = new Map<string, Received>();
  /** By event, then by source. */
  readonly #matches = new Map<number, Map<string, HealthRecord>>();

  /** Applies the next record of a key, `<source>` or `<source>/<event id>`, read at a steady time; null deletes the key. */
  apply(key: string, record: HealthRecord | null, at: Now['steady']): void {
    const slash = key.lastIndexOf('/');
    const source = slash === -1 ? key : key.slice(0, slash);
    if (slash === -1) {
      if (record === null) this.#sources.delete(source);
      else this.#sources.set(source, { record, at });
      return;
    }
    const eventId = Number(key.slice(slash + 1));
    const bySource = this.#matches.get(eventId) ?? new Map<string, HealthRecord>();
    if (record === null) bySource.delete(source);
    else bySource.set(source, record);
    if (bySource.size === 0) this.#matches.delete(eventId);
    else this.#matches.set(eventId, bySource);
  }

  /** The matches that any source has a record of. */
  events(): number[] {
    return [...this.#matches.keys()];
  }

  /** The status of each source, by name. */
  sources(now: Now): SourceFeedStatus[] {
    return [...this.#sources.values()]
      .map((received) => statusOfSource(received, now))
      .sort((a, b) => (a.source < b.source ? -1 : 1));
  }

  /** The status of a match: that of a good source where there is one. */
  match(eventId: number, now: Now): FeedStatus {
    const statuses = [...(this.#matches.get(eventId) ?? [])].map(([source, match]) =>
      statusOfMatch(this.#sources.get(source), match, now),
    );
    return statuses.find(({ believed }) => believed) ?? latest(statuses) ?? UNKNOWN;
  }
}

function statusOfSource({ record, at }: Received, { wall, steady }: Now): SourceFeedStatus {
  const { source, valid_until, written_at } = record;
  const expired = { believed: false, state: 'expired', reason: null, source } as const;
  if (valid_until === null) return { ...expired, since: null };
  // Nobody renews it: the monitor is dead, or nothing can be published. By both clocks: the wall clock sees a record that was read
  // late, the steady one is right where the monitor's clock and the reader's differ or step.
  if (wall < valid_until && steady - at < valid_until - written_at) return { ...statusOf(record), source };
  return { ...expired, since: Math.min(valid_until, wall) };
}

/** What one source says of a match. */
function statusOfMatch(source: Received | undefined, match: HealthRecord, now: Now): FeedStatus {
  if (match.state === 'ended') return statusOf(match);
  if (source === undefined) return { ...UNKNOWN, source: match.source };
  const inSource = statusOfSource(source, now);
  if (inSource.state === 'expired') return inSource;
  // The monitor that leads now has not judged it.
  if (match.term < source.record.term)
    return { ...statusOf(match), believed: false, state: 'expired', reason: null };
  return inSource.believed || !isGoodState(match.state) ? statusOf(match) : inSource;
}

function statusOf({ source, state, reason, since }: HealthRecord): FeedStatus {
  return { believed: isGoodState(state), state, reason, since, source };
}

/** The status that changed last. */
function latest(statuses: readonly FeedStatus[]): FeedStatus | undefined {
  return statuses.toSorted((a, b) => (b.since ?? 0) - (a.since ?? 0))[0];
}
