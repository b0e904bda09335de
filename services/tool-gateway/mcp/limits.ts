/** The limits of the endpoint (spec, "Limits"), and what is ours where the spec is silent. */
export const LIMITS = {
  /** Requests of one token in a rolling minute. */
  requestsPerToken: 120,
  /** Requests without a good token of one address in a rolling minute. */
  requestsPerAddress: 60,
  /** Bytes of a body. */
  maxBodyBytes: 64 * 1024,
  /** Sessions of a replica, and of one token there. */
  maxSessions: 1_000,
  maxSessionsPerToken: 50,
  /** A session without a request and without a stream ends after so long, milliseconds. */
  sessionIdleMs: 15 * 60_000,
  /** Streams of a replica, and of one token there. */
  maxStreams: 1_000,
  maxStreamsPerToken: 50,
  /** A stream whose reader reads nothing for so long is closed, milliseconds. */
  streamStallMs: 30_000,
  /** A stream ends after so long, milliseconds: its client opens another one. */
  streamMaxMs: 60 * 60_000,
  /** How often sessions and streams are checked, milliseconds: a revoked token keeps its streams for at most so long. */
  sweepMs: 1_000,
  /** Resources that one session, or one stream, may subscribe to. */
  maxSubscriptions: 200,
};

export type McpLimits = Readonly<typeof LIMITS>;

/** The window of both rates, milliseconds. */
export const WINDOW_MS = 60_000;
/** Tokens and addresses whose requests are counted at once. */
export const MAX_COUNTED = 10_000;
