/** Operations of the live board and the feed. */
import { z } from 'zod';
import { AS_PUBLISHED, operation } from '../operation.ts';
import { basicLivescoreParameters, feedParameters, livescoreParameters } from '../parameters.ts';
import { ANSWERS } from '../records.ts';
import { dateWindow, feedWindow, includesNow, liveSince } from '../windows.ts';

export const liveOperations = [
  operation({
    name: 'livescore.index',
    path: '/v2/livescore',
    summary:
      'A whole board: the events of a window of dates, in their places; if the window includes now, also all live events.',
    params: livescoreParameters,
    settle: (values, now) => ({ ...values, ...dateWindow(values, now) }),
    data: z.looseObject({ competitions: z.array(ANSWERS.eventTree) }),
    answer(data, values, _id, access, now) {
      return data.livescore(
        { ...values, holdsNow: includesNow(values, now), liveSince: liveSince(now) },
        access,
      );
    },
  }),
  operation({
    name: 'basic-livescore.index',
    path: '/v2/basic-livescore',
    summary: 'Scores and status of the events that changed.',
    notShown: 'Response shape: not shown; that of events-simple.',
    params: basicLivescoreParameters,
    data: z.looseObject({ competitions: z.array(ANSWERS.simpleTree) }),
    answer: (data, values, _id, access) => data.basicLivescore(values, access),
  }),
  operation({
    name: 'feed.index',
    path: '/v2/feed',
    summary:
      'Messages of a window, inclusive at both ends, the newest first; without one, of the last 24 hours.',
    notShown:
      'The maximum window is not shown: 31 days. A window that begins before the retention of the feed is refused. Both filters by importance leave out messages of type event, which have no importance.',
    params: feedParameters,
    settle: (values, now) => ({ ...values, ...feedWindow(values, now) }),
    data: z.array(ANSWERS.feedMessage),
    answer(data, { event_ids, ...query }, _id, access) {
      const eventIds = event_ids === undefined ? null : new Set(event_ids.split(',').map(Number));
      return data.feed({ ...query, eventIds }, access);
    },
  }),
  operation({
    name: 'feed.show',
    path: '/v2/feed/{id}',
    summary: 'The messages of one event.',
    notShown: `Response shape: not shown; ${AS_PUBLISHED}, whose id is that of an event.`,
    idName: 'event_id',
    params: {},
    data: z.array(ANSWERS.feedMessage),
    answer: (data, _values, id, access) => data.feedOf(id, access),
  }),
] as const;
