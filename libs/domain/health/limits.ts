/** Times of feed health, milliseconds: docs/decisions/0080. */

/** How often the record of a source is written. */
export const HEARTBEAT_MS = 500;
/** How long it is valid at most: whoever shows it has withdrawn it two seconds after it was written, the time to draw included. */
export const VALID_MS = 1_750;
/** How much longer than until the next match becomes stale it is valid: readers get the rest of a second to look at their clock. */
export const DUE_WITHIN_MS = 800;
/** A record that is valid for less is renewed before the next heartbeat, as soon as it can be. */
export const RENEW_MS = 1_000;
/** Reading that is later than this behind a moment that counts is our own delay. */
export const READ_WITHIN_MS = 500;
/** Reading that rested for longer was interrupted, as by a broker that was down: what could not be written meanwhile was not missed. */
export const INTERRUPTED_MS = 2_000;
/** How long the record of a match that is over stays. */
export const KEEP_ENDED_MS = 86_400_000;
/** How often the record of a live match is written, changed or not: a restart has nothing older to read again. */
export const REFRESH_MS = 60_000;
/** A process of an ingress service whose last report is older no longer reports. */
export const REPORTS_WITHIN_MS = 10_000;
/** How long `recovered` is shown. */
export const RECOVERED_MS = 60_000;
/** A match that no source spoke of for so long is over, whatever its status. */
export const ABANDONED_MS = 6 * 3_600_000;
