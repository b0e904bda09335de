/** Operations of the live board and the feed. */
import { z } from 'zod';
import { operation } from '../operation.ts';
import {
  eventIdsParameter,
  formatDate,
  idParameter,
  LIST_LIMITS,
  pagingParameters,
  secondsParameter,
  yesNoParameter,
} from '../parameters.ts';
import { dateWindow, feedWindow } from '../windows.ts';
import { AS_PUBLISHED, dates, flag, pageOf, statusType } from './common.ts';

export const liveOperations = [
  operation({
    name: 'livescore.index',
    path: '/v2/livescore',
    summary:
      'A whole board: the events of a window of dates, in their places; where it holds the present, all that are live.',
    params: {
      sport_id: idParameter.optional(),
      status_type: statusType.optional(),
      events_details: yesNoParameter.default('yes'),
      ...dates,
      show_postponed: yesNoParameter.default('no'),
      timestamp: secondsParameter.optional(),
      ...pagingParameters(LIST_LIMITS),
    },
    settle: (values, now) => ({ ...values, ...dateWindow(values, now) }),
    data: ({ eventTree }) => z.looseObject({ competitions: z.array(eventTree) }),
    answer: (data, values, _id, access, now) =>
      data.livescore(
        {
          ...pageOf(values),
          sportId: values.sport_id ?? null,
          statusType: values.status_type ?? null,
          eventsDetails: values.events_details === 'yes',
          dateFrom: values.date_from,
          dateTo: values.date_to,
          showPostponed: values.show_postponed === 'yes',
          holdsNow: values.date_from <= formatDate(now) && formatDate(now) <= values.date_to,
          timestamp: values.timestamp ?? null,
        },
        access,
      ),
  }),
  operation({
    name: 'basic-livescore.index',
    path: '/v2/basic-livescore',
    summary: 'Scores and status of the events that changed.',
    notShown: 'Response shape: not shown; that of events-simple.',
    params: { timestamp: secondsParameter, sport_id: idParameter.optional() },
    data: ({ simpleTree }) => z.looseObject({ competitions: z.array(simpleTree) }),
    answer: (data, values, _id, access) =>
      data.basicLivescore({ timestamp: values.timestamp, sportId: values.sport_id ?? null }, access),
  }),
  operation({
    name: 'feed.index',
    path: '/v2/feed',
    summary:
      'Messages of a window, inclusive at both ends, the newest first; without one, of the last 24 hours.',
    notShown:
      'How wide a window may be is not shown: 31 days. One that begins before what is kept is refused. Both filters by importance leave out events, which have none.',
    params: {
      timestamp: secondsParameter.optional(),
      timestamp_to: secondsParameter.optional(),
      type: z.enum(['incident', 'event']).optional(),
      event_ids: eventIdsParameter.optional(),
      important: yesNoParameter.optional(),
      important_for_trader: yesNoParameter.optional(),
    },
    settle: (values, now) => ({ ...values, ...feedWindow(values, now) }),
    data: ({ feedMessage }) => z.array(feedMessage),
    answer: (data, values, _id, access) =>
      data.feed(
        {
          from: values.timestamp,
          to: values.timestamp_to,
          type: values.type ?? null,
          eventIds: values.event_ids === undefined ? null : new Set(values.event_ids.split(',').map(Number)),
          important: flag(values.important),
          importantForTrader: flag(values.important_for_trader),
        },
        access,
      ),
  }),
  operation({
    name: 'feed.show',
    path: '/v2/feed/{id}',
    summary: 'The messages of one event.',
    notShown: `Response shape: not shown; ${AS_PUBLISHED}, whose id is that of an event.`,
    idName: 'event_id',
    params: {},
    data: ({ feedMessage }) => z.array(feedMessage),
    answer: (data, _values, id, access) => data.feedOf(id, access),
  }),
] as const;
