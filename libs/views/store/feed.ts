import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { FeedQuery, StreamedAnswer } from '#contract/rest/provider.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { isServed } from './served.ts';
import { SqlView } from './sql.ts';

/** Maximum number of rows that one sweep deletes: it runs between requests. */
const SWEEP_ROWS = 500;
/** Rows read before other requests get a turn: about a millisecond. */
const SLICE_ROWS = 500;
/** Characters of messages read before other requests get a turn. */
const SLICE_LENGTH = 64 * 1024;
/** Pause after each slice, so that reading a day uses a third of the event loop's time. */
const PAUSE_MS = 1;
const DIGEST_BYTES = 12;

/** A message of the feed as JSON, with the values that queries filter by. */
export type FeedRow = {
  readonly json: string;
  readonly incident: 0 | 1;
  readonly important: 0 | 1;
  readonly for_trader: 0 | 1;
  readonly competition_id: number | null;
};

type Row = Omit<FeedRow, 'json'> &
  Readonly<Record<'id' | 'at' | 'partition' | 'offset' | 'ut' | 'changed' | 'event_id', number>>;

type Range = { readonly by: 'ut' | 'changed' | 'event_id'; readonly from: number; readonly to: number };

/** The competition is that of the message, or else the current one of its event. */
const ROW = `id, at, partition, offset, ut, changed, event_id, incident, important, for_trader,
  coalesce(competition_id, (SELECT competition_id FROM events WHERE id = feed.event_id)) AS competition_id`;

/** The messages of the feed, which a sweep deletes after their retention. */
export class FeedView extends SqlView {
  /** Messages received earlier may be deleted, Unix seconds. */
  keptSince = 0;

  /**
   * Stores a message. Ignores one whose text or offset is already stored, such as a message that arrived by webhook and by
   * polling. `changed`: the time at which it became visible, Unix seconds.
   */
  put(
    { event_id, ut, received_at }: NormalizedMessage,
    { json, ...filtered }: FeedRow,
    { partition, ...position }: { partition: number; offset: number; changed: number },
  ): void {
    const at = Math.max(received_at, this.#lastOf(partition));
    const digest = hash('sha256', json, 'buffer').subarray(0, DIGEST_BYTES);
    const row = { partition, ...position, digest, at, ut, event_id, ...filtered };
    const { changes, lastInsertRowid } = this.sql.insert('INSERT OR IGNORE INTO feed', row);
    if (changes === 1) this.sql.of('INSERT INTO feed_texts VALUES (?, ?)').run(lastInsertRowid, json);
  }

  /** Returns the latest stored arrival of a partition, within which arrivals never decrease; 0 if there is none. */
  #lastOf(partition: number): number {
    const text = 'SELECT at FROM feed WHERE partition = ? ORDER BY offset DESC LIMIT 1';
    return this.sql.value<number>(text, partition) ?? 0;
  }

  /**
   * Finds the messages of a window: those whose `ut` lies in it, and those that became visible between `changedSince`
   * (Unix seconds) and its end. A filter by importance finds incidents only. `competitions`: those the client may see;
   * null means all. Reads in slices, so that a day of messages does not block other requests.
   */
  window(query: FeedQuery, changedSince: number, competitions: ReadonlySet<number> | null) {
    const { timestamp: from, timestamp_to: to, type, eventIds, important, important_for_trader } = query;
    const incidentsOnly = important !== undefined || important_for_trader !== undefined;
    const is = (flag: 0 | 1, wanted: string | undefined): boolean =>
      wanted === undefined || (flag === 1) === (wanted === 'yes' || wanted === 'incident');
    const isWanted = (row: Row): boolean =>
      is(row.incident, type) &&
      is(row.incident, incidentsOnly ? 'yes' : undefined) &&
      is(row.important, important) &&
      is(row.for_trader, important_for_trader) &&
      (eventIds === null || eventIds.has(row.event_id)) &&
      isServed(competitions, row.competition_id);
    const ranges: Range[] = [
      { by: 'ut', from, to },
      { by: 'changed', from: changedSince, to },
    ];
    // The first range has already found a row of both.
    const isRepeated = ({ ut }: Row, { by }: Range) => by === 'changed' && from <= ut && ut <= to;
    return this.#find(ranges, (row, range) => isWanted(row) && !isRepeated(row, range));
  }

  /** Finds the messages of one event, as `window` does. */
  ofEvent(eventId: number) {
    return this.#find([{ by: 'event_id', from: eventId, to: eventId }], () => true);
  }

  /** Deletes up to 500 messages received before `before` (Unix milliseconds). Returns whether more may remain. */
  sweep(before: number): boolean {
    this.keptSince = Math.max(this.keptSince, Math.floor(before / 1000));
    const text = 'SELECT id FROM feed WHERE at < ? ORDER BY at LIMIT ?';
    const ids = this.sql.column<number>(text, before, SWEEP_ROWS);
    // Texts first: no sweep would find a text without its message.
    for (const table of ['feed_texts', 'feed'])
      this.sql
        .of(`DELETE FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`)
        .run(JSON.stringify(ids));
    return ids.length === SWEEP_ROWS;
  }

  async #find(
    ranges: readonly Range[],
    isWanted: (row: Row, range: Range) => boolean,
  ): Promise<StreamedAnswer> {
    /** Rows by second of arrival: sorting a whole day at once would block other requests. */
    const found = new Map<number, Row[]>();
    let total = 0;
    for (const range of ranges)
      for await (const slice of this.#slices(range))
        for (const row of slice) {
          if (!isWanted(row, range)) continue;
          const second = Math.floor(row.at / 1000);
          const rows = found.get(second);
          if (rows === undefined) found.set(second, [row]);
          else rows.push(row);
          total += 1;
        }
    return { total, data: this.#list(found) };
  }

  async *#slices({ by, from, to }: Range): AsyncGenerator<Row[], void, undefined> {
    const statement = this.sql.of(
      `SELECT ${ROW} FROM feed WHERE (${by}, id) > (?, ?) AND ${by} <= ? ORDER BY ${by}, id LIMIT ${SLICE_ROWS}`,
    );
    let after: readonly [number, number] = [from, -1];
    for (;;) {
      const rows = statement.all(...after, to) as Row[];
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < SLICE_ROWS) return;
      after = [last[by], last.id];
      await setTimeout(PAUSE_MS);
    }
  }

  /** Yields a list in the provider's order: newest first, those of one event in reverse order of the log. Serves others between parts. */
  async *#list(found: ReadonlyMap<number, Row[]>): AsyncGenerator<string, void, undefined> {
    const statement = this.sql.of('SELECT json FROM feed_texts WHERE id = ?');
    let part = '[';
    let comma = '';
    for (const second of Float64Array.from(found.keys()).sort().reverse()) {
      for (const { id } of (found.get(second) ?? []).sort(newestFirst)) {
        const text = statement.get(id)?.json;
        // A sweep has deleted it since it was found.
        if (typeof text !== 'string') continue;
        part += comma + text;
        comma = ',';
        if (part.length < SLICE_LENGTH) continue;
        yield part;
        part = '';
        await setTimeout(PAUSE_MS);
      }
    }
    yield `${part}]`;
  }
}

function newestFirst(a: Row, b: Row): number {
  return b.at - a.at || a.partition - b.partition || b.offset - a.offset;
}
