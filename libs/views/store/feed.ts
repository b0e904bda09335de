import type { FeedQuery } from '#contract/rest/provider.ts';
import type { NormalizedMessage } from '#topics/generated/types.ts';
import { Conditions, type Statements } from './sql.ts';

/** Rows that one sweep deletes at most: it runs between requests. */
const SWEEP_ROWS = 2_000;
/** As the provider has them; each event's are in the opposite order of the log. */
const NEWEST_FIRST = 'ORDER BY at DESC, partition, offset DESC';

/** A message of the feed, and what the feed is filtered by. */
export type FeedRow = {
  readonly json: string;
  readonly incident: boolean;
  readonly important: boolean;
  readonly forTrader: boolean;
  readonly competitionId: number | null;
};

/** The messages of the feed, kept for a while after they were received. */
export class FeedView {
  readonly #sql: Statements;
  /** The latest arrival by partition, Unix milliseconds. */
  readonly #latest: Map<number, number>;
  #keptSince = 0;

  constructor(sql: Statements) {
    this.#sql = sql;
    this.#latest = new Map(
      sql
        .of('SELECT partition, max(at) AS at FROM feed GROUP BY partition')
        .all()
        .map(({ partition, at }) => [partition as number, at as number]),
    );
  }

  /** What was received before may be forgotten, Unix seconds. */
  get keptSince(): number {
    return this.#keptSince;
  }

  /** Writes a message, known by its place in the log; `changed` is when it became visible, Unix seconds. */
  put(
    message: NormalizedMessage,
    row: FeedRow,
    { partition, offset, changed }: { partition: number; offset: number; changed: number },
  ): void {
    const { ut, received_at } = message;
    const at = Math.max(received_at, this.#latest.get(partition) ?? 0);
    this.#latest.set(partition, at);
    this.#sql
      .of(`INSERT OR IGNORE INTO feed VALUES (${Array(11).fill('?').join(', ')})`)
      .run(
        ...[partition, offset, at, ut, changed],
        ...[message.event_id, row.competitionId, row.incident ? 1 : 0],
        ...[row.important ? 1 : 0, row.forTrader ? 1 : 0, row.json],
      );
  }

  /**
   * The messages of a window, the newest first, a message that came twice once: those whose `ut` lies in it, and those that
   * became visible in it, or from `changedSince` on (Unix seconds). Only incidents have an importance to be filtered by.
   * `competitions` are those that may be seen, null is all. Ends as soon as there are more characters than `limit`: null then.
   */
  window(
    query: FeedQuery,
    changedSince: number,
    competitions: ReadonlySet<number> | null,
    limit: number,
  ): string[] | null {
    const conditions = new Conditions()
      .where('incident = ?', query.type === null ? null : query.type === 'incident' ? 1 : 0)
      .where('important = ?', flag(query.important))
      .where('for_trader = ?', flag(query.importantForTrader))
      .among('event_id', query.eventIds);
    if (query.important !== null || query.importantForTrader !== null) conditions.also('incident = 1');
    this.#visible(conditions, competitions);
    // Two ranges, each with its index; a row of both is given once.
    const ranges = ['ut BETWEEN ? AND ?', 'changed BETWEEN ? AND ?']
      .map((range) => `SELECT rowid FROM feed WHERE ${range}`)
      .join(' UNION ');
    conditions.also(`rowid IN (${ranges})`);
    const text = `SELECT json FROM feed${conditions.text} ${NEWEST_FIRST}`;
    const { from, to } = query;
    return this.#take(text, [...conditions.values, from, to, changedSince, to], limit);
  }

  /** The messages of one event, the newest first; null as in `window`. */
  ofEvent(eventId: number, limit: number): string[] | null {
    const text = `SELECT json FROM feed WHERE event_id = ? ${NEWEST_FIRST}`;
    return this.#take(text, [eventId], limit);
  }

  /** Forgets some of what was received before a time, Unix milliseconds; whether there may be more. */
  sweep(before: number): boolean {
    this.#keptSince = Math.max(this.#keptSince, Math.floor(before / 1000));
    const { changes } = this.#sql
      .of('DELETE FROM feed WHERE rowid IN (SELECT rowid FROM feed WHERE at < ? ORDER BY at LIMIT ?)')
      .run(before, SWEEP_ROWS);
    return changes === SWEEP_ROWS;
  }

  /** A message says in which competition its event is; one that does not is where its event is now. */
  #visible(conditions: Conditions, competitions: ReadonlySet<number> | null): void {
    const place = 'coalesce(competition_id, (SELECT competition_id FROM events WHERE id = feed.event_id))';
    conditions.among(place, competitions);
  }

  #take(text: string, values: readonly number[] | Conditions['values'], limit: number): string[] | null {
    const messages = new Set<string>();
    let length = 0;
    for (const { json } of this.#sql.of(text).iterate(...values)) {
      length += (json as string).length;
      if (length > limit) return null;
      messages.add(json as string);
    }
    return [...messages];
  }
}

function flag(wanted: boolean | null): number | null {
  return wanted === null ? null : wanted ? 1 : 0;
}
