/**
 * The rule of readers: whether what is known of a match may be believed, from the records of feed-health and a clock. Pure, and
 * without any import, so that readers outside of this tree can have it as it is. Words and reasons: docs/guides/feed-health.md.
 *
 *     const health = new HealthTable();
 *     health.apply(key, record);                      // each record of feed-health, from the beginning on
 *     if (mayAct(matchState, health.match(matchState.event_id, Date.now()))) …
 */

/** State of a source, or of a match of a source. */
type HealthState = 'alive' | 'stale' | 'down' | 'recovering' | 'recovered' | 'ended';

/** The fields of a record of feed-health that the rule reads. All times are Unix milliseconds. */
export type HealthRecord = {
  readonly source: string;
  /** Null in the record of the source itself. */
  readonly event_id: number | null;
  readonly state: HealthState;
  readonly reason: string | null;
  readonly since: number;
  /** Counts the monitors that led. */
  readonly term: number;
  /** Of a source: neither it nor its matches are to be believed from then on. Null in the record of a match. */
  readonly valid_until: number | null;
};

/** Whether and why something may be believed. */
export type Belief = {
  readonly believed: boolean;
  /**
   * `alive` or `recovered` where it is believed; else why not: `stale`, `down`, `recovering`, `ended`; `expired`: feed-health
   * itself is silent, or its present monitor has not judged this; `unknown`: there is no record.
   */
  readonly state: HealthState | 'expired' | 'unknown';
  readonly reason: string | null;
  /** Since when, Unix milliseconds; null where that is unknown. */
  readonly since: number | null;
  /** The source that this is of; null where there is none. */
  readonly source: string | null;
};

/** The belief in a source. */
export type SourceBelief = Belief & { readonly source: string };

const UNKNOWN: Belief = { believed: false, state: 'unknown', reason: null, since: null, source: null };

/** Whether a record of this state is to be believed. */
export function isGoodState(state: Belief['state']): boolean {
  return state === 'alive' || state === 'recovered';
}

/**
 * Guard and health joined: whether a reader may act on the firm score of a match. `state` has the fields of match-state, the
 * belief is that of the match.
 */
export function mayAct(
  { guard, firm }: { readonly guard: { readonly safe: boolean }; readonly firm: unknown },
  { believed }: Pick<Belief, 'believed'>,
): boolean {
  return guard.safe && firm !== null && believed;
}

/** What a reader knows of feed-health: the latest record of each key. */
export class HealthTable<Known extends HealthRecord = HealthRecord> {
  readonly #sources = new Map<string, Known>();
  /** By event, then by source. */
  readonly #matches = new Map<number, Map<string, Known>>();

  /** Applies the next record of a key, `<source>` or `<source>/<event id>`; null deletes the key. */
  apply(key: string, record: Known | null): void {
    const slash = key.lastIndexOf('/');
    const source = slash === -1 ? key : key.slice(0, slash);
    if (slash === -1) {
      if (record === null) this.#sources.delete(source);
      else this.#sources.set(source, record);
      return;
    }
    const eventId = Number(key.slice(slash + 1));
    const bySource = this.#matches.get(eventId) ?? new Map<string, Known>();
    if (record === null) bySource.delete(source);
    else bySource.set(source, record);
    if (bySource.size === 0) this.#matches.delete(eventId);
    else this.#matches.set(eventId, bySource);
  }

  /** Whether each source may be believed at `now`, Unix milliseconds; by name. */
  sources(now: number): SourceBelief[] {
    return [...this.#sources.values()]
      .map((record) => beliefInSource(record, now))
      .sort((a, b) => (a.source < b.source ? -1 : 1));
  }

  /** Whether a match may be believed at `now`, Unix milliseconds: one source that may be is enough. */
  match(eventId: number, now: number): Belief {
    const beliefs = [...(this.#matches.get(eventId) ?? [])].map(([source, match]) =>
      beliefInMatch(this.#sources.get(source), match, now),
    );
    return beliefs.find(({ believed }) => believed) ?? latest(beliefs) ?? UNKNOWN;
  }
}

function beliefInSource(record: HealthRecord, now: number): SourceBelief {
  const { source, valid_until } = record;
  // Nobody renews it: the monitor is dead, or nothing can be published.
  if (valid_until === null || now >= valid_until)
    return { believed: false, state: 'expired', reason: null, since: valid_until, source };
  return { ...beliefOf(record), source };
}

/** What one source says of a match. */
function beliefInMatch(source: HealthRecord | undefined, match: HealthRecord, now: number): Belief {
  if (match.state === 'ended') return beliefOf(match);
  if (source === undefined) return { ...UNKNOWN, source: match.source };
  const inSource = beliefInSource(source, now);
  if (inSource.state === 'expired') return inSource;
  // The monitor that leads now has not judged it.
  if (match.term < source.term)
    return { ...beliefOf(match), believed: false, state: 'expired', reason: null };
  return inSource.believed || !isGoodState(match.state) ? beliefOf(match) : inSource;
}

function beliefOf({ source, state, reason, since }: HealthRecord): Belief {
  return { believed: isGoodState(state), state, reason, since, source };
}

/** Of several that are not believed, the one that was so for the shortest time. */
function latest(beliefs: readonly Belief[]): Belief | undefined {
  return beliefs.toSorted((a, b) => (b.since ?? 0) - (a.since ?? 0))[0];
}
