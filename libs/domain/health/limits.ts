/** Times of feed health, milliseconds: docs/decisions/0080. */

/** How often the record of a source is written. */
export const HEARTBEAT_MS = 500;
/** Longest validity: a reader withdraws it within two seconds after it was written, drawing included. */
export const VALID_MS = 1_750;
/** How long it stays valid after the next match becomes stale: readers have the rest of a second to read their clock. */
export const DUE_WITHIN_MS = 800;
/** A record that is valid for less is renewed before the next heartbeat, as soon as it can be. */
export const RENEW_MS = 1_000;
/** Reading that lags a deadline by more than this is our own delay. */
export const READ_WITHIN_MS = 500;
/** Reading that paused for longer was interrupted, e.g. by a broker that was down: messages that could not be written then are not missing. */
export const INTERRUPTED_MS = 2_000;
/** How long the record of a finished match is kept. */
export const KEEP_ENDED_MS = 86_400_000;
/** How often the record of a live match is written, changed or not: a restart has nothing older to read again. */
export const REFRESH_MS = 60_000;
/** A process of an ingress service whose last report is older no longer reports. */
export const REPORTS_WITHIN_MS = 10_000;
/** How long `recovered` is shown. */
export const RECOVERED_MS = 60_000;
/** A match without a message of any source for so long is over, whatever its status. */
export const ABANDONED_MS = 6 * 3_600_000;
