import type { FeedHealth } from '#topics/generated/types.ts';
import { HEARTBEAT_MS, REFRESH_MS, RENEW_MS } from './limits.ts';
import type { MatchTrack, PairTrack } from './match-track.ts';
import type { SourceTrack } from './source-track.ts';
import type { Standing } from './standing.ts';

/** A record to publish; null deletes the key. */
export type PublishedHealth = { readonly key: string; readonly value: FeedHealth | null };

type Written = {
  readonly standing: Standing;
  readonly at: number;
  readonly validUntil: number;
};

/** Turns standings into records, each only when it has to be written. */
export class HealthRecords {
  readonly #term: number;
  /** What was written of sources in this term. */
  readonly #written = new Map<string, Written>();

  constructor(term: number) {
    this.#term = term;
  }

  /** The record of a match under a source, where it is due. */
  ofMatch(track: MatchTrack, pair: PairTrack, now: number): PublishedHealth[] {
    const { standing, key, written: last } = pair;
    const { facts } = track;
    const isFresh = standing.state === 'ended' || (last !== null && now - last.at < REFRESH_MS);
    if (last?.standing === standing && last.facts === facts && isFresh) return [];
    pair.written = { standing, facts, at: now };
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
    const key = source.source;
    const last = this.#written.get(key);
    const { standing, heardAt } = source;
    const { clockRuns, validUntil } = promise;
    const isFresh =
      last !== undefined &&
      now - last.at < HEARTBEAT_MS &&
      (last.validUntil - now >= RENEW_MS || validUntil <= last.validUntil);
    if (!others && last?.standing === standing && isFresh) return [];
    this.#written.set(key, { standing, at: now, validUntil });
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

  /** Has the record of a source written again: the topic may have another one. */
  rewrite(key: string): void {
    this.#written.delete(key);
  }

  #common(source: string, standing: Standing, now: number) {
    return { source, ...standing, term: this.#term, written_at: now };
  }
}
