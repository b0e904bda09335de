/** Times that readers and monitors share, milliseconds: docs/decisions/0080. */

/** How often the record of a source is written. */
export const HEARTBEAT_MS = 500;
/** How long it is valid at most. */
export const VALID_MS = 5_000;
/** How much later than due anything may be published: no record is valid for longer. */
export const DUE_WITHIN_MS = 1_000;
/** How long the record of a match that is over stays. */
export const KEEP_ENDED_MS = 86_400_000;
/** How often the record of a live match is written, changed or not: what a restart has to read again is no older. */
export const REFRESH_MS = 60_000;
/** A process of an ingress service that has not reported for so long no longer does. */
export const REPORTS_WITHIN_MS = 10_000;
/** How long `recovered` is shown. */
export const RECOVERED_MS = 60_000;
/** A match that no source spoke of for so long is over, whatever its status. */
export const ABANDONED_MS = 6 * 3_600_000;
