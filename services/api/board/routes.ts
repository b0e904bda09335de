import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { covers, type OperationName } from '#contract/rest/operations.ts';
import type { Access } from '#contract/rest/provider.ts';
import type { RulesOf } from '#service/competition-rules.ts';
import { boardMatch } from '#story/board-match.ts';
import { isCovered, servedWords } from '#views/queries/access.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { BoardView } from '#views/store/views.ts';
import type { Operator } from '../sessions.ts';
import { assetRoutes } from './assets.ts';
import { boardStates } from './board-states.ts';
import { LIVE_HEADER } from './browser/heartbeat.ts';
import { type BoardGate, boardGate, type CurrentAccess, type GateOptions, refuseEntry } from './gate.ts';
import { type GiveHaltOrder, haltOrderRoute } from './halt-orders.ts';
import { Hub, type HubOptions } from './hub.ts';
import { matchDetails } from './match-details.ts';
import { boardPage } from './pages/board-page.ts';
import { feedsOf, feedsPage } from './pages/feeds-page.ts';
import { type HaltChoice, HaltReader, haltsPage } from './pages/halts-page.ts';
import type { Moment } from './pages/html.ts';
import { missingPage, PAGE_HEADERS, problemPage, sendPage } from './pages/layout.ts';
import { matchPage } from './pages/match-page.ts';
import { standingsPage } from './pages/standings-page.ts';
import { boardQuery, matchParams, standingsQuery, streamQuery } from './query.ts';
import type { ReaderAccess, StreamTopic } from './reader.ts';
import { coversScope, type ReadView, scopedView } from './scoped-view.ts';
import { seasonStandings } from './standings.ts';

/** Dependencies and limits of the board. */
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

/**
 * Serves the live board: pages at `/`, `/match/{id}`, `/standings`, `/halts` and `/feeds`, server-sent events at `/board/events`, and the
 * record of a match at `/board/matches/{id}`. The gate and the client's contract decide what a request may see.
 */
export async function boardRoutes(app: FastifyInstance, options: BoardOptions): Promise<void> {
  const { view, now, metrics, rulesOf, size = 400, maxReaders = 1_000 } = options;
  const hub = new Hub({ view, now, metrics, maxReaders });
  app.addHook('preClose', async () => hub.close());
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PAGE_HEADERS).header('cache-control', 'no-cache');
  });
  const gate = await boardGate(app, options.gate);
  const operatorOf = (request: FastifyRequest): Operator | null =>
    options.orderHalt === undefined ? null : gate.operator(request);
  const admit = admission(view, gate);
  // A contract that hides a page is told so; a server that does not store a match has none.
  const all = scopedView(view, { clientId: 0, competitions: options.gate.competitions, operations: null });
  assetRoutes(app);
  pageRoutes(app, admit, { all, now, rulesOf, size, operatorOf });
  if (options.orderHalt !== undefined)
    await haltOrderRoute(app, {
      operatorOf,
      covers: ({ access }, scope) =>
        scope === 'all' ? access.competitions === null : coversScope(view, access, scope),
      give: options.orderHalt,
      publicUrl: options.gate.publicUrl,
    });
  app.get('/board/matches/:id', (request, reply) => {
    const admitted = admit(request, reply, 'match');
    if (admitted === null) return reply;
    const details = detailsOf(admitted.view, request.params, now());
    if (details !== null) return reply.send(details);
    if (detailsOf(all, request.params, now()) !== null) {
      refuseOutside(request, reply);
      return reply;
    }
    const { served } = admitted;
    const error = served === null ? 'No such match' : `Not found here: this server serves ${served}`;
    return reply.code(404).send({ error });
  });
  eventsRoute(app, admit, { view, hub, now, size });
}

/** Returns what a request may see of a kind of page. Answers 401 or 403 and returns null when it may see nothing. */
type Admission = (request: FastifyRequest, reply: FastifyReply, kind: StreamTopic['kind']) => Admitted | null;

function admission(view: BoardView, gate: BoardGate): Admission {
  return (request, reply, kind) => {
    const currentAccess = gate.enter(request);
    const access = currentAccess?.access() ?? null;
    if (currentAccess === null || access === null) refuseEntry(request, reply);
    else if (!covers(access, REQUIRED_OPERATIONS[kind])) refuseOutside(request, reply);
    else return { currentAccess, view: scopedView(view, access), served: servedWords(access) };
    return null;
  };
}

/** Answers 403 to a request for what its contract does not cover. */
function refuseOutside({ url }: FastifyRequest, reply: FastifyReply): void {
  reply.code(403);
  if (url.startsWith('/board/')) reply.send({ error: 'Outside the contract' });
  else sendPage(reply, problemPage('Outside the contract', OUTSIDE));
}

