import type { SignatureFault } from '#signing/signing.ts';
import type { SpanOutcome } from '#tracing/tracer.ts';

/** Why a request is refused before its sender is known. */
export type OverloadReason =
  /** More connections than `maxConnections`. */
  | 'connections'
  /** More bytes of bodies without a proven signature than `maxUnprovenBytes`. */
  | 'unproven_bytes';

/** The outcome of a request. */
export type RequestOutcome =
  | 'accepted'
  | 'not_authentic'
  | 'too_large'
  | 'bad_request'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_slow'
  /** Refused above a limit, before its signature was checked. */
  | 'overloaded'
  | 'not_stored'
  | 'failed';

/** What is counted by name, and its names. */
type Names = {
  /** Answered requests, by outcome. */
  answered: RequestOutcome;
  /** Requests that are not authentic, by the first failed check. */
  refused: SignatureFault;
  /** Connections and bodies refused above a limit, by limit. */
  overloaded: OverloadReason;
  /** Stored messages by type, "unknown" for unused types. */
  messages: string;
  /** Stored dead letters by code. */
  deadLetters: string;
  /** Spans of traces, by what became of them. */
  spans: SpanOutcome;
};
export type Counts = Record<string, number>;

/** The counts of a thread since its last report. */
type Draft = Record<keyof Names, Counts> & {
  /** How long deliveries took until they were stored, seconds: the longest of each turn of the event loop. */
  storeSeconds: number[];
  /** From the provider's `ut` to the receipt of stored messages, milliseconds. */
  providerMs: number[];
};

/** What a thread counted, and its state. */
export type ThreadReport = Readonly<Draft> & {
  /** Bytes of records that are not acknowledged yet. */
  readonly pendingBytes: number;
  /** Open connections. */
  readonly connections: number;
  /** Bytes held of bodies whose signature is not proven yet. */
  readonly unprovenBytes: number;
  /** Whether the last records sent were acknowledged. */
  readonly healthy: boolean;
};

const emptyDraft = (): Draft => ({
  answered: {},
  refused: {},
  overloaded: {},
  messages: {},
  deadLetters: {},
  spans: {},
  storeSeconds: [],
  providerMs: [],
});

/** Sums the counts of a thread until its report: a metric with labels costs a request more than a sum. */
export class RequestTally {
  #draft = emptyDraft();
  #longest = 0;

  count<S extends keyof Names>(of: S, name: Names[S], times = 1): void {
    const counts: Counts = this.#draft[of];
    counts[name] = (counts[name] ?? 0) + times;
  }

  /** How long a message took from the provider, milliseconds. */
  received(providerMs: number): void {
    this.#draft.providerMs.push(providerMs);
  }

  /** A delivery was stored, `seconds` after it was read. Deliveries of one produce request are stored in the same turn. */
  stored(seconds: number): void {
    if (this.#longest === 0) setImmediate(() => this.#endTurn());
    this.#longest = Math.max(this.#longest, seconds);
  }

  /** The counts since the last call. */
  drain(): Draft {
    const draft = this.#draft;
    this.#draft = emptyDraft();
    return draft;
  }

  #endTurn(): void {
    this.#draft.storeSeconds.push(this.#longest);
    this.#longest = 0;
  }
}
