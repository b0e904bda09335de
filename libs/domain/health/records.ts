import type { FeedHealth } from '#topics/generated/types.ts';
import { HEARTBEAT_MS, REFRESH_MS, RENEW_MS } from './limits.ts';
import type { MatchTrack, PairTrack } from './match-track.ts';
import type { SourceTrack } from './source-track.ts';
import type { Standing } from './standing.ts';

/** A record to publish; null deletes the key. */
export type PublishedHealth = { readonly key: string; readonly value: FeedHealth | null };

type Written = {
  readonly standing: Standing;
  readonly facts: string;
  readonly at: number;
  readonly validUntil: number;
};

/** The key of a source's record, or of a match's under it. */
function healthKey(source: string, eventId: number | null): string {
  return eventId === null ? source : `${source}/${eventId}`;
}

/** Turns standings into records, each only when it has to be written. */
export class HealthRecords {
  readonly #term: number;
  /** What was written in this term, by key. */
  readonly #written = new Map<string, Written>();

  constructor(term: number) {
    this.#term = term;
  }

  /** The record of a match under a source, where it is due. */
  ofMatch(track: MatchTrack, pair: PairTrack, now: number): PublishedHealth[] {
    const { standing } = pair;
    const key = healthKey(pair.source, track.eventId);
    const facts = JSON.stringify(track.facts);
    const last = this.#written.get(key);
    const isFresh = standing.state === 'ended' || (last !== undefined && now - last.at < REFRESH_MS);
    if (last?.standing === standing && last.facts === facts && isFresh) return [];
    this.#written.set(key, { standing, facts, at: now, validUntil: Number.POSITIVE_INFINITY });
    const value: FeedHealth = {
      ...this.#common(pair.source, standing, now),
      event_id: track.eventId,
      heard_at: pair.heardAt,
      clock_runs: track.facts.runs,
      fields: track.fields,
      keep_alive_at: pair.keepAliveAt,
      valid_until: null,
    };
    return [{ key, value }];
  }

  /** The record of a source: every `HEARTBEAT_MS`, when it changed or expires soon, or with `others` of its matches. */
  ofSource(
    source: SourceTrack,
    promise: { readonly clockRuns: boolean; readonly validUntil: number },
    others: boolean,
    now: number,
  ): PublishedHealth[] {
    const key = healthKey(source.source, null);
    const last = this.#written.get(key);
    const { standing, heardAt } = source;
    const { clockRuns, validUntil } = promise;
    const isFresh =
      last !== undefined &&
      now - last.at < HEARTBEAT_MS &&
      (last.validUntil - now >= RENEW_MS || validUntil <= last.validUntil);
    if (!others && last?.standing === standing && isFresh) return [];
    this.#written.set(key, { standing, facts: '', at: now, validUntil });
    const value: FeedHealth = {
      ...this.#common(source.source, standing, now),
      event_id: null,
      heard_at: heardAt,
      clock_runs: clockRuns,
      fields: [],
      keep_alive_at: null,
      valid_until: validUntil,
    };
    return [{ key, value }];
  }

  /** Has the record of a key written again: the topic may have another one. */
  rewrite(key: string): void {
    this.#written.delete(key);
  }

  /** The deletion of a match's record. */
  forget(source: string, eventId: number): PublishedHealth {
    const key = healthKey(source, eventId);
    this.#written.delete(key);
    return { key, value: null };
  }

  #common(source: string, standing: Standing, now: number) {
    const { state, reason, since, progress, gaps, gapCount } = standing;
    return {
      source,
      state,
      reason,
      since,
      progress,
      gaps: [...gaps],
      gap_count: gapCount,
      term: this.#term,
      written_at: now,
    };
  }
}
