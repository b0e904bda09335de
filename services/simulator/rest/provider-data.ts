import { RestError } from '#contract/rest/errors.ts';
import type {
  Access,
  CatalogueQuery,
  EventsQuery,
  Paging,
  ProviderData,
  RestAnswer,
} from '#contract/rest/provider.ts';
import { type PlacedEvent, renderChain, renderStages, renderTree } from '#contract/rest/tree.ts';
import { SOCCER } from '#contract/soccer.ts';
import type { Dataset } from '../../../data/dataset.ts';
import type { ProviderMessage } from '../records.ts';
import { areaOf, createCatalogues } from './catalogue.ts';
import type { RestFaults } from './faults.ts';
import { inEvents, inFeed, inIncidents, inOrder, onBoard } from './filters.ts';
import { pageOf } from './pages.ts';
import { createPlaces } from './places.ts';
import type { KnownEvent, ProviderState } from './provider-state.ts';
import { eventView, incidentView, plainEventView, simpleEventView } from './views.ts';

/** Dependencies of a provider's data. */
export type ProviderDataOptions = {
  readonly state: ProviderState;
  /** What is played. */
  readonly dataset: Dataset;
  /** What the catalogue shows although no contract here has it. */
  readonly outside: readonly Dataset[];
  readonly faults: RestFaults;
  /** When the catalogues were written, Unix seconds. */
  readonly writtenAt: number;
};

type PlaceIds = Readonly<Partial<Record<'competition_id' | 'season_id' | 'stage_id', number | undefined>>>;

/** A window that ended longer ago is complete. */
const FRESH_SECONDS = 60;

/**
 * The provider's answers from its state at its time. There are no tables: the catalogue of standings is empty and every
 * id in it is unknown.
 */
