import { RestError } from '#contract/rest/errors.ts';
import { parseDate } from '#contract/rest/parameters.ts';
import type {
  CatalogueQuery,
  EventsQuery,
  FeedQuery,
  IncidentsQuery,
  LivescoreQuery,
  Paging,
  ProviderData,
  RestAnswer,
} from '#contract/rest/provider.ts';
import { renderChain, renderStages, renderTree } from '#contract/rest/tree.ts';
import { compareIds } from '#domain/incident-register.ts';
import { SOCCER, STATUS } from '#soccer/soccer.ts';
import type { Dataset } from '../../../data/dataset.ts';
import type { ProviderMessage } from '../records.ts';
import { createCatalogues, createTree } from './catalogue.ts';
import type { RestFaults } from './faults.ts';
import type { KnownEvent, ProviderState, PublishedIncident } from './provider-state.ts';

/** `formerState`: some seconds ago, which lagging lists show. `writtenAt`: when the catalogues were written, Unix seconds. */
type ProviderDataOptions = Readonly<Record<'state' | 'formerState', ProviderState>> &
  Readonly<{ dataset: Dataset; faults: RestFaults; writtenAt: number }>;

/** Age after which a window of the feed is complete. */
const FRESH_SECONDS = 60;

/** Creates the provider's answers. There are no tables: their catalogue is empty, and every id of one is unknown. */
export function createProviderData(options: ProviderDataOptions): ProviderData {
  const { state, formerState, dataset, faults, writtenAt } = options;
  const catalogues = createCatalogues(dataset, writtenAt);
  const { competition, stages, lookup } = createTree(dataset, writtenAt);

  const find = (id: number): KnownEvent => state.event(id) ?? notFound();
  const pageTree = (
    matching: (event: KnownEvent) => boolean,
    paging: Paging,
    view: (event: KnownEvent) => object = eventView,
  ): RestAnswer => {
    const events = state.events().filter(matching);
    const page = pageOf(events, paging, faults, ({ record }) => record.round_id);
    const inTree = page.map((event) => treeEvent(event, view(event)));
    return { data: `{"competitions":${renderTree(inTree, lookup)}}`, total: events.length };
  };
  /** Returns a page of the records that were written since the `timestamp` of the query, whose sport must be soccer. */
  const listed = <T extends { readonly ut: number }>(
    records: readonly T[],
    query: CatalogueQuery,
    render: (page: readonly T[]) => string,
  ): RestAnswer => {
    const { timestamp = 0, sport_id } = query;
    const matching = records.filter(({ ut }) => ut >= timestamp && is(sport_id, SOCCER));
    return { data: render(pageOf(matching, query, faults)), total: matching.length };
  };
  const catalogue =
    (container: string, records: readonly { readonly ut: number }[]) => (query: CatalogueQuery) =>
      listed(records, query, (page) => JSON.stringify({ [container]: page }));

  return {
    sports: catalogue('sports', catalogues.sports),
    areas: catalogue('areas', catalogues.areas),
    languages: catalogue('languages', catalogues.languages),
    statuses: catalogue('statuses', catalogues.statuses),
    incidentTypes: catalogue('incidents', catalogues.incidents),
    standingsTypes: catalogue('standings_types', catalogues.standingsTypes),
    standingsList: catalogue('standings_list', []),
    competitions: (query) =>
      listed(
        is(query.area_id, competition.area_id) ? [competition] : [],
        query,
        (page) => `{"competitions":[${page.map(({ text }) => text).join()}]}`,
      ),
    stages: (query) =>
      listed(
        stages.filter(({ season_id }) => is(query.season_id, season_id)),
        query,
        (page) => `{"competitions":${renderStages(page, lookup)}}`,
      ),
    events: (query) => pageTree((event) => inEvents(event, query), query),
    event(id) {
      const event = find(id);
      const incidents = [...event.incidents.values()].filter(({ removed }) => !removed).sort(inOrder());
      const view = { ...eventView(event), events_incidents: incidents.map(incidentView) };
      return { data: renderChain(treeEvent(event, view), lookup), total: null };
    },
    eventIncidents(query) {
      const listOf = (event: KnownEvent | undefined): PublishedIncident[] =>
        [...(event?.incidents.values() ?? [])]
          .filter((incident) => inIncidents(incident, query))
          .sort(inOrder(query));
      const current = listOf(find(query.eventId));
      const matching = faultyList(current, listOf(formerState.event(query.eventId)), faults);
      const page = pageOf(matching, query, faults).map(incidentView);
      return { data: JSON.stringify(page), total: matching.length };
    },
    livescore(query) {
      const view = query.events_details === 'yes' ? eventView : plainEventView;
      return pageTree((event) => onBoard(event, query), query, view);
    },
    feed(query) {
      const { timestamp: from, timestamp_to: to } = query;
      const end = Math.min(to, state.time);
      // Messages of the last second may appear just after the answer; the next read, which includes that second, gets them.
      const isFresh = end > state.time - FRESH_SECONDS;
      const last = isFresh && faults.strikes('boundary') ? end - 1 : end;
      const list = [...state.published(from, last)].filter((message) => inFeed(message, query));
      return { data: JSON.stringify(list), total: list.length };
    },
    standings: notFound,
    sport: notFound,
    eventsSimple: notFound,
    importantIncidents: notFound,
    basicLivescore: notFound,
    feedOf: notFound,
  };
}

