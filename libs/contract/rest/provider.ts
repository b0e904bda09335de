/**
 * The data interface of a server of the provider's REST contract. `routes.ts` has everything common to all servers
 * (paths, tokens, parameters, envelope, paging, errors); services/api and the simulator implement this interface.
 */

import type {
  basicLivescoreParameters,
  competitionsParameters,
  eventsParameters,
  feedParameters,
  incidentsParameters,
  livescoreParameters,
  ofSport,
  stagesParameters,
  standingsParameters,
  ValuesOf,
} from './parameters.ts';

/** What a client may see by its contract (spec, "Authentication" 6). */
export type Access = {
  readonly clientId: number;
  /** Competitions that may be seen: those inside the contract that are served here; null is all of them. */
  readonly competitions: ReadonlySet<number> | null;
  /** Set where a server serves some competitions only: those inside the contract, wherever they are served; null is all. */
  readonly contracted?: ReadonlySet<number> | null;
  /** Operations inside the contract, by name as `events.index`; null is all of them. */
  readonly operations: ReadonlySet<string> | null;
};

/** The payload of one answer. */
export type RestAnswer = {
  /** JSON text of `api.data`; bytes where it is a cached answer. */
  readonly data: string | Buffer;
  /** Items over all pages; null where the operation has no list. */
  readonly total: number | null;
};

/** An answer too long to be made at once. */
export type StreamedAnswer = {
  /** JSON text of `api.data`, in parts. */
  readonly data: AsyncIterable<string>;
  readonly total: number;
};

/** Any answer, now or soon. */
export type AnyAnswer = RestAnswer | Promise<StreamedAnswer>;

/** From 1; `limit` is one of the operation's enum. */
export type Paging = { readonly limit: number; readonly page: number };

/** Catalogues: only records with `ut >= timestamp` where it is given (spec, rule 5). */
export type CatalogueQuery = ValuesOf<typeof ofSport>;
export type CompetitionsQuery = ValuesOf<typeof competitionsParameters>;
export type StagesQuery = ValuesOf<typeof stagesParameters>;
/** Both or neither of `object_type` and `object_id`. */
export type StandingsQuery = ValuesOf<typeof standingsParameters>;
/** Dates are `YYYY-MM-DD HH:MM:SS`, inclusive. */
export type EventsQuery = ValuesOf<typeof eventsParameters>;

type DateWindow = { readonly date_from: string; readonly date_to: string };
/** `holdsNow`: whether the dates include the present; the board then has all live events, whenever they began. */
export type LivescoreQuery = Omit<ValuesOf<typeof livescoreParameters>, keyof DateWindow> &
  DateWindow & { readonly holdsNow: boolean };

type BasicLivescoreQuery = ValuesOf<typeof basicLivescoreParameters>;

/** `deleted` gives removed incidents only, else the others only. */
export type IncidentsQuery = ValuesOf<typeof incidentsParameters> & { readonly eventId: number };

type FeedWindow = { readonly timestamp: number; readonly timestamp_to: number };
/** A window of the feed, Unix seconds, inclusive at both ends. */
export type FeedQuery = Omit<ValuesOf<typeof feedParameters>, keyof FeedWindow | 'event_ids'> &
  FeedWindow & { readonly eventIds: ReadonlySet<number> | null };

/**
 * The data behind the REST contract. Every method answers from what is known, all but the feed at once; lists leave out what is
 * outside `access`. A method throws `RestError` `not_found` for an unknown id, `forbidden` for one outside `access`,
 * `not_served` where the server serves some competitions only and what is asked for is in none of them.
 */
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
  basicLivescore(query: BasicLivescoreQuery, access: Access): RestAnswer;
  feed(query: FeedQuery, access: Access): AnyAnswer;
  /** The messages of one event's feed, or of one message: see `operations.ts`. */
  feedOf(id: number, access: Access): AnyAnswer;
}

/** Authentication and tokens. The same for every replica: it stores no session. */
export interface Gatekeeper {
  /** A token for a client with the right secret, else null. `now` and `expiration` are Unix seconds. */
  exchange(
    clientId: string,
    secretKey: string,
    now: number,
  ): Promise<{ readonly token: string; readonly expiration: number } | null>;
  /** What the bearer of a token may see; null for a token that is malformed, expired or of a removed client. */
  access(token: string, now: number): Access | null;
}
