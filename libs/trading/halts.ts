/** What operators have halted by hand, by the records of trading-halts and the time, which callers pass. Imports only types. */
import type { Now } from './feed-status.ts';

/** The fields that readers need of a trading-halts record. */
export type HaltRecord = {
  /** `match:<event id>`, `competition:<id>` or `all`: its key. */
  readonly scope: string;
  readonly halted: boolean;
  /** When the halt ends by itself, Unix milliseconds; null: when it is resumed. */
  readonly until: number | null;
};

/** The match that halts are looked up for. A competition of null is unknown. */
type HaltedMatch = { readonly event_id: number; readonly competition_id: number | null };

/** The halts of a match. */
export type HandHalts<R extends HaltRecord = HaltRecord> = {
  /** Whether the topic was lately read to its end: if not, there may be halts that nobody here knows. */
  readonly isRead: boolean;
  readonly standing: readonly R[];
};

export const NO_HALTS = { isRead: true, standing: [] } as const satisfies HandHalts;

/** Maximum time since a topic or partition was last read to its end: after it, what was read of it is in doubt, milliseconds. */
export const MAX_UNREAD_MS = 1_750;

/** Whether orders about a scope are about a match. One of an unknown competition may be of any. */
export function isAbout(scope: string, { event_id, competition_id }: HaltedMatch): boolean {
  if (scope === 'all' || scope === `match:${event_id}`) return true;
  return competition_id === null
    ? scope.startsWith('competition:')
    : scope === `competition:${competition_id}`;
}

/** Whether a record halts trading at a time. */
export function isStanding(
  { halted, until }: Pick<HaltRecord, 'halted' | 'until'>,
  wall: Now['wall'],
): boolean {
  return halted && (until === null || wall < until);
}

/** The latest trading-halts record of each scope. */
export class HaltTable<R extends HaltRecord = HaltRecord> {
  readonly #records = new Map<string, R>();
  /**
   * When halts end by themselves, on the steady clock: a step of the wall clock neither ends a halt early nor brings one back. Reckoned
   * when a record is first looked at.
   */
  readonly #ends = new WeakMap<R, Now['steady']>();
  /** Offsets of the last records that cannot be read, by scope. */
  readonly #doubts = new Map<string, number>();
  #readAt = Number.NEGATIVE_INFINITY;

  /** Applies the next record of a key, at an offset where the caller also reports doubts; null deletes it. */
  apply(key: string, record: R | null, offset = Number.POSITIVE_INFINITY): void {
    if ((this.#doubts.get(key) ?? offset) < offset) this.#doubts.delete(key);
    if (record === null) this.#records.delete(key);
    else this.#records.set(key, record);
  }

  /** Notes that the record of a key at an offset cannot be read: until a later one of the key, there may be halts that nobody here knows. */
  doubt(key: string, offset: number): void {
    this.#doubts.set(key, offset);
  }

  /** Notes that the topic was read to the end that it had at `at`. Call it at least once a second. */
  readTo(at: Now['steady']): void {
    this.#readAt = Math.max(this.#readAt, at);
  }

  /** Returns the halts of a match, by default all. */
  standing(now: Now, match: HaltedMatch | null = null): HandHalts<R> {
    return {
      isRead: this.#doubts.size === 0 && now.steady - this.#readAt <= MAX_UNREAD_MS,
      standing: this.records().filter(
        (record) =>
          record.halted &&
          now.steady < this.#endOf(record, now) &&
          (match === null || isAbout(record.scope, match)),
      ),
    };
  }

  #endOf(record: R, { wall, steady }: Now): Now['steady'] {
    const end = this.#ends.get(record) ?? (record.until ?? Number.POSITIVE_INFINITY) - wall + steady;
    this.#ends.set(record, end);
    return end;
  }

  /** Returns the latest record of each scope, standing or not. */
  records(): R[] {
    return [...this.#records.values()];
  }
}