/** Returns a list of incidents, or one of a fault: as it was some seconds ago, or empty. */
function faultyList(
  current: PublishedIncident[],
  former: PublishedIncident[],
  faults: RestFaults,
): PublishedIncident[] {
  if (current.length > 0 && faults.strikes('empty_list', true)) return [];
  const differs =
    former.length !== current.length || former.some(({ record }, at) => record.ut !== current[at]?.record.ut);
  return former.length > 0 && differs && faults.strikes('lagging_list', true) ? former : current;
}

function notFound(): never {
  throw new RestError('NOT_FOUND');
}

function treeEvent({ record }: KnownEvent, view: object) {
  const { competition_id, season_id, stage_id, group_id = null } = record;
  return { competition_id, season_id, stage_id, group_id, text: JSON.stringify(view) };
}

/** Returns a page of a list, with the faults of pages. `roundOf`: a page that ends early does so inside a round. */
function pageOf<T>(
  records: readonly T[],
  { limit, page }: Paging,
  faults: RestFaults,
  roundOf: (record: T) => unknown = () => null,
): readonly T[] {
  const first = (page - 1) * limit;
  const size = Math.max(0, Math.min(limit, records.length - first));
  // The total stays right: only the ids show that one record is repeated and one is missing.
  const moved = page > 1 && size > 0 && faults.strikes('changed_page') ? 1 : 0;
  const whole = records.slice(first - moved, first - moved + size);
  if (whole.length < 2 || !faults.strikes('short_page')) return whole;
  const ends = whole.flatMap((record, n) =>
    n > 0 && roundOf(record) === roundOf(whole[n - 1] as T) ? [n] : [],
  );
  return whole.slice(0, ends[faults.int('short_page', 0, ends.length - 1)] ?? whole.length - 1);
}

/** Returns an incident as published, with its `action` only when it is removed. */
function incidentView({ record, removed }: PublishedIncident): Readonly<Record<string, unknown>> {
  const { action, ...fields } = record;
  return removed ? { ...fields, action } : fields;
}

type Values = readonly { readonly id: number; readonly value: unknown }[];

/** Returns values as lists have them, as text; messages have numbers and null. */
function textValues(values: Values): object[] {
  return values.map(({ id, value }) => ({ id, value: value === null ? '' : String(value) }));
}

