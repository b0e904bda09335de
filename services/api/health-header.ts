import type { FastifyRequest } from 'fastify';
import type { FeedStatus } from '#tradability/feed-status.ts';
import type { BoardView } from '#views/store/views.ts';

/** Operations of one event. */
const OF_EVENT = /^\/v2\/events\/:id(?:\/|$)/;

/** The event that a request is about; null where it is about none. */
export function eventOf({
  routeOptions,
  params,
}: Pick<FastifyRequest, 'routeOptions' | 'params'>): number | null {
  const id = (params as { readonly id?: string } | undefined)?.id ?? '';
  return /^\d{1,15}$/.test(id) && OF_EVENT.test(routeOptions.url ?? '') ? Number(id) : null;
}

/**
 * A dictionary of structured fields (RFC 9651): the state of each source, and of the match where the request is about one, as
 * `feed=down;reason=network, webhook=alive, match=alive`. A client acts on alive and recovered only. `now`: Unix milliseconds.
 */
export function healthHeader(
  view: Pick<BoardView, 'sourceHealth' | 'matchHealth'>,
  eventId: number | null,
  now: number,
): string {
  const entries = view.sourceHealth(now).map((source) => entry(source.source, source));
  if (eventId !== null) entries.push(entry('match', view.matchHealth(eventId, now)));
  return entries.length === 0 ? 'unknown' : entries.join(', ');
}

function entry(name: string, { state, reason }: FeedStatus): string {
  return `${name}=${state}${reason === null ? '' : `;reason=${reason}`}`;
}