function pageRoutes(
  app: FastifyInstance,
  admit: Admission,
  {
    all,
    now,
    rulesOf,
    size,
    operatorOf,
  }: Pick<BoardOptions, 'now' | 'rulesOf'> & {
    readonly all: ReadView;
    readonly size: number;
    readonly operatorOf: (request: FastifyRequest) => Operator | null;
  },
): void {
  /** A page that reads itself again withdraws what needs a connection; the first answer to a reader may be viewed for any time. */
  const momentOf = ({ headers }: FastifyRequest): Moment => ({ now: now(), isLive: LIVE_HEADER in headers });
  /** Serves the pages of a kind. Where `render` returns null it answers 403 if the contract hides the page, else 404. */
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
      if ((await render({ ...admitted, view: all }, request)) === null)
        return sendPage(reply.code(404), missingPage(kind, admitted.served));
      refuseOutside(request, reply);
      return reply;
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
  const reader = new HaltReader(size);
  servePage('/halts', 'board', async ({ view }, request) => {
    const at = now();
    const operator = operatorOf(request);
    const { standing } = view.halts.standing(at * 1000);
    const choices = operator === null ? null : haltChoices(view, operator, at);
    return haltsPage(await reader.read(view, at), { standing, choices }, momentOf(request));
  });
  servePage('/standings', 'season', ({ view }, request) => {
    const standings = seasonStandings(view, standingsQuery.parse(request.query), now(), rulesOf);
    return standings && standingsPage(standings, momentOf(request));
  });
}

function eventsRoute(
  app: FastifyInstance,
  admit: Admission,
  { view, hub, now, size }: Pick<BoardOptions, 'view' | 'now'> & { readonly hub: Hub; readonly size: number },
): void {
  app.get('/board/events', async (request, reply) => {
    const { data } = streamQuery.safeParse(request.query);
    if (data === undefined)
      return reply
        .code(400)
        .send({ error: 'event must be a positive whole number; season must be one too, or none' });
    const topic = topicOf(data);
    const admitted = admit(request, reply, topic.kind);
    if (admitted === null) return reply;
    await hub.untilCaughtUp();
    if (!hub.admits()) return reply.code(503).header('retry-after', '30').send({ error: 'Too many readers' });
    // Reads everything before the answer begins, so that a failure can still be answered with 500.
    const access = readerAccess(admitted.currentAccess, topic.kind, view);
    const states = statesOf(admitted.view, topic, size, now());
    hub.prepare(states, topic);
    reply.hijack();
    reply.raw.writeHead(200, {
      ...PAGE_HEADERS,
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // Ends the connection with the stream, so that no idle connection delays the end of the server.
      connection: 'close',
      'x-accel-buffering': 'no',
    });
    hub.join(reply.raw, { topic, access, states });
    return reply;
  });
}

type Admitted = {
  readonly currentAccess: CurrentAccess;
  readonly view: ReadView;
  /** The competitions that are served, in words; null: all. */
  readonly served: string | null;
};

const OUTSIDE = 'The contract of this client does not cover this page.';

/** Returns the access of a stream's reader by the current contract of its client. */
function readerAccess(
  currentAccess: CurrentAccess,
  kind: StreamTopic['kind'],
  view: BoardView,
): ReaderAccess {
  const access = (): Access | null => {
    const current = currentAccess.access();
    return current !== null && covers(current, REQUIRED_OPERATIONS[kind]) ? current : null;
  };
  return {
    isValid: () => access() !== null,
    coversMatch({ competition_id }) {
      const current = access();
      return current !== null && isCovered(current, competition_id);
    },
    coversSeason(seasonId) {
      const current = access();
      if (current === null || current.competitions === null) return current !== null;
      return scopedView(view, current)
        .seasons()
        .some(({ season_id }) => season_id === seasonId);
    },
  };
}

/** Returns what an operator may halt at once: everything, and the competitions in play. */
function haltChoices(view: ReadView, { access }: Operator, now: number): HaltChoice[] {
  const ids = new Set(view.matches.live(now).flatMap(({ competition_id: id }) => (id === null ? [] : [id])));
  const named = [...ids].map((id): HaltChoice => {
    const name = view.catalogue.name('competition', id);
    return [`competition:${id}`, name ?? `Competition ${id}`];
  });
  return [...(access.competitions === null ? [['all', 'Everything'] as const] : []), ...named];
}

function detailsOf(view: ReadView, params: unknown, now: number): ReturnType<typeof matchDetails> {
  const parsed = matchParams.safeParse(params);
  return parsed.success ? matchDetails(view, parsed.data.id, now) : null;
}

function topicOf({ event, season, feeds, clocks }: z.output<typeof streamQuery>): StreamTopic {
  if (feeds === 'yes') return { kind: 'feeds' };
  if (event !== undefined) return { kind: 'match', eventId: event };
  return season === undefined
    ? { kind: 'board' }
    : { kind: 'season', seasonId: season, clocks: clocks === 'yes' };
}

/** Returns the matches whose rows or heads a part of the board begins with. */
function statesOf(view: ReadView, topic: StreamTopic, size: number, now: number): readonly ShownState[] {
  if (topic.kind === 'board') return boardStates(view, size, now);
  const state = topic.kind === 'match' ? view.matches.state(topic.eventId) : null;
  return state === null ? [] : [state];
}

/** Answers a browser's request for an unknown page with a page. Returns false, without an answer, for all other requests. */
export function notFoundPage({ headers, method, url }: FastifyRequest, reply: FastifyReply): boolean {
  const isPage = (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true;
  if (!isPage || url.startsWith('/v2/') || url.startsWith('/board/')) return false;
  sendPage(reply.code(404), problemPage('No such page', 'Nothing is served at this address.'), 'no-store');
  return true;
}
