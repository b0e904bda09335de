/**
 * The contract's data and gatekeeper in memory, for tests of its servers and clients. The simulator has others
 * (services/simulator/rest): these depend on a dataset and on time, so that a test cannot set them to any state, and libraries
 * do not import services.
 */
import { issueToken, verifyToken } from '#signing/token.ts';
import { RestError } from '../errors.ts';
import type {
  Access,
  CatalogueQuery,
  EventsQuery,
  Gatekeeper,
  Paging,
  ProviderData,
  RestAnswer,
} from '../provider.ts';
import type { RestEvent, RestIncident } from '../records.ts';
import {
  type PlacedEvent,
  type PlaceLookup,
  pageOf,
  renderChain,
  renderStages,
  renderTree,
  withList,
} from '../tree.ts';

/** A record of a catalogue or of the structure. */
type Item = { readonly id: number; readonly ut?: number; readonly [field: string]: unknown };

/** The data of a provider in memory. Tests may change it. */
export type MemoryWorld = {
  sports: Item[];
  areas: Item[];
  languages: Item[];
  statuses: Item[];
  incidentTypes: Item[];
  standingsTypes: Item[];
  standingsList: Item[];
  standings: Item[];
  competitions: Item[];
  seasons: Item[];
  stages: Item[];
  groups: Item[];
  events: RestEvent[];
  /** Incidents by event id. */
  incidents: Map<number, RestIncident[]>;
  messages: {
    readonly id: number;
    readonly source: number;
    readonly ut: number;
    readonly type: string;
    readonly data: { readonly event: { readonly id: number } };
  }[];
};

/** An empty world. */
export function emptyWorld(): MemoryWorld {
  const names = [
    'sports',
    'areas',
    'languages',
    'statuses',
    'incidentTypes',
    'standingsTypes',
    'standingsList',
  ];
  const lists = [...names, 'standings', 'competitions', 'seasons', 'stages', 'groups', 'events', 'messages'];
  const empty = Object.fromEntries(lists.map((name) => [name, []]));
  return { ...empty, incidents: new Map() } as unknown as MemoryWorld;
}

/** Returns a provider that answers from the current `world`. */
export function memoryProvider(world: MemoryWorld): ProviderData {
  const place: PlaceLookup = (level, id) => {
    const found = world[`${level}s`].find((one) => one.id === id);
    return found === undefined ? null : JSON.stringify(found);
  };
  const placed = (event: RestEvent) => ({
    competition_id: event.competition_id ?? null,
    season_id: event.season_id ?? null,
    stage_id: event.stage_id ?? null,
    group_id: event.group_id ?? null,
    text: JSON.stringify(event),
  });
  const visible = ({ competitions }: Access) =>
    world.events.filter((event) => competitions === null || competitions.has(event.competition_id ?? 0));
  const known = (id: number, { competitions }: Access): RestEvent => {
    const event = world.events.find((one) => one.id === id);
    if (event === undefined) throw new RestError('NOT_FOUND');
    if (competitions !== null && !competitions.has(event.competition_id ?? 0))
      throw new RestError('FORBIDDEN');
    return event;
  };
  const events = (query: EventsQuery, access: Access): RestAnswer =>
    eventsAnswer(
      visible(access)
        .filter((event) => matches(event, query))
        .map(placed),
      query,
      place,
    );
  const inDays = (event: RestEvent, from: string, to: string): boolean =>
    within(event.start_date ?? '', from.slice(0, 16), to.slice(0, 16));
  const incidentsOf = (id: number): RestIncident[] =>
    (world.incidents.get(id) ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1));

  return {
    sports: (query) => list('sports', world.sports, query),
    sport: (id) => single('sport', world.sports, id),
    areas: (query) => list('areas', world.areas, query),
    languages: (query) => list('languages', world.languages, query),
    statuses: (query) => list('statuses', world.statuses, query),
    incidentTypes: (query) => list('incidents', world.incidentTypes, query),
    standingsTypes: (query) => list('standings_types', world.standingsTypes, query),
    standingsList: (query) => list('standings_list', world.standingsList, query),
    standings: (id) => single('standings', world.standings, id),
    competitions(query) {
      const records = since(world.competitions, query.timestamp);
      const shown = pageOf(records, query).map((one) => {
        const seasons = world.seasons.filter((season) => season.competition_id === one.id);
        const texts = seasons.map((season) => JSON.stringify(season));
        return withList(JSON.stringify(one), 'seasons', texts);
      });
      return { data: `{"competitions":[${shown.join(',')}]}`, total: records.length };
    },
    stages(query) {
      const records = since(world.stages, query.timestamp);
      const shown = pageOf(records, query).map((stage) => ({
        competition_id: Number(stage.competition_id),
        season_id: Number(stage.season_id),
        text: JSON.stringify(stage),
      }));
      return { data: `{"competitions":${renderStages(shown, place)}}`, total: records.length };
    },
    events,
    eventsSimple: events,
    event(id, access) {
      const event = { ...known(id, access), events_incidents: incidentsOf(id) };
      return { data: renderChain(placed(event), place), total: null };
    },
    eventIncidents(query, access) {
      known(query.eventId, access);
      const all = incidentsOf(query.eventId).filter(
        (one) => query.confirmation === undefined || one.confirmation === query.confirmation,
      );
      const ordered = query.sort_order === 'asc' ? all : all.toReversed();
      return { data: JSON.stringify(pageOf(ordered, query)), total: all.length };
    },
    importantIncidents(id, access) {
      known(id, access);
      const incidents = incidentsOf(id).filter((one) => one.important === 'yes');
      return { data: JSON.stringify({ event_incidents: incidents }), total: incidents.length };
    },
    livescore(query, access) {
      const shown = visible(access).filter((event) => inDays(event, query.date_from, query.date_to));
      return eventsAnswer(shown.map(placed), query, place);
    },
    basicLivescore({ timestamp }, access) {
      const changed = visible(access).filter((event) => (event.ut ?? 0) >= timestamp);
      return eventsAnswer(changed.map(placed), { limit: Math.max(1, changed.length), page: 1 }, place);
    },
    feed({ timestamp: from, timestamp_to: to, type, eventIds }) {
      const matching = world.messages.filter(
        (message) =>
          message.ut >= from &&
          message.ut <= to &&
          (type === undefined || message.type === type) &&
          (eventIds === null || eventIds.has(message.data.event.id)),
      );
      return { data: JSON.stringify(matching), total: matching.length };
    },
    feedOf(id, access) {
      known(id, access);
      const matching = world.messages.filter((message) => message.data.event.id === id);
      return { data: JSON.stringify(matching), total: matching.length };
    },
  };
}