/** Returns an event. `ut` is the time of its last change; values are text; '' or 0 stands for a missing value. */
function eventView({ record, changedAt }: KnownEvent) {
  const { action, participants, details, ...fields } = record;
  return {
    ...fields,
    sport_name: 'Soccer',
    day: '',
    tour_id: 0,
    round_name: fields.round_name ?? '',
    group_id: fields.group_id ?? 0,
    ut: changedAt,
    details: textValues(details),
    participants: participants.map(({ results, stats, ...side }) => ({
      ...side,
      stats: textValues(stats),
      results: textValues(results),
    })),
  };
}

function plainEventView(event: KnownEvent): object {
  const { details, participants, ...fields } = eventView(event);
  return { ...fields, participants: participants.map(({ stats, ...side }) => side) };
}

/** Whether a value equals the wanted one; undefined matches every value. */
function is<T>(wanted: T | undefined, value: NoInfer<T> | null): boolean {
  return wanted === undefined || wanted === value;
}

const EVENT_FILTERS = ['sport_id', 'competition_id', 'season_id', 'stage_id', 'status_type'] as const;

/** Whether an event has the ids and the status that a query names, and changed since its `timestamp`. */
function isAskedFor({ record, changedAt }: KnownEvent, query: EventsQuery | LivescoreQuery): boolean {
  const wanted: Partial<EventsQuery> = query;
  return (
    EVENT_FILTERS.every((name) => is<unknown>(wanted[name], record[name])) &&
    changedAt >= (query.timestamp ?? 0)
  );
}

function inEvents(event: KnownEvent, query: EventsQuery): boolean {
  const { record } = event;
  const { participant_id, venue_type, date_from, date_to } = query;
  const start = `${record.start_date}:00`;
  return (
    isAskedFor(event, query) &&
    (date_from === undefined || start >= date_from) &&
    (date_to === undefined || start <= date_to) &&
    (participant_id === undefined ||
      record.participants.some(
        ({ id, counter }) => id === participant_id && is<string>(venue_type, counter === 1 ? 'home' : 'away'),
      ))
  );
}

/** Whether a window's board lists a match, by its date or messages: one that waited for its wave is live on a later day. */
function onBoard(event: KnownEvent, query: LivescoreQuery): boolean {
  const { record, firstAt, changedAt } = event;
  const start = `${record.start_date}:00`;
  const [from, to] = [parseDate(query.date_from), parseDate(query.date_to)];
  return (
    isAskedFor(event, query) &&
    (query.show_postponed === 'yes' || Number(record.status_id) !== STATUS.postponed) &&
    ((start >= query.date_from && start <= query.date_to) || (firstAt <= to && changedAt >= from))
  );
}

/** Whether a list has an incident. Only a query with `deleted=yes` lists the removed ones, and only these. */
function inIncidents({ record, removed, updated }: PublishedIncident, query: IncidentsQuery): boolean {
  return (
    removed === (query.deleted === 'yes') &&
    is<unknown>(query.confirmation, record.confirmation) &&
    is(query.updated, updated ? 'yes' : 'no') &&
    is<unknown>(query.participant_id, record.participant_id)
  );
}

function inFeed({ type, data }: ProviderMessage, query: FeedQuery): boolean {
  const flag = (wanted: 'yes' | 'no' | undefined, value: unknown): boolean =>
    wanted === undefined || (value !== undefined && (wanted === 'yes') === (value === 'yes'));
  return (
    is<string>(query.type, type) &&
    (query.eventIds === null || query.eventIds.has(data.event.id)) &&
    flag(query.important, data.incident?.important) &&
    flag(query.important_for_trader, data.incident?.important_for_trader)
  );
}

/** Returns a comparison of incidents: by id as text, or by first publication and then by id. */
function inOrder(query?: Pick<IncidentsQuery, 'sort_type' | 'sort_order'>) {
  const sign = query?.sort_order === 'desc' ? -1 : 1;
  return (a: PublishedIncident, b: PublishedIncident): number => {
    const byId = compareIds(a.record.id, b.record.id);
    return sign * (query?.sort_type === 'occurred_at' ? a.occurredAt - b.occurredAt || byId : byId);
  };
}
