/** Which records a query of the contract asks for. */
import { parseDate } from '#contract/rest/parameters.ts';
import type { EventsQuery, FeedQuery, IncidentsQuery, LivescoreQuery } from '#contract/rest/provider.ts';
import type { ProviderMessage } from '../records.ts';
import type { KnownEvent, PublishedIncident } from './provider-state.ts';

const POSTPONED = 5;

/** Whether a value equals the wanted one; null matches every value. */
function is<T>(asked: T | null, value: T): boolean {
  return asked === null || asked === value;
}

export function inEvents(event: KnownEvent, query: EventsQuery): boolean {
  const { record } = event;
  const { participantId, venueType } = query;
  const start = `${record.start_date}:00`;
  return (
    is(query.sportId, record.sport_id) &&
    is(query.competitionId, record.competition_id) &&
    is(query.seasonId, record.season_id) &&
    is(query.stageId, record.stage_id) &&
    is(query.statusType, record.status_type) &&
    (query.timestamp === null || event.changedAt >= query.timestamp) &&
    (query.dateFrom === null || start >= query.dateFrom) &&
    (query.dateTo === null || start <= query.dateTo) &&
    (participantId === null ||
      record.participants.some(
        ({ id, counter }) => id === participantId && is(venueType, counter === 1 ? 'home' : 'away'),
      ))
  );
}

/**
 * A match belongs to the board of a window that holds its date or one of its messages: a match that waited for the
 * others of its wave is live on a later day than its date.
 */
export function onBoard(event: KnownEvent, query: LivescoreQuery): boolean {
  const { record } = event;
  const start = `${record.start_date}:00`;
  const [from, to] = [parseDate(query.dateFrom), parseDate(query.dateTo)];
  return (
    is(query.sportId, record.sport_id) &&
    is(query.statusType, record.status_type) &&
    (query.timestamp === null || event.changedAt >= query.timestamp) &&
    (query.showPostponed || Number(record.status_id) !== POSTPONED) &&
    ((start >= query.dateFrom && start <= query.dateTo) || (event.firstAt <= to && event.changedAt >= from))
  );
}

/** Removed incidents are listed where they are asked for, and nowhere else. */
export function inIncidents({ record, removed, updated }: PublishedIncident, query: IncidentsQuery): boolean {
  return (
    removed === query.deleted &&
    is(query.confirmation, record.confirmation) &&
    is(query.updated, updated) &&
    is(query.participantId, record.participant_id)
  );
}

export function inFeed({ type, data }: ProviderMessage, query: Omit<FeedQuery, 'from' | 'to'>): boolean {
  const flag = (asked: boolean | null, value: unknown): boolean =>
    asked === null || (value !== undefined && asked === (value === 'yes'));
  return (
    (query.type === null || query.type === type) &&
    (query.eventIds === null || query.eventIds.has(data.event.id)) &&
    flag(query.important, data.incident?.important) &&
    flag(query.importantForTrader, data.incident?.important_for_trader)
  );
}

/** By id as text, or by first publication and then by id. */
export function inOrder(query?: Pick<IncidentsQuery, 'sortType' | 'sortOrder'>) {
  const sign = query?.sortOrder === 'desc' ? -1 : 1;
  return (a: PublishedIncident, b: PublishedIncident): number => {
    const byId = a.record.id < b.record.id ? -1 : a.record.id > b.record.id ? 1 : 0;
    return sign * (query?.sortType === 'occurred_at' ? a.occurredAt - b.occurredAt || byId : byId);
  };
}
