import type { FeedHealth } from '#records/types.ts';
import { type FeedStatus, HealthTable, type SourceFeedStatus } from '#trading/feed-status.ts';
import type { Statements } from './sql.ts';

/** The feed status of sources and matches, derived from feed-health and the reader's clock. */
export class HealthView {
  readonly #sql: Statements;
  readonly #table = new HealthTable();
  readonly #sources = new Map<string, FeedHealth>();
  /** The sources as judged at one millisecond: every REST answer carries them. */
  #judged: { readonly now: number; readonly sources: readonly SourceFeedStatus[] } | null = null;

  constructor(sql: Statements) {
    this.#sql = sql;
    const rows = sql.of('SELECT key, json FROM health WHERE deleted = 0').all();
    for (const { key, json } of rows)
      this.#table.apply(String(key), JSON.parse(String(json)), performance.now());
  }

  /** Applies the record of a key; null deletes it. */
  apply(key: string, record: FeedHealth | null): void {
    // Records of sources are not stored: they come twice a second and have expired after a restart.
    if (key.includes('/')) {
      // Its gaps belong to the story of the match.
      if (record === null) this.#sql.of('UPDATE health SET deleted = 1 WHERE key = ?').run(key);
      else
        this.#sql
          .of('INSERT OR REPLACE INTO health VALUES (?, ?, 0, ?)')
          .run(key, record.event_id, JSON.stringify(record));
    }
    if (record === null) this.#sources.delete(key);
    else if (record.event_id === null) this.#sources.set(key, record);
    this.#table.apply(key, record, performance.now());
    this.#judged = null;
  }

  /** Returns the latest record of each source, expired or not. */
  sourceRecords(): readonly FeedHealth[] {
    return [...this.#sources.values()];
  }

  /** Returns the latest record of a match of each source, those that were deleted since included, and the records of the sources. */
  past(eventId: number): FeedHealth[] {
    const text = 'SELECT json FROM health WHERE event_id = ? ORDER BY key';
    return [...this.#sql.records<FeedHealth>(text, eventId), ...this.#sources.values()];
  }

  /** Returns the feed status of every source at `now`, Unix milliseconds, ordered by name. */
  sources(now: number): readonly SourceFeedStatus[] {
    if (this.#judged?.now !== now)
      this.#judged = { now, sources: this.#table.sources({ wall: now, steady: performance.now() }) };
    return this.#judged.sources;
  }

  /** Returns the ids of the matches that any source has a record of. */
  matches(): readonly number[] {
    return this.#table.events();
  }

  /** Returns the feed status of a match at `now`, Unix milliseconds. */
  match(eventId: number, now: number): FeedStatus {
    return this.#table.match(eventId, { wall: now, steady: performance.now() });
  }
}
