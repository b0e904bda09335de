import type { FeedHealth } from '#topics/generated/types.ts';
import { type FeedStatus, HealthTable, type SourceFeedStatus } from '#tradability/feed-status.ts';
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
    const rows = sql.of('SELECT key, json FROM health').all();
    for (const { key, json } of rows)
      this.#table.apply(String(key), JSON.parse(String(json)), performance.now());
  }

  /** Applies the record of a key; null deletes it. */
  apply(key: string, record: FeedHealth | null): void {
    // Records of sources are not stored: they come twice a second and have expired after a restart.
    if (key.includes('/')) {
      if (record === null) this.#sql.of('DELETE FROM health WHERE key = ?').run(key);
      else this.#sql.of('INSERT OR REPLACE INTO health VALUES (?, ?)').run(key, JSON.stringify(record));
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
