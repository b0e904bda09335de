import { partitionOfKey } from '#streams/client/port.ts';
import { doubtsOf } from '#trading/trading.ts';
import type { MatchView } from './matches.ts';

/** Decides whether the states of matches may be outdated, once the views have caught up. */
export class Freshness {
  readonly #matches: MatchView;
  /** Number of partitions of match-state; null until `follow`. */
  #partitions: number | null = null;
  /** Time at which each partition was last read to its end, on the steady clock. */
  readonly #readAt = new Map<number, number>();
  /** The newest version with a change that was read, by match whose stored state is older. */
  readonly #changed = new Map<number, number>();

  constructor(matches: MatchView) {
    this.#matches = matches;
  }

  /** From now on the states of these partitions are checked. */
  follow(partitions: number): void {
    this.#partitions = partitions;
  }

  /** Records that a partition was read to the end that it had `at`, on the steady clock. */
  readToEnd(partition: number, at: number): void {
    this.#readAt.set(partition, at);
  }

  /** Records that a change of a match was read. */
  changed(eventId: number, version: number): void {
    if (this.#partitions === null || version <= (this.#matches.known(eventId)?.version ?? 0)) return;
    this.#changed.set(eventId, Math.max(version, this.#changed.get(eventId) ?? 0));
  }

  /** Records that a state of a match was applied. */
  applied(eventId: number, version: number): void {
    if (version >= (this.#changed.get(eventId) ?? 0)) this.#changed.delete(eventId);
  }

  /** Whether the state of a match may be outdated at `now`, on the steady clock. */
  isInDoubt(eventId: number, now: number): boolean {
    if (this.#partitions === null) return false;
    const readAt = this.#readAt.get(partitionOfKey(eventId, this.#partitions));
    // Only a match that is behind costs a query for the version of its state.
    const changed = this.#changed.get(eventId);
    const version = changed === undefined ? 0 : (this.#matches.known(eventId)?.version ?? 0);
    const doubts = doubtsOf({
      version,
      changed: changed ?? 0,
      readAt: readAt ?? Number.NEGATIVE_INFINITY,
      now,
    });
    return doubts.length > 0;
  }
}
