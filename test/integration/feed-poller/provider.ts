import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A record in JSON. */
export type JsonRecord = Record<string, unknown>;

/** The effect of a fault on a request: another answer, or none at all. */
type AnswerFault = { readonly status: number; readonly body?: string; readonly location?: string } | 'hang';

/** A received request. */
type RecordedRequest = { readonly path: string; readonly query: Readonly<Record<string, string>> };

/** Credentials of the one client that the provider knows. */
export const CLIENT = { id: '7', secret: 'a-secret-key-that-nobody-may-see' };

/** Prefix of every token of these providers. */
export const TOKEN_MARK = 'tok3n-';

const TOKEN_SECONDS = 3_600;

/**
 * A provider of the REST contract over HTTP with a clock that tests set. It repeats tokens wherever the contract allows
 * it: in `next_page`, in echoed parameters and in the text of errors.
 */
export class TestProvider {
  /** The provider's clock, Unix seconds. */
  now: () => number = () => Math.floor(Date.now() / 1000);
  /** Messages of the feed; a window holds those with its `ut`. */
  readonly feed: (JsonRecord & { ut: number })[] = [];
  /** Records of catalogues by name, such as `sports`. */
  readonly catalogues: Record<string, JsonRecord[]> = {};
  /** Events by id. All belong to `competition` and `season`. */
  readonly events = new Map<number, JsonRecord>();
  readonly incidents = new Map<number, JsonRecord[]>();
  /** Deleted incidents by event. */
  readonly deleted = new Map<number, JsonRecord[]>();
  /** Tables by id; the catalogue of standings lists them without their groups. */
  readonly standings = new Map<number, JsonRecord>();
  competition: JsonRecord = { id: 46, name: 'Cup', sport_id: 5, ut: 1_500_000_000 };
  season: JsonRecord = { id: 460, name: 'Cup 2030', actual: 'yes', ut: 1_500_000_000 };
  /** Maximum number of items of a page, whatever a request says. */
  pageSize = 1_000;
  /** Returns the fault of a request, null for none. Not called for token requests. `count`: number of requests so far. */
  fault: (request: RecordedRequest, count: number) => AnswerFault | null = () => null;
  /** All received requests but those for a token. */
  readonly taken: RecordedRequest[] = [];
  exchanges = 0;
  #tokens = new Set<string>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => this.#answer(request, response));
  }

  static async start(): Promise<TestProvider> {
    // Idle connections are never closed: there may be an unread request on one.
    const server = createServer({ keepAliveTimeout: 0 });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TestProvider(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Revokes all tokens. */
  revoke(): void {
    this.#tokens = new Set();
  }

  /** Returns the number of requests with this path. */
  count(path: string): number {
    return this.taken.filter((one) => one.path === path).length;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', this.url);
    const received: RecordedRequest = { path: url.pathname, query: Object.fromEntries(url.searchParams) };
    if (received.path === '/v2/oauth') {
      this.#grant(received, response);
      return;
    }
    this.taken.push(received);
    const fault = this.fault(received, this.taken.length);
    if (fault === 'hang') return;
    if (fault !== null) {
      const headers = fault.location === undefined ? {} : { location: fault.location };
      response.writeHead(fault.status, headers).end(fault.body ?? `cannot ${request.url}`);
      return;
    }
    const token = received.query.token ?? '';
    if (!this.#tokens.has(token)) {
      response.writeHead(401).end(`bad token ${token}`);
      return;
    }
    const found = this.#find(received);
    if (found === null) {
      response.writeHead(404).end('{}');
      return;
    }
    const limit = Math.min(this.pageSize, Number(received.query.limit ?? 1_000));
    const page = Number(received.query.page ?? 1);
    const more = found.items !== null && page * limit < found.items.length;
    const next = more ? `${this.url}${received.path}?token=${token}&page=${page + 1}` : '';
    const items = found.items?.slice((page - 1) * limit, page * limit) ?? [];
    const data = found.data(items);
    send(response, this.now(), found.items?.length ?? null, next, received.query, data);
  }

  #grant({ query }: RecordedRequest, response: ServerResponse): void {
    const { client_id, secret_key } = query;
    if (client_id !== CLIENT.id || secret_key !== CLIENT.secret) {
      response.writeHead(401).end(`bad secret ${secret_key}`);
      return;
    }
    this.exchanges += 1;
    const token = `${TOKEN_MARK}${this.exchanges}-${this.url.slice(-5)}`;
    this.#tokens.add(token);
    const now = this.now();
    send(response, now, null, '', query, { client_id, token, token_expiration: now + TOKEN_SECONDS });
  }

  #find({
    path,
    query,
  }: RecordedRequest): { items: JsonRecord[] | null; data: (items: JsonRecord[]) => unknown } | null {
    const event = /^\/v2\/events\/(\d+)(\/incidents)?$/.exec(path);
    if (event !== null) {
      const id = Number(event[1]);
      const record = this.events.get(id);
      if (record === undefined) return null;
      if (event[2] !== undefined) {
        const lists = query.deleted === 'yes' ? this.deleted : this.incidents;
        return { items: lists.get(id) ?? [], data: (items) => items };
      }
      const chain = {
        ...this.competition,
        season: { ...this.season, stage: { ...STAGE, group: { ...GROUP, event: record } } },
      };
      return { items: null, data: () => ({ competition: chain }) };
    }
    const table = /^\/v2\/standings\/(\d+)$/.exec(path);
    if (table !== null) {
      const standings = this.standings.get(Number(table[1]));
      return standings === undefined ? null : { items: null, data: () => ({ standings }) };
    }
    const all = [...this.events.values()];
    switch (path) {
      case '/v2/feed': {
        const [from, to] = [Number(query.timestamp), Number(query.timestamp_to)];
        const messages = this.feed.filter(({ ut }) => ut >= from && ut <= to && ut <= this.now());
        return { items: null, data: () => messages };
      }
      case '/v2/livescore':
        return { items: all.filter((one) => one.status_type === 'live'), data: (items) => this.#tree(items) };
      case '/v2/events':
        return Number(query.season_id) === this.season.id
          ? { items: all, data: (items) => this.#tree(items) }
          : { items: [], data: (items) => this.#tree(items) };
      case '/v2/competitions':
        return {
          items: [this.competition],
          data: ([one]) => ({ competitions: [{ ...one, seasons: [this.season] }] }),
        };
      case '/v2/standings': {
        const isOf = ({ object_type, object_id }: JsonRecord) =>
          query.object_type === undefined ||
          (object_type === query.object_type && Number(object_id) === Number(query.object_id));
        const items = [...this.standings.values()]
          .filter((table) => Number(table.ut) >= Number(query.timestamp ?? 0) && isOf(table))
          .map(({ groups: _, columns: __, ...entry }) => entry);
        return { items, data: (some) => ({ standings_list: some }) };
      }
      case '/v2/stages':
        return { items: [], data: () => ({ competitions: [] }) };
      default: {
        const name = path.slice('/v2/'.length).replace('-', '_');
        const since = Number(query.timestamp ?? 0);
        const items = (this.catalogues[name] ?? []).filter(({ ut }) => Number(ut) >= since);
        return { items, data: (some) => ({ [name]: some }) };
      }
    }
  }

  #tree(events: JsonRecord[]): JsonRecord {
    if (events.length === 0) return { competitions: [] };
    const stage = { ...STAGE, groups: [{ ...GROUP, events }] };
    return { competitions: [{ ...this.competition, seasons: [{ ...this.season, stages: [stage] }] }] };
  }
}

const STAGE = { id: 4_600, name: 'Final round', ut: 1_500_000_000 };
const GROUP = { id: '', name: '', ut: '' };

function send(
  response: ServerResponse,
  now: number,
  total: number | null,
  next_page: string,
  parameters: Readonly<Record<string, string>>,
  data: unknown,
): void {
  const method = { parameters, name: 'test', details: 'test', total_items: total, next_page };
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ api: { ver: '2.1.0', timestamp: now, method, data } }));
}
