import type { CodeOf } from '#errors/catalogue.ts';
import type { SignatureFault } from '#signing/signing.ts';
import type { SpanOutcome } from '#tracing/tracer.ts';

/** The exceeded limit: `maxConnections`, `maxUnprovenBytes`, or the time until a body was decoded before its proof. */
export type OverloadReason = 'connections' | 'unproven_bytes' | 'decoding';

/** The outcome of a request. */
export type RequestOutcome =
  | 'accepted'
  | 'not_authentic'
  | 'too_large'
  | 'too_many'
  | 'undecodable'
  | 'unsupported'
  | 'bad_request'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_slow'
  /** Refused above a limit, before its signature was checked. */
  | 'overloaded'
  | 'not_stored'
  | 'failed';

/** Why authentic deliveries are refused. */
export const AUTHENTIC_REFUSALS = [
  'timestamp_expired',
  'decoded_too_large',
  'undecodable',
  'charset',
  'too_many_messages',
] as const satisfies readonly ('timestamp_expired' | Lowercase<CodeOf<'DeliveryRefusedError'>>)[];
type AuthenticRefusal = (typeof AUTHENTIC_REFUSALS)[number];

/** The groups of counts, and the names that each counts. */
type Names = {
  /** Answered requests, by outcome. */
  answered: RequestOutcome;
  /** Requests that are not authentic, by the first failed check. */
  refused: SignatureFault;
  /** Deliveries that are authentic, and refused nevertheless. The bytes that arrived were signed, not their decoded form. */
  refusedAuthentic: AuthenticRefusal;
  /** Connections and bodies refused above a limit, by limit. */
  overloaded: OverloadReason;
  /** Stored messages by type; "unknown" for unused types. */
  messages: string;
  /** Stored dead letters by code. */
  deadLetters: string;
  /** Fields of stored messages that could not be read, by path. */
  unread: string;
  /** Spans of traces, by outcome. */
  spans: SpanOutcome;
};
export type Counts = Record<string, number>;

/** The counts of a thread since its last report. */
type Draft = Record<keyof Names, Counts> & {
  /** Times until deliveries were stored, seconds: the longest of each turn of the event loop. */
  storeSeconds: number[];
  /** Times from `ut` to the receipt of stored messages, milliseconds. */
  providerMs: number[];
};

/** The counts of a thread since its last report, and its state. */
export type ThreadReport = Readonly<Draft> & {
  /** Bytes of records that are not acknowledged yet. */
  readonly pendingBytes: number;
  /** Open connections. */
  readonly connections: number;
  /** Bytes held of bodies whose signature is not verified yet. */
  readonly unprovenBytes: number;
  /** Whether the broker acknowledged the last records sent. */
  readonly healthy: boolean;
};

const emptyDraft = (): Draft => ({
  answered: {},
  refused: {},
  refusedAuthentic: {},
  overloaded: {},
  messages: {},
  deadLetters: {},
  unread: {},
  spans: {},
  storeSeconds: [],
  providerMs: [],
});

/** Sums the counts of a thread between its reports: cheaper for a request than metrics with labels. */
export class RequestTally {
  #draft = emptyDraft();
  #longest = 0;

  /** Adds `times` to the count of a name in a group. */
  count<S extends keyof Names>(group: S, name: Names[S], times = 1): void {
    const counts: Counts = this.#draft[group];
    counts[name] = (counts[name] ?? 0) + times;
  }

  /** Adds the time that a message took from the provider, milliseconds. */
  received(providerMs: number): void {
    this.#draft.providerMs.push(providerMs);
  }

  /** Adds the seconds in which a delivery was stored. Deliveries of one produce request are stored in the same turn. */
  stored(seconds: number): void {
    if (this.#longest === 0) setImmediate(() => this.#endTurn());
    this.#longest = Math.max(this.#longest, seconds);
  }

  /** Returns the counts since the last call. */
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
