import type { FastifyRequest } from 'fastify';
import type { FeedStatus } from '#tradability/feed-status.ts';
import type { BoardView } from '#views/store/views.ts';

/** Route of the operations on one event. */
const EVENT_ROUTE = /^\/v2\/events\/:id(?:\/|$)/;

/** Returns the id of the event that a request names; null when it names none. */
export function eventIdOf({
  routeOptions,
  params,
}: Pick<FastifyRequest, 'routeOptions' | 'params'>): number | null {
  const id = (params as { readonly id?: string } | undefined)?.id ?? '';
  return /^\d{1,15}$/.test(id) && EVENT_ROUTE.test(routeOptions.url ?? '') ? Number(id) : null;
}

/**
 * Renders the state of each source, and of the match when `eventId` is not null, as a structured field dictionary (RFC 9651):
 * `feed=down;reason=network, webhook=delayed;reason=delay;delay=45, match=alive`: `delay` in seconds. Clients act on `alive` and `recovered` only. `now`: Unix milliseconds.
 */
export function healthHeader(
  view: Pick<BoardView, 'health' | 'matchHealth'>,
  eventId: number | null,
  now: number,
): string {
  const entries = view.health.sources(now).map((source) => entry(source.source, source));
  if (eventId !== null) entries.push(entry('match', view.matchHealth(eventId, now)));
  return entries.length === 0 ? 'unknown' : entries.join(', ');
}

function entry(name: string, { state, reason, delay }: FeedStatus): string {
  const by = state === 'delayed' && delay !== null ? `;delay=${Math.round(delay / 1_000)}` : '';
  return `${name}=${state}${reason === null ? '' : `;reason=${reason}`}${by}`;
}
