/** The rule of readers of feed-health: docs/guides/feed-health.md. */
import type { FeedHealth } from '#topics/generated/types.ts';
import { isGoodState } from './verdict.ts';

/** What a reader needs of a record. */
export type HealthRecord = Pick<FeedHealth, 'source' | 'state' | 'reason' | 'since' | 'term' | 'valid_until'>;

/** Whether and why something may be believed. */
export type Belief = {
  readonly believed: boolean;
  /**
   * `alive` or `recovered` where it is believed; else why not: `stale`, `down`, `recovering`, `ended`; `expired`: nobody watches
   * it any more; `unknown`: there is no record.
   */
  readonly state: HealthRecord['state'] | 'expired' | 'unknown';
  readonly reason: string | null;
  /** Since when, Unix milliseconds; null where that is unknown. */
  readonly since: number | null;
  /** The source that this is of; null where there is none. */
  readonly source: string | null;
};

const UNKNOWN: Belief = { believed: false, state: 'unknown', reason: null, since: null, source: null };

/** Whether a source may be believed at `now`, Unix milliseconds. */
export function beliefInSource(source: HealthRecord, now: number): Belief {
  const { valid_until, state, reason, since } = source;
  const expired = valid_until === null || now >= valid_until;
  if (expired)
    return { believed: false, state: 'expired', reason: null, since: valid_until, source: source.source };
  return { believed: isGoodState(state), state, reason, since, source: source.source };
}

/** Whether what a source says of a match may be believed at `now`, Unix milliseconds. */
function beliefInMatchOf(source: HealthRecord, match: HealthRecord, now: number): Belief {
  if (match.state === 'ended') return beliefOf(match);
  const inSource = beliefInSource(source, now);
  if (inSource.state === 'expired') return inSource;
  // The monitor that leads now has not judged it.
  if (match.term < source.term)
    return { ...beliefOf(match), believed: false, state: 'expired', reason: null };
  return inSource.believed || !isGoodState(match.state) ? beliefOf(match) : inSource;
}

/**
 * Whether a match may be believed at `now`, Unix milliseconds: one source that may be is enough. Each pair is a source's record and
 * that of the match under it.
 */
export function beliefInMatch(
  pairs: readonly { readonly source: HealthRecord; readonly match: HealthRecord }[],
  now: number,
): Belief {
  const beliefs = pairs.map(({ source, match }) => beliefInMatchOf(source, match, now));
  return beliefs.find(({ believed }) => believed) ?? latest(beliefs) ?? UNKNOWN;
}

function beliefOf({ source, state, reason, since }: HealthRecord): Belief {
  return { believed: isGoodState(state), state, reason, since, source };
}

/** Of several that are not believed, the one that was so for the shortest time. */
function latest(beliefs: readonly Belief[]): Belief | undefined {
  return beliefs.toSorted((a, b) => (b.since ?? 0) - (a.since ?? 0))[0];
}
