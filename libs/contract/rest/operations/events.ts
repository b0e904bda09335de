/** Operations of events and their incidents. */
import { z } from 'zod';
import { operation } from '../operation.ts';
import { eventsParameters, incidentsParameters } from '../parameters.ts';
import type { EventsQuery } from '../provider.ts';
import { ANSWERS } from '../records.ts';
import { dateWindow, openDates } from '../windows.ts';

/** Limits the list to a window of dates, today by default, unless a competition, season, stage or participant is named. */
function settleEvents(values: EventsQuery, now: number): EventsQuery {
  const { competition_id, season_id, stage_id, participant_id } = values;
  const narrowed = competition_id ?? season_id ?? stage_id ?? participant_id;
  return { ...values, ...(narrowed === undefined ? dateWindow(values, now) : openDates(values)) };
}

export const eventOperations = [
  operation({
    name: 'events.index',
    path: '/v2/events',
    summary: 'Events, in their places.',
    notShown:
      'The maximum range of dates is not shown: 31 days; any range if a competition, season, stage or participant is named.',
    params: eventsParameters,
    settle: settleEvents,
    data: z.looseObject({ competitions: z.array(ANSWERS.eventTree) }),
    answer: (data, values, _id, access) => data.events(values, access),
  }),
  operation({
    name: 'events-simple.index',
    path: '/v2/events-simple',
    summary: 'Events with their scores and status, in their places.',
    notShown: 'Parameters and response shape: not shown; those of events, with fewer fields of an event.',
    params: eventsParameters,
    settle: settleEvents,
    data: z.looseObject({ competitions: z.array(ANSWERS.simpleTree) }),
    answer: (data, values, _id, access) => data.eventsSimple(values, access),
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
