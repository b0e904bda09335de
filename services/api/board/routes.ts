import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { covers, type OperationName } from '#contract/rest/operations.ts';
import type { Access } from '#contract/rest/provider.ts';
import type { RulesOf } from '#service/competition-rules.ts';
import { boardMatch } from '#story/board-match.ts';
import { servedWords } from '#views/queries/access.ts';
import type { Operator } from '../sessions.ts';
import { assetRoutes } from './assets.ts';
import { boardStates } from './board-states.ts';
import { LIVE_HEADER } from './browser/heartbeat.ts';
import { boardGate, type GateOptions, refuseEntry } from './gate.ts';
import { type GiveHaltOrder, haltOrderRoute } from './halt-orders.ts';
import { Hub, type HubOptions } from './hub.ts';
import { boardPage } from './pages/board-page.ts';
import { feedsOf, feedsPage } from './pages/feeds-page.ts';
import { type HaltChoice, haltReader, haltsPage } from './pages/halts-page.ts';
import type { Moment } from './pages/html.ts';
import { PAGE_HEADERS, problemPage, sendPage } from './pages/html.ts';
import { type MatchDetails, matchDetails, matchPage } from './pages/match-page.ts';
import { standingsPage } from './pages/standings-page.ts';
import { boardQuery, matchParams, standingsQuery, streamQuery } from './query.ts';
import type { StreamTopic } from './reader.ts';
import { coversScope, type ReadView, scopedView } from './scoped-view.ts';
import { hasTables, seasonStandings } from './standings.ts';

export type BoardOptions = Omit<HubOptions, 'maxReaders'> & {
  readonly gate: GateOptions;
  /** Rules of seasons, for the winners of ties. Default: only a shoot-out decides level goals. */
  readonly rulesOf?: RulesOf | undefined;
  /** Publishes an order to halt or to resume trading by hand. Default: the board takes no orders. */
  readonly orderHalt?: GiveHaltOrder | undefined;
  /** Maximum number of matches on the board, live ones first, then those that begin next, then the last changed; live ones are never left out. Default 400. */
  readonly size?: number;
  /** Maximum number of readers of `/board/events` at the same time. Default 1000. */
  readonly maxReaders?: number;
};

/** The REST operations that a contract must cover to see a kind of page or to follow it: they return the same data. */
const REQUIRED_OPERATIONS = {
  board: ['livescore.index'],
  feeds: ['livescore.index'],
  match: ['events.show', 'events.incidents'],
  season: ['standings.index', 'standings.show'],
} as const satisfies Readonly<Record<StreamTopic['kind'], readonly OperationName[]>>;

type Admitted = {
  readonly view: ReadView;
  /** Returns the current contract of its client; null once it may see nothing. */
  readonly access: () => Access | null;
  /** The competitions that are served, in words; null: all. */
  readonly served: string | null;
};

type BoardContext = Pick<BoardOptions, 'view' | 'now' | 'rulesOf'> & {
  readonly size: number;
  /** Returns what a request may see of a kind of page. Answers 401 or 403 and returns null when it may see nothing. */
  readonly admit: (
    request: FastifyRequest,
    reply: FastifyReply,
    kind: StreamTopic['kind'],
  ) => Admitted | null;
  /** Returns who may give orders by a request; null: nobody. */
  readonly operatorOf: (request: FastifyRequest) => Operator | null;
};

/**
 * Serves the live board: pages at `/`, `/match/{id}`, `/standings`, `/halts` and `/feeds`, server-sent events at `/board/events`, and the
 * record of a match at `/board/matches/{id}`. The gate and the client's contract decide what a request may see.
 */
export async function boardRoutes(app: FastifyInstance, options: BoardOptions): Promise<void> {
  const { view, now, rulesOf, orderHalt, size = 400, maxReaders = 1_000 } = options;
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PAGE_HEADERS).header('cache-control', 'no-cache');
  });
  const gate = await boardGate(app, options.gate);
  const operatorOf = (request: FastifyRequest) => (orderHalt === undefined ? null : gate.operator(request));
  const admit: BoardContext['admit'] = (request, reply, kind) => {
    const currentAccess = gate.enter(request);
    const access = (): Access | null => {
      const current = currentAccess?.() ?? null;
      return current !== null && covers(current, REQUIRED_OPERATIONS[kind]) ? current : null;
    };
    const given = access();
    if (given !== null) return { access, view: scopedView(view, given), served: servedWords(given) };
    if (currentAccess?.() == null) refuseEntry(request, reply);
    else if (request.url.startsWith('/board/')) reply.code(403).send({ error: 'Outside the contract' });
    else sendPage(reply.code(403), problemPage('Outside the contract', OUTSIDE));
    return null;
  };
  const context = { view, now, rulesOf, size, admit, operatorOf };
  assetRoutes(app);
  pageRoutes(app, context);
  if (orderHalt !== undefined)
    await haltOrderRoute(app, {
      operatorOf,
      covers: ({ access }, scope) =>
        scope === 'all' ? access.competitions === null : coversScope(view, access, scope),
      give: orderHalt,
      publicUrl: options.gate.publicUrl,
    });
  app.get('/board/matches/:id', (request, reply) => {
    const admitted = admit(request, reply, 'match');
    if (admitted === null) return reply;
    const details = detailsOf(admitted.view, request.params, now());
    return details === null
      ? reply.code(404).send({ error: missingWords(admitted.served) })
      : reply.send(details);
  });
  const hub = new Hub({ ...options, maxReaders });
  app.addHook('preClose', async () => hub.close());
  eventsRoute(app, hub, context);
}

