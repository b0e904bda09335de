import { type Belief, beliefInMatch, beliefInSource } from '#domain/health/belief.ts';
import type { FeedHealth } from '#topics/generated/types.ts';
import type { Statements } from './sql.ts';

/** What a source is now, and why. */
export type SourceBelief = Belief & { readonly source: string };

/** feed-health as its readers judge it: the latest record of each key, and the clock that is passed in. */
export class HealthView {
  readonly #sql: Statements;
  readonly #sources = new Map<string, FeedHealth>();
  /** By event, then by source. */
  readonly #matches = new Map<number, Map<string, FeedHealth>>();

  constructor(sql: Statements) {
    this.#sql = sql;
    for (const json of sql.column<string>('SELECT json FROM health')) this.#keep(JSON.parse(json));
  }

  /** Takes the latest record of a key; null deletes it. Gives the event whose match is new; null where that is none. */
  apply(key: string, record: FeedHealth | null): number | null {
    if (record === null) return this.#forget(key);
    const { event_id: eventId } = record;
    // The records of sources come twice a second, and are of no use after a restart.
    if (eventId !== null)
      this.#sql.of('INSERT OR REPLACE INTO health VALUES (?, ?)').run(key, JSON.stringify(record));
    this.#keep(record);
    return eventId;
  }

  /** Every source at `now`, Unix milliseconds, by name. */
  sources(now: number): SourceBelief[] {
    return [...this.#sources.values()]
      .map((record) => ({ ...beliefInSource(record, now), source: record.source }))
      .sort((a, b) => (a.source < b.source ? -1 : 1));
  }

  /** A match at `now`, Unix milliseconds. */
  match(eventId: number, now: number): Belief {
    const pairs = [...(this.#matches.get(eventId)?.values() ?? [])].flatMap((match) => {
      const source = this.#sources.get(match.source);
      return source === undefined ? [] : [{ source, match }];
    });
    return beliefInMatch(pairs, now);
  }

  #keep(record: FeedHealth): void {
    const { source, event_id: eventId } = record;
    if (eventId === null) {
      this.#sources.set(source, record);
      return;
    }
    const ofMatch = this.#matches.get(eventId) ?? new Map<string, FeedHealth>();
    this.#matches.set(eventId, ofMatch.set(source, record));
  }

  #forget(key: string): number | null {
    const [source = '', event] = key.split('/');
    if (event === undefined) {
      this.#sources.delete(source);
      return null;
    }
    this.#sql.of('DELETE FROM health WHERE key = ?').run(key);
    this.#matches.get(Number(event))?.delete(source);
    return Number(event);
  }
}
