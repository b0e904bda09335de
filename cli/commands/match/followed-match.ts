import type { MatchIncident, MatchState, MatchTransition } from '#records/types.ts';
import { doubtsOf, inDoubt, nextState, WENT_BACK, wentBack } from '#trading/trading.ts';
import type { PageRecords } from './page.ts';
import type { FollowedRecord, MatchRecords } from './records.ts';

/** Maximum difference between clocks of processors and ingress services. */
const CLOCK_SKEW_MS = 600_000;

/** The facts of a match, which newer records update. */
export class FollowedMatch {
  readonly #records: MatchRecords;
  #state: MatchState;
  readonly #incidents: Map<string, MatchIncident>;
  readonly #transitions: MatchTransition[];
  /** All states before this time (steady clock) have been read while following. */
  #readAt = Number.NEGATIVE_INFINITY;

  private constructor(records: MatchRecords, { state, incidents, transitions }: PageRecords) {
    this.#records = records;
    this.#state = state;
    this.#incidents = new Map(incidents.map((incident) => [incident.id, incident]));
    this.#transitions = [...transitions];
  }

  /**
   * Reads a match; null when it has no state. Its transitions are all that the log holds when it is read `whole`, else those since
   * its first incident. Rejects as `MatchRecords` does.
   */
  static async read(records: MatchRecords, { whole = false } = {}): Promise<FollowedMatch | null> {
    const states = await records.read('match-state');
    const latest = states.at(-1);
    if (latest === undefined) return null;
    const state = states.map(({ value }) => value).reduce((known, next) => nextState(known, next));
    const incidents = new Map(
      (await records.read('match-incidents')).map(({ value }) => [value.id, value] as const),
    );
    const until = latest.written + CLOCK_SKEW_MS;
    // The log is long: the text needs it from the time of the provider's first incident.
    const first = Math.min(
      ...incidents.values().map(({ incident, cause }) => Math.min(cause.ut, incident?.ut ?? cause.ut)),
    );
    const times = whole ? { until } : { from: first * 1000 - CLOCK_SKEW_MS, until };
    const transitions = incidents.size === 0 && !whole ? [] : await records.read('match-transitions', times);
    return new FollowedMatch(records, {
      state,
      incidents: [...incidents.values()],
      transitions: transitions.map(({ value }) => value),
    });
  }

  /** The facts; the guard is closed where an incident or a transition shows that the state lost its versions. */
  get facts(): PageRecords {
    const state = this.#state;
    const isDenied = [...this.#incidents.values(), ...this.#transitions].some((one) => wentBack(one, state));
    return {
      state: isDenied && !state.guard.reasons.includes(WENT_BACK) ? inDoubt(state) : state,
      incidents: [...this.#incidents.values()],
      transitions: this.#transitions,
    };
  }

  /** Applies newer records until `signal`, and passes them to `listener`. Calls its `onUpToDate` when the current state was read. */
  follow(
    signal: AbortSignal,
    listener: { readonly onRecord: (record: FollowedRecord) => void; readonly onUpToDate: () => void },
  ): Promise<void> {
    const apply = (record: FollowedRecord): void => {
      if (!this.#isNewer(record)) return;
      if (record.topic === 'match-state') this.#state = nextState(this.#state, record.value);
      else if (record.topic === 'match-incidents') this.#incidents.set(record.value.id, record.value);
      else this.#transitions.push(record.value);
      listener.onRecord(record);
    };
    return this.#records.follow(signal, apply, (at) => {
      this.#readAt = at;
      listener.onUpToDate();
    });
  }

  /** Whether a record is new: records written while the match was read come again when it is followed. */
  #isNewer({ topic, value }: FollowedRecord): boolean {
    if (topic === 'match-state') return nextState(this.#state, value) !== this.#state;
    if (topic === 'match-incidents') return value.version > (this.#incidents.get(value.id)?.version ?? 0);
    const last = this.#transitions.at(-1);
    if (last === undefined || value.version > last.version) return true;
    return value.version === last.version && value.n > last.n;
  }

  /** Returns the reasons not to act on the state while it is followed. */
  doubts(): string[] {
    const { version } = this.#state;
    const changed = this.#transitions.at(-1)?.version ?? 0;
    return doubtsOf({ version, changed, readAt: this.#readAt, now: performance.now() });
  }
}