/** Returns the answer of a list of events: one page, wherever in a round or a group it ends. */
export function eventsAnswer(events: readonly PlacedEvent[], paging: Paging, place: PlaceLookup): RestAnswer {
  const competitions = renderTree(pageOf(events, paging), place);
  return { data: `{"competitions":${competitions}}`, total: events.length };
}

function matches(event: RestEvent, query: EventsQuery): boolean {
  return (
    (query.season_id === undefined || event.season_id === query.season_id) &&
    (query.stage_id === undefined || event.stage_id === query.stage_id) &&
    (query.status_type === undefined || event.status_type === query.status_type) &&
    ((query.holdsNow === true && event.status_type === 'live') ||
      within(event.start_date ?? '', query.date_from?.slice(0, 16) ?? '', query.date_to?.slice(0, 16) ?? '~'))
  );
}

const within = (text: string, from: string, to: string): boolean => text >= from && text <= to;

function since(items: readonly Item[], timestamp: number | undefined): readonly Item[] {
  return timestamp === undefined ? items : items.filter((item) => (item.ut ?? 0) >= timestamp);
}

function list(container: string, items: readonly Item[], query: CatalogueQuery): RestAnswer {
  const all = since(items, query.timestamp);
  return { data: JSON.stringify({ [container]: pageOf(all, query) }), total: all.length };
}

function single(container: string, items: readonly Item[], id: number): RestAnswer {
  const found = items.find((item) => item.id === id);
  if (found === undefined) throw new RestError('NOT_FOUND');
  return { data: JSON.stringify({ [container]: found }), total: null };
}

/** A client of the gatekeeper in memory. */
export type MemoryClient = Access & { readonly secret: string };

/** Returns a gatekeeper that issues tokens of `lifetime` seconds to these clients. Tokens of a removed client are invalid. */
export function memoryGatekeeper(clients: readonly MemoryClient[], lifetime = 3600): Gatekeeper {
  const key = Buffer.alloc(32, 'a key of tests');
  return {
    async exchange(clientId, secretKey, now) {
      const client = clients.find((one) => String(one.clientId) === clientId && one.secret === secretKey);
      if (client === undefined) return null;
      const expiration = now + lifetime;
      return { token: issueToken(client.clientId, expiration, key), expiration };
    },
    access(token, now) {
      const claims = verifyToken(token, now, [key]);
      return clients.find((one) => one.clientId === claims?.clientId) ?? null;
    },
  };
}
