/** Which matches no source keeps alive, as records of feed-health come. Pure. */
import type { FeedHealth } from '#topics/generated/types.ts';

/** A match that no source keeps alive. */
export type StaleMatch = {
  readonly eventId: number;
  /** Since when its last source is dead, Unix milliseconds: the same whichever record says so. */
  readonly since: number;
  /** State and reason of that source. */
  readonly reasons: readonly string[];
  /** When the record that says so was written, Unix milliseconds. */
  readonly writtenAt: number;
};

const DEAD: ReadonlySet<string> = new Set(['stale', 'down']);
/** Alive, or over: then nothing is missed. */
const WELL: ReadonlySet<string> = new Set(['alive', 'recovered', 'ended']);

/** The latest records of matches, by event and source. */
export class StaleMatches {
  readonly #matches = new Map<number, Map<string, FeedHealth>>();

  /** Applies a record, whose key is `<source>/<event id>` where it is of a match; null where that match is not stale. */
  apply(key: string, value: FeedHealth | null): StaleMatch | null {
    const slash = key.lastIndexOf('/');
    if (slash === -1) return null;
    const [source, eventId] = [key.slice(0, slash), Number(key.slice(slash + 1))];
    const sources = this.#matches.get(eventId) ?? new Map<string, FeedHealth>();
    this.#matches.set(eventId, sources);
    if (value === null) sources.delete(source);
    else sources.set(source, value);
    if (sources.size === 0) this.#matches.delete(eventId);
    if (value === null || !DEAD.has(value.state)) return null;
    const all = [...sources.values()];
    if (all.some(({ state }) => WELL.has(state))) return null;
    const { since, state, reason } = all
      .filter((one) => DEAD.has(one.state))
      .reduce((last, one) => (one.since > last.since ? one : last));
    return {
      eventId,
      since,
      writtenAt: value.written_at,
      reasons: reason === null ? [state] : [state, reason],
    };
  }
}
