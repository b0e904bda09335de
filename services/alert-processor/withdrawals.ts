/** When live matches stop and begin again to be believed, as time passes. Pure. */
import type { Belief } from '#tradability/belief.ts';

/** How often changes are looked for, milliseconds: a heartbeat is valid for 1.75 s, and within 2 s everybody knows. */
export const LOOK_EVERY_MS = 50;

/** A match that is no longer to be believed, or is again. */
export type BeliefChange = {
  readonly kind: 'match_stale' | 'match_recovered';
  readonly eventId: number;
  /** Since when it was not to be believed, Unix milliseconds: joins both changes of one episode. */
  readonly since: number;
  /** State and reason of its source; none where it is believed again. */
  readonly reasons: readonly string[];
};

/** Of a match that is over nothing is missed; of one without a record nothing was ever said. */
const UNJUDGED: ReadonlySet<Belief['state']> = new Set(['ended', 'unknown']);

/** The matches that are not to be believed, each with the time since. */
export class Withdrawals {
  readonly #open: Map<number, number>;

  /** `open`: those that are reported already. */
  constructor(open: ReadonlyMap<number, number> = new Map()) {
    this.#open = new Map(open);
  }

  /** Compares what is believed now with what was reported: each episode begins once, however its reasons change, and ends once. */
  changes(beliefs: Iterable<readonly [eventId: number, belief: Belief]>): BeliefChange[] {
    return [...beliefs].flatMap(([eventId, belief]) => this.#changeOf(eventId, belief) ?? []);
  }

  #changeOf(eventId: number, { believed, state, reason, since: from }: Belief): BeliefChange | null {
    const open = this.#open.get(eventId);
    if (UNJUDGED.has(state)) this.#open.delete(eventId);
    else if (believed && open !== undefined) {
      this.#open.delete(eventId);
      return { kind: 'match_recovered', eventId, since: open, reasons: [] };
    } else if (!believed && open === undefined) {
      const since = from ?? 0;
      this.#open.set(eventId, since);
      return { kind: 'match_stale', eventId, since, reasons: reason === null ? [state] : [state, reason] };
    }
    return null;
  }
}
