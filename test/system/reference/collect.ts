/** Collects the examples of the reference from a running demonstration of the World Cup 2018. */
import { ALL_OPERATIONS, type OperationName } from '#contract/rest/operations.ts';
import type { Example } from '../../../services/api/docs/examples.ts';
import { fieldsOf } from '../../../services/api/docs/testing/fields.ts';

export type Demonstration = { readonly url: string; readonly clientId: string; readonly secretKey: string };

const SEASON = 31_018;
const GROUP_STAGE = 311;
const OPENING_MATCH = 310_001;
const LEAGUE_STANDINGS = 2;

/** Requests of the examples; `{standings}` is the league table of the group stage. */
const REQUESTS: Readonly<Record<Exclude<OperationName, 'oauth'>, string>> = {
  'sports.index': '/v2/sports?limit=5',
  'sports.show': '/v2/sports/5',
  'areas.index': '/v2/areas?limit=5',
  'languages.index': '/v2/languages?limit=5',
  'statuses.index': '/v2/statuses?limit=5',
  'incidents.index': '/v2/incidents?sport_id=5&limit=5',
  'standings-types.index': '/v2/standings-types?sport_id=5&limit=5',
  'competitions.index': '/v2/competitions?sport_id=5&limit=5',
  'stages.index': `/v2/stages?season_id=${SEASON}&limit=5`,
  'standings.index': `/v2/standings?object_type=season&object_id=${SEASON}&limit=5`,
  'standings.show': '/v2/standings/{standings}',
  'events.index': `/v2/events?season_id=${SEASON}&status_type=finished&limit=5`,
  'events-simple.index': `/v2/events-simple?season_id=${SEASON}&status_type=finished&limit=5`,
  'events.show': `/v2/events/${OPENING_MATCH}`,
  'events.incidents': `/v2/events/${OPENING_MATCH}/incidents?sort_order=desc&limit=25`,
  'events.important-incidents': `/v2/events/${OPENING_MATCH}/important-incidents`,
  'livescore.index': '/v2/livescore?date_from=2018-06-14&limit=5',
  'basic-livescore.index': '/v2/basic-livescore?timestamp=1500000000&sport_id=5',
  'feed.index': `/v2/feed?type=incident&event_ids=${OPENING_MATCH}`,
  'feed.show': `/v2/feed/${OPENING_MATCH}`,
};

/** Parses the line with the address of a token in the output of a demonstration; null without such a line. */
export function demonstrationIn(printed: string): Demonstration | null {
  const [, url = '', clientId = '', secretKey = ''] =
    /(https?:\/\/[^\s"]+)\/v2\/oauth\?client_id=(\d+)&secret_key=(\w+)/.exec(printed) ?? [];
  return url === '' ? null : { url, clientId, secretKey };
}

/** Calls every operation. Throws when an answer is not 200. */
export async function collectExamples(of: Demonstration): Promise<Map<OperationName, Example>> {
  const { url, clientId, secretKey } = of;
  const ask = async (path: string): Promise<Answer> => {
    const response = await fetch(url + path);
    if (!response.ok)
      throw new Error(`${response.status} for ${path.replace(/(token|secret_key)=[^&]*/, '$1=…')}`);
    return (await response.json()) as Answer;
  };
  const granted = await ask(`/v2/oauth?client_id=${clientId}&secret_key=${secretKey}`);
  const token = String((granted.api.data as { token: unknown }).token);
  const withToken = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}token=${token}`;
  const tables = await ask(withToken(`/v2/standings?object_type=stage&object_id=${GROUP_STAGE}`));
  const { standings_list } = tables.api.data as { standings_list: { id: number; type_id: number }[] };
  const league = standings_list.find(({ type_id }) => type_id === LEAGUE_STANDINGS);
  const secrets: readonly (readonly [string, string])[] = [
    [token, 'TOKEN'],
    [secretKey, 'SECRET_KEY'],
    [url, 'http://localhost:8081'],
  ];
  const examples = new Map<OperationName, Example>();
  const add = (name: OperationName, request: string, answer: Answer): void => {
    const stable = stabilized(answer, secrets);
    examples.set(name, { request, answer: shortened(stable), fields: fieldsOf(stable.api.data) });
  };
  add('oauth', '/v2/oauth?client_id=1&secret_key=SECRET_KEY', granted);
  for (const { name, open } of ALL_OPERATIONS) {
    if (name === 'oauth') continue;
    const request = REQUESTS[name].replace('{standings}', String(league?.id));
    add(name, request, await ask(open ? request : withToken(request)));
  }
  return examples;
}

type Answer = { readonly api: { readonly timestamp: number; readonly data: unknown } };

/** Time of every example, Unix seconds. */
const TIME = 1_790_000_000;
const HOUR = 3_600;
const TWO_DAYS = 172_800;

/**
 * Returns the answer without secrets and with the time `TIME`: times near the current hour are shifted by
 * whole hours.
 */
function stabilized(answer: Answer, secrets: readonly (readonly [string, string])[]): Answer {
  const now = answer.api.timestamp;
  const text = secrets.reduce((all, [secret, name]) => all.replaceAll(secret, name), JSON.stringify(answer));
  return JSON.parse(text, (_key, value: unknown) => {
    const isTime = typeof value === 'number' || (typeof value === 'string' && /^\d{10}$/.test(value));
    const away = Number(value) - now;
    if (!isTime || Math.abs(away) > TWO_DAYS) return value;
    const moved = TIME + Math.round(away / HOUR) * HOUR;
    return typeof value === 'number' ? moved : String(moved);
  });
}

/** Maximum number of items of a list in an example. */
const MAX_ITEMS = 2;
/** Maximum JSON length of an item that is shown beside a similar one. */
const MAX_ITEM_LENGTH = 200;

/** Returns the value with shortened lists: short items, else the item with most fields and one with other fields. */
function shortened<T>(value: T): T {
  if (Array.isArray(value)) return itemsShown(value).map(shortened) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)])) as T;
}

function itemsShown(items: readonly unknown[]): readonly unknown[] {
  if (items.length <= MAX_ITEMS) return items;
  if (items.slice(0, MAX_ITEMS).every((item) => JSON.stringify(item).length <= MAX_ITEM_LENGTH))
    return items.slice(0, MAX_ITEMS);
  const [fullest] = items.toSorted((a, b) => filledIn(b) - filledIn(a));
  const fields = fieldsOf([fullest]);
  const other = items.find((item) => Object.keys(fieldsOf([item])).some((path) => !(path in fields)));
  return items.filter((item) => item === fullest || item === other);
}

function filledIn(item: unknown): number {
  if (typeof item !== 'object') return item === '' ? 0 : 1;
  return Object.values(item ?? {}).reduce<number>((sum, inner) => sum + filledIn(inner), 0);
}
