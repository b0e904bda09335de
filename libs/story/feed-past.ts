/** When no reader could believe the feed of a match, by the gaps that feed-health published (docs/guides/feed-health.md). */
import type { FeedHealth } from '#records/types.ts';
import type { FeedStatus } from '#trading/feed-status.ts';

/** A time in which a source was not believed about a match, by what readers knew then. Unix milliseconds. */
type FeedGap = {
  /** Negative infinity: before the first record of the match, or before the gaps that are kept. */
  readonly from: number;
  /** Infinity while it lasts. */
  readonly to: number;
  readonly state: FeedStatus['state'];
  /** As of feed-health; null where there was no record. */
  readonly reason: string | null;
};

/** The gaps of each source that has a record of a match; they may overlap. */
export type FeedPast = readonly (readonly FeedGap[])[];

const ALWAYS = Number.POSITIVE_INFINITY;
const NEVER = Number.NEGATIVE_INFINITY;
const BELIEVED = { believed: true, state: 'alive', reason: null } as const;
const STATES: Readonly<Record<string, FeedStatus['state']>> = {
  silence: 'stale',
  delay: 'delayed',
  clock: 'delayed',
  monitor: 'expired',
  ended: 'ended',
};

/** Returns the past of a match's feed, from its records and those of its sources. `now`: Unix milliseconds. */
export function feedPast(records: readonly FeedHealth[], now: number): FeedPast {
  const sources = new Map(
    records.flatMap((record) => (record.event_id === null ? [[record.source, record]] : [])),
  );
  return records
    .filter(({ event_id }) => event_id !== null)
    .map((match) => gapsOf(match, sources.get(match.source), now));
}

function gapsOf(match: FeedHealth, source: FeedHealth | undefined, now: number): FeedGap[] {
  const unknown = { state: 'unknown', reason: null } as const;
  const recorded = [match, ...(source === undefined ? [] : [source])].flatMap((record) => {
    const gaps = record.gaps.map((gap) => ({
      from: gap.published_from ?? gap.from,
      to: gap.published_to ?? gap.to ?? ALWAYS,
      state: STATES[gap.reason] ?? 'down',
      reason: gap.reason,
    }));
    const oldest = gaps[0];
    return record.gap_count > gaps.length && oldest !== undefined
      ? [{ ...unknown, from: NEVER, to: oldest.from }, ...gaps]
      : gaps;
  });
  if (match.judged_from !== null) recorded.push({ ...unknown, from: NEVER, to: match.judged_from });
  if (match.state === 'ended')
    recorded.push({ from: match.since, to: ALWAYS, state: 'ended', reason: 'ended' });
  else if (source === undefined) recorded.push({ ...unknown, from: match.written_at, to: ALWAYS });
  else if (source.valid_until !== null && source.valid_until <= now)
    recorded.push({ from: source.valid_until, to: ALWAYS, state: 'expired', reason: 'monitor' });
  return recorded;
}

/** Returns the times at which the belief in a feed may have changed, in no order. */
export function feedChanges(past: FeedPast): number[] {
  return past
    .flat()
    .flatMap(({ from, to }) => [from, to])
    .filter(Number.isFinite);
}

/** Returns whether readers believed the feed at a time (Unix milliseconds), and if not, why. One believed source is enough. */
export function feedAt(past: FeedPast, at: number): Pick<FeedStatus, 'believed' | 'state' | 'reason'> {
  let latest: FeedGap | null = null;
  for (const gaps of past) {
    const gap = gaps.findLast(({ from, to }) => from <= at && at < to);
    if (gap === undefined) return BELIEVED;
    if (latest === null || gap.from > latest.from) latest = gap;
  }
  return { believed: false, state: latest?.state ?? 'unknown', reason: latest?.reason ?? null };
}
