const SECONDS = /^\d{1,10}$/;
/** IMF-fixdate, the one form of a date that HTTP lets a server send (RFC 9110, 5.6.7). */
const DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * What a `Retry-After` header asks for, in milliseconds from `nowMs` (Unix milliseconds), never negative; null where it
 * asks for nothing that HTTP defines.
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  if (SECONDS.test(header)) return Number(header) * 1000;
  const at = DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
