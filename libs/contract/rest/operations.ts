/** The operations of the contract: one table for server, client and document (spec, "Endpoints"). */
import { z } from 'zod';
import { SOCCER } from '#soccer/soccer.ts';
import { RestError } from './errors.ts';
import { AS_PUBLISHED, type Operation, type OperationInfo, operation } from './operation.ts';
import {
  basicLivescoreParameters,
  catalogueParameters,
  competitionsParameters,
  dateWindow,
  eventsParameters,
  feedParameters,
  feedWindow,
  idParameter,
  incidentsParameters,
  includesNow,
  liveSince,
  livescoreParameters,
  ofSport,
  openDates,
  stagesParameters,
  standingsParameters,
  type ValuesOf,
} from './parameters.ts';
import type { Access, EventsQuery } from './provider.ts';
import { ANSWERS } from './records.ts';

type EventsValues = ValuesOf<typeof eventsParameters>;

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

/** The operation that returns a token, the only one that reads no `ProviderData` (spec, "Authentication" 2). */
export const TOKEN_OPERATION = {
  name: 'oauth',
  path: '/v2/oauth',
  summary: 'Exchanges the credentials of a client for a token.',
  notShown: 'The answer to a wrong secret is not shown: 401.',
  open: true,
  idName: null,
  params: z.object({ client_id: z.string(), secret_key: z.string() }),
  data: z.looseObject({ client_id: z.string(), token: z.string(), token_expiration: z.int() }).meta({
    description: 'The token, and when it expires (Unix seconds).',
  }),
} as const satisfies OperationInfo;

