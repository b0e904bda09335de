/** Whether a record matches a query of the contract. */
import { parseDate } from '#contract/rest/parameters.ts';
import type { EventsQuery, FeedQuery, IncidentsQuery, LivescoreQuery } from '#contract/rest/provider.ts';
import { compareIds } from '#domain/incident-register.ts';
import { STATUS } from '#soccer/soccer.ts';
import type { ProviderMessage } from '../records.ts';
import type { KnownEvent, PublishedIncident } from './provider-state.ts';

/** Whether a value equals the wanted one; undefined matches every value. */
function is<T>(wanted: T | undefined, value: T): boolean {
  return wanted === undefined || wanted === value;
}

export function inEvents(event: KnownEvent, query: EventsQuery): boolean {
  const { record } = event;
  const { participant_id, venue_type, date_from, date_to } = query;
  const start = `${record.start_date}:00`;
  return (
    is(query.sport_id, record.sport_id) &&
    is(query.competition_id, record.competition_id) &&
    is(query.season_id, record.season_id) &&
    is(query.stage_id, record.stage_id) &&
    is(query.status_type, record.status_type) &&
    (query.timestamp === undefined || event.changedAt >= query.timestamp) &&
    (date_from === undefined || start >= date_from) &&
    (date_to === undefined || start <= date_to) &&
    (participant_id === undefined ||
      record.participants.some(
        ({ id, counter }) => id === participant_id && is(venue_type, counter === 1 ? 'home' : 'away'),
      ))
  );
}

/**
 * Whether the board of a window lists a match: its date or one of its messages is in the window. A match that waited for
 * the others of its wave is live on a later day than its date.
 */
export function onBoard(event: KnownEvent, query: LivescoreQuery): boolean {
  const { record } = event;
  const start = `${record.start_date}:00`;
  const [from, to] = [parseDate(query.date_from), parseDate(query.date_to)];
  return (
    is(query.sport_id, record.sport_id) &&
    is(query.status_type, record.status_type) &&
    (query.timestamp === undefined || event.changedAt >= query.timestamp) &&
    (query.show_postponed === 'yes' || Number(record.status_id) !== STATUS.postponed) &&
    ((start >= query.date_from && start <= query.date_to) || (event.firstAt <= to && event.changedAt >= from))
  );
}

/** Whether a list has an incident. Only a query with `deleted=yes` lists the removed ones, and only these. */
export function inIncidents({ record, removed, updated }: PublishedIncident, query: IncidentsQuery): boolean {
  return (
    removed === (query.deleted === 'yes') &&
    is(query.confirmation, record.confirmation) &&
    is(query.updated, updated ? 'yes' : 'no') &&
    is(query.participant_id, record.participant_id)
  );
}

export function inFeed(
  { type, data }: ProviderMessage,
  query: Omit<FeedQuery, 'timestamp' | 'timestamp_to'>,
): boolean {
  const flag = (wanted: 'yes' | 'no' | undefined, value: unknown): boolean =>
    wanted === undefined || (value !== undefined && (wanted === 'yes') === (value === 'yes'));
  return (
    is<string>(query.type, type) &&
    (query.eventIds === null || query.eventIds.has(data.event.id)) &&
    flag(query.important, data.incident?.important) &&
    flag(query.important_for_trader, data.incident?.important_for_trader)
  );
}

/** Returns a comparison of incidents: by id as text, or by first publication and then by id. */
export function inOrder(query?: Pick<IncidentsQuery, 'sort_type' | 'sort_order'>) {
  const sign = query?.sort_order === 'desc' ? -1 : 1;
  return (a: PublishedIncident, b: PublishedIncident): number => {
    const byId = compareIds(a.record.id, b.record.id);
    return sign * (query?.sort_type === 'occurred_at' ? a.occurredAt - b.occurredAt || byId : byId);
  };
}
