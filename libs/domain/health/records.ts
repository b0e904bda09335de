import type { FeedHealth } from '#records/types.ts';
import { isBelieved } from '#trading/feed-status.ts';
import { unpublishedGap } from './health-status.ts';
import type { MatchTrack, PairTrack } from './match-track.ts';
import type { SignsOfLife } from './signs-of-life.ts';
import type { SourceTrack } from './source-track.ts';

/** Makes records of health, each only when it must be written (docs/decisions/0080). */

/** A record to publish; null deletes the key. */
export type PublishedHealth = { readonly key: string; readonly value: FeedHealth | null };

/** Interval between the records of a source. Nobody trades while no clock runs: a late record does no harm then, and each one costs. */
const HEARTBEAT_MS = { clockRuns: 500, idle: 750 };
/** A source's record that is valid for less is renewed before the next heartbeat, as soon as it can be. */
const RENEW_MS = 1_000;
/** Interval between the records of a live match, changed or not: a new monitor reads no older ones again. */
const REFRESH_MS = 60_000;
/** A record of a match is written earlier when content or its delay differs by this from its own: readers may have limits of theirs. */
const STEP_MS = 1_000;
/** The interval then. */
const STEP_REFRESH_MS = 1_000;

/** Returns the record of a match under a source, if it is due. */
export function matchRecord(term: number, track: MatchTrack, pair: PairTrack, now: number) {
  const { health, key, written: last } = pair;
  const { facts } = track;
  const { delay, heardAt } = pair.signs;
  const isFresh = health.state === 'ended' || (last !== null && now - last.at < refreshMs(last, pair.signs));
  if (last?.health === health && last.facts === facts && isFresh) return [];
  pair.written = { health, facts, delay, heardAt, at: now };
  pair.judgedFrom ??= now;
  const value: FeedHealth = {
    ...common(term, pair, now),
    event_id: track.eventId,
    clock_runs: track.facts.runs,
    reports: track.reports,
    keep_alive_at: pair.keepAliveAt,
    valid_until: null,
    judged_from: pair.judgedFrom,
    clock_since: track.runsSince === 0 ? null : track.runsSince,
  };
  return [{ key, value }];
}

/** Returns the record of a source, if it is due: changed, about to expire, or written with records of its matches (`others`). */
export function sourceRecord(
  term: number,
  source: SourceTrack,
  promise: { readonly clockRuns: boolean; readonly validUntil: number },
  others: boolean,
  now: number,
): PublishedHealth[] {
  const key = source.source;
  const { health, written: last, promised: promisedBefore } = source;
  const { clockRuns, validUntil } = promise;
  // A good source has no reason of its own.
  const reason = health.reason ?? (isBelieved(health.state) ? source.failure : null);
  const isFresh =
    last !== null &&
    now - last.at < (clockRuns ? HEARTBEAT_MS.clockRuns : HEARTBEAT_MS.idle) &&
    (last.validUntil - now >= RENEW_MS || validUntil <= last.validUntil);
  if (!others && last?.health === health && last.reason === reason && isFresh) return [];
  source.written = { health, at: now, reason, validUntil, promisedBefore };
  if (validUntil > now) {
    if (promisedBefore !== null && promisedBefore < now)
      source.unpublished = unpublishedGap(promisedBefore, now);
    source.promised = validUntil;
  }
  const value: FeedHealth = {
    ...common(term, source, now),
    reason,
    event_id: null,
    clock_runs: clockRuns,
    reports: [],
    keep_alive_at: null,
    valid_until: validUntil,
    judged_from: null,
    clock_since: null,
  };
  return [{ key, value }];
}

function common(term: number, { source, health, signs }: PairTrack | SourceTrack, now: number) {
  const { heardAt, delay } = signs;
  return { source, ...health, heard_at: heardAt === 0 ? null : heardAt, delay, term, written_at: now };
}

/** Returns how long a record of a match stays that has this content, now that the current one is another. */
function refreshMs(written: Pick<SignsOfLife, 'heardAt' | 'delay'>, current: SignsOfLife): number {
  const isSame =
    current.heardAt - written.heardAt < STEP_MS &&
    Math.abs((written.delay ?? 0) - (current.delay ?? 0)) < STEP_MS;
  return isSame ? REFRESH_MS : STEP_REFRESH_MS;
}
