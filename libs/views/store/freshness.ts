import { partitionHash } from '#streams/client/port.ts';
import { doubtsOf } from '#tradability/trading.ts';
import type { MatchView } from './matches.ts';

/** Whether the states of matches are the newest, once everything that was there at the start is applied. */
export class Freshness {
  readonly #matches: MatchView;
  /** Partitions of match-state; null until they are followed. */
  #partitions: number | null = null;
  /** When each of them was last read to its end, on the steady clock. */
  readonly #readAt = new Map<number, number>();
  /** The newest version with a change that was read, of matches whose state is older. */
  readonly #changed = new Map<number, number>();

  constructor(matches: MatchView) {
    this.#matches = matches;
  }

  /** From now on a state of any of these partitions is in doubt unless it is the newest. */
  follow(partitions: number): void {
    this.#partitions = partitions;
  }

  /** A partition was read to the end that it had `at`. */
  readToEnd(partition: number, at: number): void {
    this.#readAt.set(partition, at);
  }

  /** A change of a match was read. */
  changed(eventId: number, version: number): void {
    if (this.#partitions === null || version <= (this.#matches.known(eventId)?.version ?? 0)) return;
    this.#changed.set(eventId, Math.max(version, this.#changed.get(eventId) ?? 0));
  }

  /** A state of a match was applied. */
  applied(eventId: number, version: number): void {
    if (version >= (this.#changed.get(eventId) ?? 0)) this.#changed.delete(eventId);
  }

  /** Whether the state of a match may not be the newest, on the steady clock. */
  isInDoubt(eventId: number, now: number): boolean {
    if (this.#partitions === null) return false;
    const readAt = this.#readAt.get(partitionHash(Buffer.from(String(eventId))) % this.#partitions);
    // Of matches that are behind alone: the version of a state is asked of the views then.
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
