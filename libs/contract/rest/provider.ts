/** The data behind a server of the REST contract, as services/api and the simulator have it. All else is in `routes.ts`. */

import type {
  basicLivescoreParameters,
  competitionsParameters,
  DateWindow,
  eventsParameters,
  FeedWindow,
  feedParameters,
  incidentsParameters,
  livescoreParameters,
  ofSport,
  stagesParameters,
  standingsParameters,
  ValuesOf,
} from './parameters.ts';

/** The part of the data that a client may see by its contract (spec, "Authentication" 6). */
export type Access = {
  readonly clientId: number;
  /** Competitions inside the contract that this server serves; null is all of them. */
  readonly competitions: ReadonlySet<number> | null;
  /** Competitions inside the contract, on any server; null is all. Only set if this server serves some competitions only. */
  readonly contracted?: ReadonlySet<number> | null;
  /** Operations inside the contract by name, such as `events.index`; null is all of them. */
  readonly operations: ReadonlySet<string> | null;
};

/** What a client may read that has no contract: nothing. */
export const NO_ACCESS: Access = { clientId: 0, competitions: new Set(), operations: new Set() };

/** The payload of one answer. */
export type RestAnswer = {
  /** JSON text of `api.data`; bytes for a cached answer. */
  readonly data: string | Buffer;
  /** Number of items over all pages; null if the operation has no list. */
  readonly total: number | null;
};

/** An answer that is too long to be made at once. */
export type StreamedAnswer = {
  /** JSON text of `api.data`, in parts. */
  readonly data: AsyncIterable<string>;
  readonly total: number;
};

/** An answer: ready, or a promise of one in parts. */
export type AnyAnswer = RestAnswer | Promise<StreamedAnswer>;

/** A page of a list. `page`: from 1; `limit`: one of the operation's values. */
export type Paging = { readonly limit: number; readonly page: number };

/** The query of a catalogue. With a timestamp, only records with `ut >= timestamp` (spec, rule 5). */
export type CatalogueQuery = ValuesOf<typeof ofSport>;
export type CompetitionsQuery = ValuesOf<typeof competitionsParameters>;
export type StagesQuery = ValuesOf<typeof stagesParameters>;
/** The query of the catalogue of standings: has both or neither of `object_type` and `object_id`. */
export type StandingsQuery = ValuesOf<typeof standingsParameters>;
/** `liveSince`: a live event whose last message was received before is no longer in play, Unix seconds. */
type LiveLimit = { readonly liveSince: number };
/** The query of a list of events. Dates are `YYYY-MM-DD HH:MM:SS`, inclusive. `holdsNow`: it has all live events too, whenever they began. */
export type EventsQuery = ValuesOf<typeof eventsParameters> & LiveLimit & { readonly holdsNow?: boolean };

/** The query of a board. `holdsNow`: whether the dates include now; then the board has all live events, whenever they began. */
export type LivescoreQuery = Omit<ValuesOf<typeof livescoreParameters>, keyof DateWindow> &
  DateWindow &
  LiveLimit & { readonly holdsNow: boolean };

/** The query of an event's incidents. `deleted`: `yes` selects only removed incidents, `no` only the others. */
export type IncidentsQuery = ValuesOf<typeof incidentsParameters> & { readonly eventId: number };

/** The query of a window of the feed, Unix seconds, inclusive at both ends. */
export type FeedQuery = Omit<ValuesOf<typeof feedParameters>, keyof FeedWindow | 'event_ids'> &
  FeedWindow & { readonly eventIds: ReadonlySet<number> | null };

/** The methods answer from what `access` covers, those of the feed later. Throw `RestError` NOT_FOUND, FORBIDDEN or NOT_SERVED. */
export interface ProviderData {
  sports(query: CatalogueQuery): RestAnswer;
  sport(id: number): RestAnswer;
  areas(query: CatalogueQuery): RestAnswer;
  languages(query: CatalogueQuery): RestAnswer;
  statuses(query: CatalogueQuery): RestAnswer;
  incidentTypes(query: CatalogueQuery): RestAnswer;
  standingsTypes(query: CatalogueQuery): RestAnswer;
  standingsList(query: StandingsQuery, access: Access): RestAnswer;
  standings(id: number, access: Access): RestAnswer;
  competitions(query: CompetitionsQuery, access: Access): RestAnswer;
  stages(query: StagesQuery, access: Access): RestAnswer;
  events(query: EventsQuery, access: Access): RestAnswer;
  eventsSimple(query: EventsQuery, access: Access): RestAnswer;
  event(id: number, access: Access): RestAnswer;
  eventIncidents(query: IncidentsQuery, access: Access): RestAnswer;
  importantIncidents(eventId: number, access: Access): RestAnswer;
  livescore(query: LivescoreQuery, access: Access): RestAnswer;
  basicLivescore(query: ValuesOf<typeof basicLivescoreParameters>, access: Access): RestAnswer;
  feed(query: FeedQuery, access: Access): AnyAnswer;
  /** Returns the messages of one event. */
  feedOf(id: number, access: Access): AnyAnswer;
}

/** Authentication and tokens. Stores no session, so that all replicas decide the same. */
export interface Authenticator {
  /** Returns a token for a client with the right secret, else null. `now` and `expiration` are Unix seconds. */
  exchange(
    clientId: string,
    secretKey: string,
    now: number,
  ): Promise<{ readonly token: string; readonly expiration: number } | null>;
  /** Returns the access of a token; null for a token that is malformed, expired or of a removed client. */
  access(token: string, now: number): Access | null;
}
