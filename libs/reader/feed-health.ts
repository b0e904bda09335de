import type { FeedHealthRecord } from './records.ts';

/** Whether and why a match may be believed. */
export type Belief = {
  readonly believed: boolean;
  /**
   * `alive` or `recovered` where it is believed; else why not: `stale`, `down`, `recovering`, `ended`; `expired`: nobody watches
   * it any more; `unknown`: there is no record.
   */
  readonly state: string;
  /** Why it is stale, down or recovering; null without a reason. */
  readonly reason: string | null;
  /** Since when, Unix milliseconds; null where that is unknown. */
  readonly since: number | null;
  /** The source that this is of; null where there is none. */
  readonly source: string | null;
};

const UNKNOWN: Belief = { believed: false, state: 'unknown', reason: null, since: null, source: null };
const GOOD: ReadonlySet<string> = new Set(['alive', 'recovered']);

/** The latest records of `feed-health`, and the rule by which a match may be believed. */
export class FeedHealth {
  readonly #sources = new Map<string, FeedHealthRecord>();
  /** By event, then by source. */
  readonly #matches = new Map<number, Map<string, FeedHealthRecord>>();

  /**
   * Applies a record: the later one of a key stands. `key` is its text, `<source>` or `<source>/<event id>`; a value of null deletes
   * it.
   */
  apply(key: string, value: FeedHealthRecord | null): void {
    const slash = key.lastIndexOf('/');
    if (slash === -1) {
      if (value === null) this.#sources.delete(key);
      else this.#sources.set(key, value);
      return;
    }
    const [source, eventId] = [key.slice(0, slash), Number(key.slice(slash + 1))];
    const bySource = this.#matches.get(eventId) ?? new Map<string, FeedHealthRecord>();
    if (value === null) bySource.delete(source);
    else bySource.set(source, value);
    if (bySource.size === 0) this.#matches.delete(eventId);
    else this.#matches.set(eventId, bySource);
  }

  /** Whether a match may be believed at `now`, Unix milliseconds: one source that may be is enough. */
  belief(eventId: number, now: number): Belief {
    let best = UNKNOWN;
    for (const [source, match] of this.#matches.get(eventId) ?? []) {
      const belief = beliefOf(this.#sources.get(source), match, now);
      if (belief.believed) return belief;
      // Of several that are not believed, the one that was so for the shortest time.
      if (best === UNKNOWN || (belief.since ?? 0) > (best.since ?? 0)) best = belief;
    }
    return best;
  }
}

function beliefOf(source: FeedHealthRecord | undefined, match: FeedHealthRecord, now: number): Belief {
  if (match.state === 'ended') return recorded(match);
  if (source === undefined) return { ...UNKNOWN, source: match.source };
  if (source.valid_until === null || now >= source.valid_until)
    return {
      believed: false,
      state: 'expired',
      reason: null,
      since: source.valid_until,
      source: source.source,
    };
  // The monitor that leads now has not judged it.
  if (match.term < source.term)
    return { ...recorded(match), believed: false, state: 'expired', reason: null };
  return GOOD.has(source.state) || !GOOD.has(match.state) ? recorded(match) : recorded(source);
}

function recorded({ source, state, reason, since }: FeedHealthRecord): Belief {
  return { believed: GOOD.has(state), state, reason, since, source };
}
