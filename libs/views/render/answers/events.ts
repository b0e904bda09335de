import { RestError } from '#contract/rest/errors.ts';
import type { Access, EventsQuery, Paging, ProviderData } from '#contract/rest/provider.ts';
import { renderChain, renderTree } from '#contract/rest/tree.ts';
import type { JsonObject } from '#json/values.ts';
import {
  boardConditions,
  eventConditions,
  since,
  visibleEvent,
  visibleEvents,
} from '../../queries/access.ts';
import type { Conditions } from '../../store/sql.ts';
import type { Views } from '../../store/views.ts';
import { nodeLookup } from '../fields.ts';
import { answerCache, listData, listKey } from './lists.ts';

/** Maximum number of events on a basic board. It has no pages, so a larger one is refused rather than cut. */
const MAX_BASIC = 10_000;

const LIST_BYTES = 64 * 1024 * 1024;
const EVENT_BYTES = 64 * 1024 * 1024;

type Page = {
  readonly conditions: Conditions;
  readonly paging: Paging;
  readonly form: 'full' | 'plain';
  readonly shape?: (json: string) => string;
};

/** Answers from the matches of `views`. Caches answers until their sources change. */
export function eventData(views: Views, maxBasic = MAX_BASIC) {
  const { matches, incidentLog, tree } = views;
  const lookup = nodeLookup(views);
  const lists = answerCache(LIST_BYTES);
  const single = answerCache(EVENT_BYTES);
  views.events.on('stale', (eventId) => single.drop(String(eventId)));

  const render = ({ conditions, paging, form, shape }: Page) => {
    const { total, items } = matches.list(conditions, form, paging);
    const events = items.map(({ json, ...row }) => ({ ...row, text: shape?.(json) ?? json }));
    return { data: `{"competitions":${renderTree(events, lookup)}}`, total };
  };
  const list = (name: string, query: object, access: Access, page: () => Page) =>
    lists.get(listKey(name, query, access), String(views.listVersion), () => render(page()));
  const eventsPage = (query: EventsQuery, access: Access, form: Page['form']): Page => ({
    conditions: eventConditions(query, tree, access),
    paging: query,
    form,
  });
  const visible = (id: number, access: Access) => visibleEvent(matches, id, access);

  return {
    events: (query, access) => list('events', query, access, () => eventsPage(query, access, 'full')),
    eventsSimple: (query, access) =>
      list('simple', query, access, () => ({ ...eventsPage(query, access, 'plain'), shape: simpleEvent })),
    event(id, access) {
      if (access.competitions !== null) visible(id, access);
      return single.get(String(id), String(views.nameVersion), () => {
        const { json, ...row } = visible(id, access);
        const incidents = incidentLog.standing(id, 'all').join(',');
        const text = `${json.slice(0, -1)},"events_incidents":[${incidents}]}`;
        return { data: renderChain({ ...row, text }, lookup), total: 1 };
      });
    },
    eventIncidents(query, access) {
      visible(query.eventId, access);
      const { total, items } = incidentLog.page(query);
      return { data: `[${items.map(({ json }) => json).join(',')}]`, total };
    },
    importantIncidents(eventId, access) {
      visible(eventId, access);
      const items = incidentLog.standing(eventId, 'important');
      return { data: listData('event_incidents', items), total: items.length };
    },
    livescore: (query, access) =>
      list('livescore', query, access, () => ({
        conditions: boardConditions(query, access),
        paging: query,
        form: query.events_details === 'yes' ? 'full' : 'plain',
      })),
    basicLivescore(query, access) {
      const answer = list('basic', query, access, () => ({
        conditions: visibleEvents(access, true)
          .where('changed >= ?', since(query.timestamp))
          .where('sport_id = ?', query.sport_id),
        paging: { limit: maxBasic, page: 1 },
        form: 'plain',
        shape: simpleEvent,
      }));
      if ((answer.total ?? 0) > maxBasic) throw new RestError('INVALID_PARAMETER');
      return answer;
    },
  } satisfies Partial<ProviderData>;
}

const SIMPLE_EVENT = [
  'id',
  'name',
  'start_date',
  'sport_id',
  'status_id',
  'status_name',
  'status_type',
  'relation_status',
  'clock_time',
  'clock_status',
  'played_time',
  'round_id',
  'round_name',
  'winner_id',
  'item_status',
  'ut',
];
const SIMPLE_PARTICIPANT = ['id', 'counter', 'name', 'short_name', 'acronym', 'results'];

function simpleEvent(json: string): string {
  const event: JsonObject & { participants: JsonObject[] } = JSON.parse(json);
  const participants = event.participants.map((participant) => pick(participant, SIMPLE_PARTICIPANT));
  const doubts = event.guard_reasons === undefined ? {} : pick(event, ['guard_reasons']);
  return JSON.stringify({ ...pick(event, SIMPLE_EVENT), ...doubts, participants });
}

function pick(record: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, record[name] ?? null]));
}
