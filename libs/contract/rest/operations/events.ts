/** Operations of events and their incidents. */
import { z } from 'zod';
import { operation } from '../operation.ts';
import { eventsParameters, incidentsParameters } from '../parameters.ts';
import type { EventsQuery, EventsValues } from '../provider.ts';
import { ANSWERS } from '../records.ts';
import { dateWindow, includesNow, liveSince, openDates } from '../windows.ts';

/** Whether the list is limited by a competition, season, stage or participant, so that it needs no dates. */
function isNarrowed({ competition_id, season_id, stage_id, participant_id }: EventsValues): boolean {
  return (competition_id ?? season_id ?? stage_id ?? participant_id) !== undefined;
}

/** Limits the list to a window of dates, today by default, unless it is narrowed. */
function settleEvents(values: EventsValues, now: number): EventsValues {
  return { ...values, ...(isNarrowed(values) ? openDates(values) : dateWindow(values, now)) };
}

/** Adds the live events to a window of dates that includes now: matches in play are never missing from the default list. */
function withLive(values: EventsValues, now: number): EventsQuery {
  const query = { ...values, liveSince: liveSince(now) };
  return isNarrowed(values) ? query : { ...query, holdsNow: includesNow(dateWindow(values, now), now) };
}

export const eventOperations = [
  operation({
    name: 'events.index',
    path: '/v2/events',
    summary: 'Events, in their places; a window of dates that includes now has all live events too.',
    notShown:
      'The maximum range of dates is not shown: 31 days; any range if a competition, season, stage or participant is named.',
    params: eventsParameters,
    settle: settleEvents,
    data: z.looseObject({ competitions: z.array(ANSWERS.eventTree) }),
    answer: (data, values, _id, access, now) => data.events(withLive(values, now), access),
  }),
  operation({
    name: 'events-simple.index',
    path: '/v2/events-simple',
    summary: 'Events with their scores and status, in their places.',
    notShown: 'Parameters and response shape: not shown; those of events, with fewer fields of an event.',
    params: eventsParameters,
    settle: settleEvents,
    data: z.looseObject({ competitions: z.array(ANSWERS.simpleTree) }),
    answer: (data, values, _id, access, now) => data.eventsSimple(withLive(values, now), access),
  }),
  operation({
    name: 'events.show',
    path: '/v2/events/{id}',
    summary: 'An event with its incidents, in its places.',
    idName: 'event_id',
    params: {},
    data: z.looseObject({ competition: ANSWERS.eventChain }),
    answer: (data, _values, id, access) => data.event(id, access),
  }),
  operation({
    name: 'events.incidents',
    path: '/v2/events/{id}/incidents',
    summary: 'The incidents of an event, by default ordered by id as text.',
    notShown: 'Values of `limit`: not shown; those of the catalogues.',
    idName: 'event_id',
    params: incidentsParameters,
    data: z.array(ANSWERS.incident),
    answer: (data, values, eventId, access) => data.eventIncidents({ ...values, eventId }, access),
  }),
  operation({
    name: 'events.important-incidents',
    path: '/v2/events/{id}/important-incidents',
    summary: 'The important incidents of an event.',
    notShown: 'Fields of an important incident: not shown; those of an incident.',
    idName: 'event_id',
    params: {},
    data: z.looseObject({ event_incidents: z.array(ANSWERS.importantIncident) }),
    answer: (data, _values, id, access) => data.importantIncidents(id, access),
  }),
] as const;
