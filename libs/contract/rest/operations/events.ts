/** Operations of events and their incidents. */
import { z } from 'zod';
import { operation } from '../operation.ts';
import {
  CATALOGUE_LIMITS,
  idParameter,
  LIST_LIMITS,
  pagingParameters,
  secondsParameter,
  yesNoParameter,
} from '../parameters.ts';
import type { EventsQuery } from '../provider.ts';
import { dateWindow, openDates } from '../windows.ts';
import { dates, flag, pageOf, statusType } from './common.ts';

const events = {
  sport_id: idParameter.optional(),
  competition_id: idParameter.optional(),
  season_id: idParameter.optional(),
  stage_id: idParameter.optional(),
  status_type: statusType.optional(),
  participant_id: idParameter.optional(),
  venue_type: z.enum(['home', 'away']).optional(),
  ...dates,
  timestamp: secondsParameter.optional(),
  ...pagingParameters(LIST_LIMITS),
};
type EventsValues = z.output<z.ZodObject<typeof events>>;

/** Without a season, stage or the like the list covers days: today's without a date. */
function settleEvents(values: EventsValues, now: number): EventsValues {
  const { competition_id, season_id, stage_id, participant_id } = values;
  const narrowed = competition_id ?? season_id ?? stage_id ?? participant_id;
  return { ...values, ...(narrowed === undefined ? dateWindow(values, now) : openDates(values)) };
}

function eventsQuery(values: EventsValues): EventsQuery {
  return {
    ...pageOf(values),
    sportId: values.sport_id ?? null,
    competitionId: values.competition_id ?? null,
    seasonId: values.season_id ?? null,
    stageId: values.stage_id ?? null,
    statusType: values.status_type ?? null,
    participantId: values.participant_id ?? null,
    venueType: values.venue_type ?? null,
    dateFrom: values.date_from ?? null,
    dateTo: values.date_to ?? null,
    timestamp: values.timestamp ?? null,
  };
}

export const eventOperations = [
  operation({
    name: 'events.index',
    path: '/v2/events',
    summary: 'Events, in their places.',
    notShown:
      'How wide a range of dates may be is not shown: 31 days, and any where a season or the like is named.',
    params: events,
    settle: settleEvents,
    data: ({ eventTree }) => z.looseObject({ competitions: z.array(eventTree) }),
    answer: (data, values, _id, access) => data.events(eventsQuery(values), access),
  }),
  operation({
    name: 'events-simple.index',
    path: '/v2/events-simple',
    summary: 'Events with their scores and status, in their places.',
    notShown: 'Parameters and response shape: not shown; those of events, with fewer fields of an event.',
    params: events,
    settle: settleEvents,
    data: ({ simpleTree }) => z.looseObject({ competitions: z.array(simpleTree) }),
    answer: (data, values, _id, access) => data.eventsSimple(eventsQuery(values), access),
  }),
  operation({
    name: 'events.show',
    path: '/v2/events/{id}',
    summary: 'An event with its incidents, in its places.',
    idName: 'event_id',
    params: {},
    data: ({ eventChain }) => z.looseObject({ competition: eventChain }),
    answer: (data, _values, id, access) => data.event(id, access),
  }),
  operation({
    name: 'events.incidents',
    path: '/v2/events/{id}/incidents',
    summary: 'The incidents of an event, ordered by id as text where nothing else is asked for.',
    notShown: 'Values of `limit`: not shown; those of the catalogues.',
    idName: 'event_id',
    params: {
      deleted: yesNoParameter.default('no'),
      confirmation: z.enum(['tbd', 'confirmed', 'cancelled']).optional(),
      updated: yesNoParameter.optional(),
      participant_id: idParameter.optional(),
      sort_type: z.enum(['id', 'occurred_at']).default('id'),
      sort_order: z.enum(['asc', 'desc']).default('asc'),
      ...pagingParameters(CATALOGUE_LIMITS),
    },
    data: ({ incident }) => z.array(incident),
    answer: (data, values, eventId, access) =>
      data.eventIncidents(
        {
          ...pageOf(values),
          eventId,
          deleted: values.deleted === 'yes',
          confirmation: values.confirmation ?? null,
          updated: flag(values.updated),
          sortType: values.sort_type,
          sortOrder: values.sort_order,
          participantId: values.participant_id ?? null,
        },
        access,
      ),
  }),
  operation({
    name: 'events.important-incidents',
    path: '/v2/events/{id}/important-incidents',
    summary: 'The important incidents of an event.',
    notShown: 'Fields of an important incident: not shown; those of an incident.',
    idName: 'event_id',
    params: {},
    data: ({ importantIncident }) => z.looseObject({ event_incidents: z.array(importantIncident) }),
    answer: (data, _values, id, access) => data.importantIncidents(id, access),
  }),
] as const;
