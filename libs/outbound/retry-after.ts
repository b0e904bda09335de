const SECONDS = /^\d{1,10}$/;
/** IMF-fixdate, the only date form that HTTP allows a server to send (RFC 9110, 5.6.7). */
const DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait of a `Retry-After` header, in milliseconds from `nowMs` (Unix milliseconds), never negative; null where the
 * header is not valid HTTP.
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  if (SECONDS.test(header)) return Number(header) * 1000;
  const at = DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
