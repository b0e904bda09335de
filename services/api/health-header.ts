import type { FastifyRequest } from 'fastify';
import type { FeedStatus } from '#tradability/feed-status.ts';
import type { BoardView } from '#views/store/views.ts';

type HeaderView = Pick<BoardView, 'health' | 'matchHealth' | 'halts'> & {
  readonly matches: Pick<BoardView['matches'], 'state'>;
};

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
export function healthHeader(view: HeaderView, eventId: number | null, now: number): string {
  const entries = view.health.sources(now).map((source) => entry(source.source, source));
  if (eventId !== null)
    entries.push(haltEntry(view, eventId, now) ?? entry('match', view.matchHealth(eventId, now)));
  return entries.length === 0 ? 'unknown' : entries.join(', ');
}

/** Returns the entry of a match that must not be traded for a halt by hand, so that a client that knows only feeds obeys it too; else null. */
function haltEntry({ halts, matches }: HeaderView, eventId: number, now: number): string | null {
  const competition_id = matches.state(eventId)?.competition_id ?? null;
  const { isRead, standing } = halts.standing(now, { event_id: eventId, competition_id });
  if (standing.length > 0) return 'match=halted;reason=by_hand';
  return isRead ? null : 'match=halted;reason=halts_unread';
}

function entry(name: string, { state, reason, delay }: FeedStatus): string {
  const by = state === 'delayed' && delay !== null ? `;delay=${Math.round(delay / 1_000)}` : '';
  return `${name}=${state}${reason === null ? '' : `;reason=${reason}`}${by}`;
}
