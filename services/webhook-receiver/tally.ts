import type { SignatureFault } from '#signing/signing.ts';
import type { SpanOutcome } from '#tracing/tracer.ts';
import type { OverloadReason } from './admission.ts';

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

/** The counts of a thread since its last report, and its state. */
export type ThreadReport = {
  /** Answered requests, by outcome. */
  readonly answered: Counts;
  /** Requests that are not authentic, by the first failed check. */
  readonly refused: Counts;
  /** Connections and bodies refused above a limit, by limit. */
  readonly overloaded: Counts;
  /** Stored messages by type, "unknown" for unused types. */
  readonly messages: Counts;
  /** Stored dead letters by code. */
  readonly deadLetters: Counts;
  /** Spans of traces, by what became of them. */
  readonly spans: Counts;
  /** How long deliveries took until they were stored, seconds: the longest of each turn of the event loop. */
  readonly storeSeconds: readonly number[];
  /** From the provider's `ut` to the receipt of stored messages, milliseconds. */
  readonly providerMs: readonly number[];
  /** Bytes of records that are not acknowledged yet. */
  readonly pendingBytes: number;
  /** Open connections. */
  readonly connections: number;
  /** Bytes held of bodies whose signature is not proven yet. */
  readonly unprovenBytes: number;
  /** Whether the last records sent were acknowledged. */
  readonly healthy: boolean;
};

export type Counts = Readonly<Record<string, number>>;

/** What is counted by name, and its names. */
type Names = {
  answered: RequestOutcome;
  refused: SignatureFault;
  overloaded: OverloadReason;
  messages: string;
  deadLetters: string;
  spans: SpanOutcome;
};
type Draft = Record<keyof Names, Record<string, number>> & { storeSeconds: number[]; providerMs: number[] };

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
    const counts: Record<string, number> = this.#draft[of];
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