const list = [
  operation({
    name: 'sports.index',
    summary: 'Sports.',
    open: true,
    params: catalogueParameters,
    data: z.looseObject({ sports: z.array(ANSWERS.sport) }),
    answer: (data, values) => data.sports(values),
  }),
  operation({
    name: 'sports.show',
    summary: 'A sport with its statuses, results, statistics, details, incidents and standings types.',
    notShown: `Response shape: not shown; ${AS_PUBLISHED}.`,
    idName: 'sport_id',
    data: z.looseObject({ sport: ANSWERS.sportDefinition }),
    answer: (data, _values, id) => data.sport(id),
  }),
  operation({
    name: 'areas.index',
    summary: 'Areas: countries and what they belong to.',
    notShown: `Fields of an area: not shown; ${AS_PUBLISHED}.`,
    open: true,
    params: catalogueParameters,
    data: z.looseObject({ areas: z.array(ANSWERS.area) }),
    answer: (data, values) => data.areas(values),
  }),
  operation({
    name: 'languages.index',
    summary: 'Languages.',
    notShown: `Fields of a language: not shown; ${AS_PUBLISHED}.`,
    open: true,
    params: catalogueParameters,
    data: z.looseObject({ languages: z.array(ANSWERS.language) }),
    answer: (data, values) => data.languages(values),
  }),
  operation({
    name: 'statuses.index',
    summary: 'Statuses of events.',
    notShown: `Parameters: not shown; those of the other catalogues. Fields ${AS_PUBLISHED}.`,
    params: ofSport,
    data: z.looseObject({ statuses: z.array(ANSWERS.status) }),
    answer: (data, values) => data.statuses(values),
  }),
  operation({
    name: 'incidents.index',
    summary: 'Types of incidents.',
    params: ofSport,
    data: z.looseObject({ incidents: z.array(ANSWERS.incidentType) }),
    answer: (data, values) => data.incidentTypes(values),
  }),
  operation({
    name: 'standings-types.index',
    summary: 'Types of standings with their columns.',
    params: { ...catalogueParameters, sport_id: idParameter.default(SOCCER) },
    data: z.looseObject({ standings_types: z.array(ANSWERS.standingsType) }),
    answer: (data, values) => data.standingsTypes(values),
  }),
  operation({
    name: 'standings.index',
    summary: 'The catalogue of standings.',
    notShown: 'Values of `limit`: not shown; those of the catalogues.',
    params: standingsParameters,
    settle(values) {
      if ((values.object_type === undefined) !== (values.object_id === undefined)) {
        throw new RestError('INVALID_PARAMETER');
      }
      return values;
    },
    data: z.looseObject({ standings_list: z.array(ANSWERS.standingsEntry) }),
    answer: (data, values, _id, access) => data.standingsList(values, access),
  }),
  operation({
    name: 'standings.show',
    summary: 'A table or a ranking.',
    idName: 'standing_id',
    data: z.looseObject({ standings: ANSWERS.standings }),
    answer: (data, _values, id, access) => data.standings(id, access),
  }),
  operation({
    name: 'competitions.index',
    summary: 'Competitions with their seasons.',
    notShown: 'Parameters: not shown; those of the other catalogues, and `area_id`.',
    params: competitionsParameters,
    data: z.looseObject({ competitions: z.array(ANSWERS.competition) }),
    answer: (data, values, _id, access) => data.competitions(values, access),
  }),
  operation({
    name: 'stages.index',
    summary: 'Stages, in their competitions and seasons.',
    notShown: `Parameters and response shape: not shown; parameters of the catalogues and \`season_id\`, nesting ${AS_PUBLISHED}.`,
    params: stagesParameters,
    data: z.looseObject({ competitions: z.array(ANSWERS.competition) }),
    answer: (data, values, _id, access) => data.stages(values, access),
  }),
  operation({
    name: 'events.index',
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
    summary: 'Events with their scores and status, in their places.',
    notShown: 'Parameters and response shape: not shown; those of events, with fewer fields of an event.',
    params: eventsParameters,
    settle: settleEvents,
    data: z.looseObject({ competitions: z.array(ANSWERS.simpleTree) }),
    answer: (data, values, _id, access, now) => data.eventsSimple(withLive(values, now), access),
  }),
  operation({
    name: 'events.show',
    summary: 'An event with its incidents, in its places.',
    idName: 'event_id',
    data: z.looseObject({ competition: ANSWERS.eventChain }),
    answer: (data, _values, id, access) => data.event(id, access),
  }),
  operation({
    name: 'events.incidents',
    summary: 'The incidents of an event, by default ordered by id as text.',
    notShown: 'Values of `limit`: not shown; those of the catalogues.',
    idName: 'event_id',
    params: incidentsParameters,
    data: z.array(ANSWERS.incident),
    answer: (data, values, eventId, access) => data.eventIncidents({ ...values, eventId }, access),
  }),
  operation({
    name: 'events.important-incidents',
    summary: 'The important incidents of an event.',
    notShown: 'Fields of an important incident: not shown; those of an incident.',
    idName: 'event_id',
    data: z.looseObject({ event_incidents: z.array(ANSWERS.incident) }),
    answer: (data, _values, id, access) => data.importantIncidents(id, access),
  }),
  operation({
    name: 'livescore.index',
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
    summary: 'Scores and status of the events that changed.',
    notShown: 'Response shape: not shown; that of events-simple.',
    params: basicLivescoreParameters,
    data: z.looseObject({ competitions: z.array(ANSWERS.simpleTree) }),
    answer: (data, values, _id, access) => data.basicLivescore(values, access),
  }),
  operation({
    name: 'feed.index',
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
    summary: 'The messages of one event.',
    notShown: `Response shape: not shown; ${AS_PUBLISHED}, whose id is that of an event.`,
    idName: 'event_id',
    data: z.array(ANSWERS.feedMessage),
    answer: (data, _values, id, access) => data.feedOf(id, access),
  }),
] as const;

type AnyOperation = (typeof list)[number] | typeof TOKEN_OPERATION;

/** The name of an operation, such as `events.index`. */
export type OperationName = AnyOperation['name'];

/** The `api.data` of an operation. */
export type OperationData<N extends OperationName> = z.output<
  Extract<AnyOperation, { readonly name: N }>['data']
>;

/** Every operation but that of tokens. */
export const OPERATIONS: readonly Operation<OperationName>[] = list;

/** Every operation, that of tokens included. */
export const ALL_OPERATIONS: readonly OperationInfo<OperationName>[] = [TOKEN_OPERATION, ...OPERATIONS];

const byName = new Map(ALL_OPERATIONS.map((one) => [one.name, one]));

/** Whether an operation has this name. */
export function isOperationName(name: string): name is OperationName {
  return byName.has(name as OperationName);
}

export function operationNamed(name: OperationName): OperationInfo<OperationName> {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`no operation is called ${name}`);
  return found;
}

/** Whether a contract covers all `needed` operations. Operations without a token are open to everyone. */
export function covers({ operations }: Access, needed: readonly OperationName[]): boolean {
  return operations === null || needed.every((name) => operations.has(name) || operationNamed(name).open);
}