const OUTSIDE = 'The contract of this client does not cover this page.';

/** `served`: the competitions that are served, in words; null: all. */
function missingWords(served: string | null): string {
  return served === null
    ? 'Unknown, deleted or outside the contract'
    : `Not found here: this server serves ${served}`;
}

function pageRoutes(app: FastifyInstance, { admit, now, rulesOf, size, operatorOf }: BoardContext): void {
  /** A page that reads itself again withdraws what needs a connection; the first answer to a reader may be viewed for any time. */
  const momentOf = ({ headers }: FastifyRequest): Moment => ({ now: now(), isLive: LIVE_HEADER in headers });
  /** Serves the pages of a kind; 404 where `render` returns null. */
  const servePage = (
    path: string,
    kind: StreamTopic['kind'],
    render: (admitted: Admitted, request: FastifyRequest) => string | null | Promise<string>,
  ): void => {
    app.get(path, async (request, reply) => {
      const admitted = admit(request, reply, kind);
      if (admitted === null) return reply;
      const page = await render(admitted, request);
      if (page !== null) return sendPage(reply, page);
      return sendPage(reply.code(404), problemPage('Not found', `${missingWords(admitted.served)}.`));
    });
  };
  servePage('/', 'board', ({ view }, { query }) => {
    const at = now();
    const matches = boardStates(view, size, at).map((state) => boardMatch(state, view, at));
    return boardPage(matches, boardQuery.parse(query), at);
  });
  servePage('/match/:id', 'match', ({ view }, request) => {
    const details = detailsOf(view, request.params, now());
    return details && matchPage(details, operatorOf(request) !== null, now());
  });
  servePage('/feeds', 'feeds', ({ view, served }, request) =>
    feedsPage(feedsOf(view, now()), served, momentOf(request)),
  );
  const readHalts = haltReader(size);
  servePage('/halts', 'board', async ({ view }, request) => {
    const at = now();
    const operator = operatorOf(request);
    const { standing } = view.halts.standing(at * 1000);
    const choices = operator === null ? null : haltChoices(view, operator, at);
    return haltsPage(await readHalts(view, at), { standing, choices }, momentOf(request));
  });
  servePage('/standings', 'season', ({ view }, request) => {
    const standings = seasonStandings(view, standingsQuery.parse(request.query), now(), rulesOf);
    return standings && standingsPage(standings, momentOf(request));
  });
}

function eventsRoute(app: FastifyInstance, hub: Hub, { view: all, admit, now, size }: BoardContext): void {
  // Not for HEAD: the stream of an answer without a body would never end.
  app.get('/board/events', { exposeHeadRoute: false }, async (request, reply) => {
    const { data: topic } = streamQuery.safeParse(request.query);
    if (topic === undefined)
      return reply
        .code(400)
        .send({ error: 'event must be a positive whole number; season must be one too, or none' });
    const admitted = admit(request, reply, topic.kind);
    if (admitted === null) return reply;
    const { view, access } = admitted;
    const covers = (given: Access): boolean =>
      topic.kind !== 'season' ||
      given.competitions === null ||
      hasTables(scopedView(all, given), topic.seasonId);
    const given = access();
    if (given !== null && !covers(given))
      return reply.code(404).send({ error: missingWords(admitted.served) });
    await hub.untilCaughtUp();
    if (!hub.admits()) return reply.code(503).header('retry-after', '30').send({ error: 'Too many readers' });
    const match = topic.kind === 'match' ? view.matches.state(topic.eventId) : null;
    const states = topic.kind === 'board' ? boardStates(view, size, now()) : match === null ? [] : [match];
    hub.join(reply.raw, { topic, access, covers, states });
    return reply.hijack();
  });
}

/** Returns what an operator may halt at once: everything, and the competitions in play. */
function haltChoices(view: ReadView, { access }: Operator, now: number): HaltChoice[] {
  const ids = new Set(view.matches.live(now).flatMap(({ competition_id: id }) => id ?? []));
  const named = [...ids].map(
    (id): HaltChoice => [`competition:${id}`, view.catalogue.name('competition', id) ?? `Competition ${id}`],
  );
  return access.competitions === null ? [['all', 'Everything'], ...named] : named;
}

function detailsOf(view: ReadView, params: unknown, now: number): MatchDetails | null {
  const { data } = matchParams.safeParse(params);
  return data === undefined ? null : matchDetails(view, data.id, now);
}

/** Answers a browser's request for an unknown page with a page. Returns false, without an answer, for all other requests. */
export function notFoundPage({ headers, method, url }: FastifyRequest, reply: FastifyReply): boolean {
  const isPage = (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true;
  if (!isPage || url.startsWith('/v2/') || url.startsWith('/board/')) return false;
  sendPage(reply.code(404), problemPage('No such page', 'Nothing is served at this address.'), 'no-store');
  return true;
}