export function createProviderData(options: ProviderDataOptions): ProviderData {
  const { state, faults, writtenAt } = options;
  const datasets = [options.dataset, ...options.outside];
  const catalogues = createCatalogues(writtenAt);
  const areas = datasets.map((dataset) => areaOf(dataset, writtenAt));
  const { competitions, stages, lookup } = createPlaces(datasets, writtenAt);
  const played = options.dataset.competition.competition.id;
  const outsideEvents = new Set(options.outside.flatMap(({ matches }) => matches.map(({ id }) => id)));

  const mayUse = (competition: number, { competitions }: Access): boolean =>
    competitions === null || competitions.has(competition);
  const refuse = (): never => {
    faults.count('forbidden');
    throw new RestError('FORBIDDEN');
  };
  const find = (id: number, access: Access): KnownEvent => {
    if (outsideEvents.has(id)) refuse();
    const event = state.event(id);
    if (event === undefined) throw new RestError('NOT_FOUND');
    return mayUse(event.record.competition_id, access) ? event : refuse();
  };
  /** Refuses a query that names a competition, a season or a stage outside the contract. */
  const checkPlaces = (asked: PlaceIds, access: Access): void => {
    for (const { id, competition_id, season_id } of stages) {
      const named =
        competition_id === asked.competition_id || season_id === asked.season_id || id === asked.stage_id;
      if (named && competition_id !== null && !mayUse(competition_id, access)) refuse();
    }
  };
  const eventsFor = (access: Access, asked: (event: KnownEvent) => boolean): KnownEvent[] =>
    state.events().filter((event) => mayUse(event.record.competition_id, access) && asked(event));
  const tree = (
    page: readonly KnownEvent[],
    total: number,
    view: (event: KnownEvent) => object,
  ): RestAnswer => {
    const placed = page.map((event) => placedEvent(event, view(event)));
    return { data: `{"competitions":${renderTree(placed, lookup)}}`, total };
  };
  const pageTree = (
    events: readonly KnownEvent[],
    paging: Paging,
    view: (event: KnownEvent) => object,
  ): RestAnswer =>
    tree(
      pageOf(events, paging, faults, ({ record }) => record.round_id),
      events.length,
      view,
    );
  const eventPage = (query: EventsQuery, access: Access, view: typeof eventView): RestAnswer => {
    checkPlaces(query, access);
    const asked = eventsFor(access, (event) => inEvents(event, query));
    return pageTree(asked, query, view);
  };
  const catalogue = <T extends Written>(
    container: string,
    records: readonly T[],
    query: CatalogueQuery,
  ): RestAnswer => {
    const asked = records.filter((record) => isSince(record, query.timestamp) && ofSoccer(query));
    return { data: JSON.stringify({ [container]: pageOf(asked, query, faults) }), total: asked.length };
  };
  const visibleIncidents = (event: KnownEvent) =>
    [...event.incidents.values()].filter(({ removed }) => !removed).sort(inOrder());

  return {
    sports: (query) => catalogue('sports', catalogues.sports, query),
    sport(id) {
      if (id !== SOCCER) throw new RestError('NOT_FOUND');
      return one({ sport: catalogues.sportDefinition });
    },
    areas: (query) => catalogue('areas', areas, query),
    languages: (query) => catalogue('languages', catalogues.languages, query),
    statuses: (query) => catalogue('statuses', catalogues.statuses, query),
    incidentTypes: (query) => catalogue('incidents', catalogues.incidents, query),
    standingsTypes: (query) => catalogue('standings_types', catalogues.standingsTypes, query),
    standingsList: (query) => catalogue('standings_list', [], query),
    standings() {
      throw new RestError('NOT_FOUND');
    },
    competitions(query) {
      const { area_id, timestamp } = query;
      const asked = competitions.filter(
        (place) =>
          (area_id === undefined || place.area_id === area_id) &&
          isSince(place, timestamp) &&
          ofSoccer(query),
      );
      const page = pageOf(asked, query, faults).map(({ text }) => text);
      return { data: `{"competitions":[${page.join(',')}]}`, total: asked.length };
    },
    stages(query, access) {
      checkPlaces(query, access);
      const { season_id, timestamp } = query;
      const asked = stages.filter(
        (place) =>
          (season_id === undefined || place.season_id === season_id) &&
          isSince(place, timestamp) &&
          ofSoccer(query),
      );
      const page = renderStages(pageOf(asked, query, faults), lookup);
      return { data: `{"competitions":${page}}`, total: asked.length };
    },
    events: (query, access) => eventPage(query, access, eventView),
    eventsSimple: (query, access) => eventPage(query, access, simpleEventView),
    event(id, access) {
      const event = find(id, access);
      const incidents = visibleIncidents(event).map(incidentView);
      const view = { ...eventView(event), events_incidents: incidents };
      return { data: renderChain(placedEvent(event, view), lookup), total: null };
    },
    eventIncidents(query, access) {
      const asked = [...find(query.eventId, access).incidents.values()]
        .filter((incident) => inIncidents(incident, query))
        .sort(inOrder(query));
      return { data: JSON.stringify(pageOf(asked, query, faults).map(incidentView)), total: asked.length };
    },
    importantIncidents(eventId, access) {
      const incidents = visibleIncidents(find(eventId, access)).filter(
        ({ record }) => record.important === 'yes',
      );
      return {
        data: JSON.stringify({ event_incidents: incidents.map(incidentView) }),
        total: incidents.length,
      };
    },
    livescore(query, access) {
      const view = query.events_details === 'yes' ? eventView : plainEventView;
      return pageTree(
        eventsFor(access, (event) => onBoard(event, query)),
        query,
        view,
      );
    },
    basicLivescore({ timestamp, sport_id }, access) {
      const changed = eventsFor(
        access,
        ({ record, changedAt }) =>
          changedAt >= timestamp && (sport_id === undefined || record.sport_id === sport_id),
      );
      return tree(changed, changed.length, simpleEventView);
    },
    feed(query, access) {
      if (!mayUse(played, access)) return messages([]);
      const { timestamp: from, timestamp_to: to } = query;
      const end = Math.min(to, state.time);
      // Messages of the last second may appear just after the answer: an inclusive next read gets them.
      const isFresh = end > state.time - FRESH_SECONDS;
      const last = isFresh && faults.strikes('boundary') ? end - 1 : end;
      return messages(state.published(from, last).filter((message) => inFeed(message, query)));
    },
    feedOf(id, access) {
      const { firstAt } = find(id, access);
      const query = { eventIds: new Set([id]) };
      return messages(state.published(firstAt, state.time).filter((message) => inFeed(message, query)));
    },
  };
}

type Written = { readonly ut?: unknown };

function isSince({ ut }: Written, timestamp: number | undefined): boolean {
  return timestamp === undefined || Number(ut) >= timestamp;
}

/** There is no other sport here. */
function ofSoccer({ sport_id }: CatalogueQuery): boolean {
  return sport_id === undefined || sport_id === SOCCER;
}

function placedEvent({ record }: KnownEvent, view: object): PlacedEvent {
  const { competition_id, season_id, stage_id, group_id = null } = record;
  return { competition_id, season_id, stage_id, group_id, text: JSON.stringify(view) };
}

function one(data: object): RestAnswer {
  return { data: JSON.stringify(data), total: null };
}

function messages(published: Iterable<ProviderMessage>): RestAnswer {
  const list = [...published];
  return { data: JSON.stringify(list), total: list.length };
}
