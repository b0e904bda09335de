import type { MatchIncident, MatchState, MatchTransition } from '#topics/generated/types.ts';
import { doubtsOf } from '#tradability/trading.ts';
import type { PageRecords } from './page.ts';
import type { FollowedRecord, MatchRecords } from './records.ts';

/** Clocks of processors and ingress services may differ by so much, milliseconds. */
const SLACK_MS = 600_000;

/** The known facts of a match; only newer records change them. */
export class FollowedMatch {
  readonly #records: MatchRecords;
  #state: MatchState;
  readonly #incidents: Map<string, MatchIncident>;
  readonly #transitions: MatchTransition[];
  /** When all states up to then had been read while it is followed, on the steady clock. */
  #readAt = Number.NEGATIVE_INFINITY;

  private constructor(records: MatchRecords, { state, incidents, transitions }: PageRecords) {
    this.#records = records;
    this.#state = state;
    this.#incidents = new Map(incidents.map((incident) => [incident.id, incident]));
    this.#transitions = [...transitions];
  }

  /** Reads a match; null where there is no state of it. Rejects as `MatchRecords` does. */
  static async read(records: MatchRecords): Promise<FollowedMatch | null> {
    const latest = (await records.read('match-state')).at(-1);
    if (latest === undefined) return null;
    const incidents = new Map(
      (await records.read('match-incidents')).map(({ value }) => [value.id, value] as const),
    );
    // Its log is long; the story begins where its first incident was written by the provider.
    const first = Math.min(
      ...incidents.values().map(({ incident, cause }) => Math.min(cause.ut, incident?.ut ?? cause.ut)),
    );
    const times = { from: first * 1000 - SLACK_MS, until: latest.written + SLACK_MS };
    const transitions = incidents.size === 0 ? [] : await records.read('match-transitions', times);
    return new FollowedMatch(records, {
      state: latest.value,
      incidents: [...incidents.values()],
      transitions: transitions.map(({ value }) => value),
    });
  }

  get facts(): PageRecords {
    return {
      state: this.#state,
      incidents: [...this.#incidents.values()],
      transitions: this.#transitions,
    };
  }

  /** Applies and gives each record that is newer than what was read, until `signal`; `onUpToDate`: the states up to now were. */
  follow(
    signal: AbortSignal,
    {
      onRecord,
      onUpToDate,
    }: { readonly onRecord: (record: FollowedRecord) => void; readonly onUpToDate: () => void },
  ): Promise<void> {
    const apply = (record: FollowedRecord): void => {
      if (!this.#isNewer(record)) return;
      if (record.topic === 'match-state') this.#state = record.value;
      else if (record.topic === 'match-incidents') this.#incidents.set(record.value.id, record.value);
      else this.#transitions.push(record.value);
      onRecord(record);
    };
    return this.#records.follow(signal, apply, (at) => {
      this.#readAt = at;
      onUpToDate();
    });
  }

  /** Whether a record is newer than what is known: what was written while the match was read is read again as it is followed. */
  #isNewer({ topic, value }: FollowedRecord): boolean {
    if (topic === 'match-state') return value.version > this.#state.version;
    if (topic === 'match-incidents') return value.version > (this.#incidents.get(value.id)?.version ?? 0);
    const last = this.#transitions.at(-1);
    if (last === undefined || value.version > last.version) return true;
    return value.version === last.version && value.n > last.n;
  }

  /** Reasons against acting on the state while it is followed. */
  doubts(): string[] {
    const { version } = this.#state;
    const changed = this.#transitions.at(-1)?.version ?? 0;
    return doubtsOf({ version, changed, readAt: this.#readAt, now: performance.now() });
  }
}
