/** Limits of the endpoint: those of the spec ("Limits"), and our own where the spec has none. */
export const LIMITS = {
  requestsPerToken: 120,
  /** Requests without a valid token of one address in a rolling minute. */
  requestsPerAddress: 60,
  maxBodyBytes: 64 * 1024,
  /** Maximum number of sessions of a replica, and of one token on it. */
  maxSessions: 1_000,
  maxSessionsPerToken: 50,
  /** Idle time after which a session without a stream ends, milliseconds. */
  sessionIdleMs: 15 * 60_000,
  /** Maximum number of streams of a replica, and of one token on it. */
  maxStreams: 1_000,
  maxStreamsPerToken: 50,
  /** Time after which a stream is closed whose reader reads nothing, milliseconds. */
  streamStallMs: 30_000,
  /** Maximum age of a stream, milliseconds; its client then opens another one. */
  streamMaxMs: 60 * 60_000,
  /** Interval between checks of sessions and streams, milliseconds. At most for so long a revoked token keeps its streams. */
  sweepMs: 1_000,
  /** Maximum number of resources that one session, or one stream, may subscribe to. */
  maxSubscriptions: 200,
};

export type McpLimits = Readonly<typeof LIMITS>;

/** The window of both rates, milliseconds. */
export const WINDOW_MS = 60_000;
