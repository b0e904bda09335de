/** The limits of the endpoint (spec, "Limits"), and what is ours where the spec is silent. */
export type McpLimits = {
  /** Requests of one token in a rolling minute. */
  readonly requestsPerToken: number;
  /** Requests without a good token of one address in a rolling minute. */
  readonly requestsPerAddress: number;
  /** Bytes of a body. */
  readonly maxBodyBytes: number;
  /** Sessions of a replica, and of one token there. */
  readonly maxSessions: number;
  readonly maxSessionsPerToken: number;
  /** A session without a request and without a stream ends after so long, milliseconds. */
  readonly sessionIdleMs: number;
  /** Streams of a replica, and of one token there. */
  readonly maxStreams: number;
  readonly maxStreamsPerToken: number;
  /** A stream whose reader reads nothing for so long is closed, milliseconds. */
  readonly streamStallMs: number;
  /** A stream ends after so long, milliseconds: its client opens another one. */
  readonly streamMaxMs: number;
  /** How often sessions and streams are checked, milliseconds: a revoked token keeps its streams for at most so long. */
  readonly sweepMs: number;
  /** Resources that one session, or one stream, may subscribe to. */
  readonly maxSubscriptions: number;
};

export const LIMITS: McpLimits = {
  requestsPerToken: 120,
  requestsPerAddress: 60,
  maxBodyBytes: 64 * 1024,
  maxSessions: 1_000,
  maxSessionsPerToken: 50,
  sessionIdleMs: 15 * 60_000,
  maxStreams: 1_000,
  maxStreamsPerToken: 50,
  streamStallMs: 30_000,
  streamMaxMs: 60 * 60_000,
  sweepMs: 1_000,
  maxSubscriptions: 200,
};

/** The window of both rates, milliseconds. */
export const WINDOW_MS = 60_000;
/** Tokens and addresses whose requests are counted at once. */
export const MAX_COUNTED = 10_000;
