import type { FastifyInstance, FastifyReply } from 'fastify';
import { Registry } from 'prom-client';
import type { z } from 'zod';
import type { BoardView, ShownState } from '#views/store/board-view.ts';
import { type Assets, assetRoutes, BOARD_ASSETS, loadAssets } from './assets.ts';
import { boardMatch, boardStates } from './board-match.ts';
import { Hub } from './hub.ts';
import { matchDetails } from './match-details.ts';
import { boardPage } from './pages/board-page.ts';
import { problemPage } from './pages/layout.ts';
import { matchPage } from './pages/match-page.ts';
import { standingsPage } from './pages/standings-page.ts';
import { boardQuery, matchParams, standingsQuery, streamQuery } from './query.ts';
import type { Topic } from './reader.ts';
import { seasonStandings } from './standings.ts';

/** What the board works with. */
export type BoardOptions = {
  readonly view: BoardView;
  /** Unix seconds, with what is below a second. */
  readonly now: () => number;
  /** Where its metrics go; a registry of its own where none is given. */
  readonly metrics?: Registry;
  /** Matches on the board: all that are live, then those that changed last. Default 400. */
  readonly size?: number;
  /** Readers of `/board/events` at once. Default 1000. */
  readonly maxReaders?: number;
};

const HTML = 'text/html; charset=utf-8';

/** Of every page: nothing but what this server sends is loaded or run; no other page may frame it. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types touchline",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/**
 * The live board: pages at `/`, `/match/{id}` and `/standings`, server-sent events at `/board/events`, the record of a
 * match at `/board/matches/{id}`. Open on purpose: it asks for no token and shows none; whoever must not see it is kept
 * away by not registering it, or by what stands before the server. Everything is answered from the view at once.
 */
export async function boardRoutes(app: FastifyInstance, options: BoardOptions): Promise<void> {
  const { view, now, metrics = new Registry(), size = 400, maxReaders = 1_000 } = options;
  const assets = loadAssets(BOARD_ASSETS);
  const hub = new Hub({ view, now, metrics, maxReaders });
  app.addHook('preClose', (done) => {
    hub.close();
    done();
  });
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(PAGE_HEADERS).header('cache-control', 'no-cache');
    done();
  });

  app.get('/', (request, reply) => {
    const matches = boardStates(view, size).map((state) => boardMatch(state, view));
    const page = boardPage(matches, boardQuery.parse(request.query), now(), assets);
    return reply.type(HTML).send(page);
  });

  app.get('/match/:id', (request, reply) => {
    const details = detailsOf(view, request.params);
    if (details === null) return notFound(reply, 'No such match', assets);
    return reply.type(HTML).send(matchPage(details, now(), assets));
  });

  app.get('/board/matches/:id', (request, reply) => {
    const details = detailsOf(view, request.params);
    return details === null ? reply.code(404).send({ error: 'No such match' }) : reply.send(details);
  });

  app.get('/standings', (request, reply) => {
    const standings = seasonStandings(view, standingsQuery.parse(request.query));
    if (standings === null) return notFound(reply, 'No such table', assets);
    return reply.type(HTML).send(standingsPage(standings, now(), assets));
  });

  app.get('/board/events', (request, reply) => {
    const asked = streamQuery.safeParse(request.query);
    if (!asked.success)
      return reply.code(400).send({ error: 'event is a positive whole number, season too or none' });
    if (!hub.admits()) return reply.code(503).header('retry-after', '30').send({ error: 'Too many readers' });
    const topic = topicOf(asked.data);
    // All that is read for it is read before the answer begins: what fails can still be answered then.
    const states = statesOf(view, topic, size);
    hub.prepare(states);
    reply.hijack();
    reply.raw.writeHead(200, {
      ...PAGE_HEADERS,
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // It lasts for long and then ends the connection, so that nothing holds up the end of the server.
      connection: 'close',
      'x-accel-buffering': 'no',
    });
    hub.join(reply.raw, topic, states);
    return reply;
  });

  assetRoutes(app, BOARD_ASSETS.at, assets);
}

function detailsOf(view: BoardView, params: unknown): ReturnType<typeof matchDetails> {
  const asked = matchParams.safeParse(params);
  return asked.success ? matchDetails(view, asked.data.id) : null;
}

function topicOf({ event, season }: z.output<typeof streamQuery>): Topic {
  if (event !== undefined) return { kind: 'match', eventId: event };
  return season === undefined ? { kind: 'board' } : { kind: 'season', seasonId: season };
}

function statesOf(view: BoardView, topic: Topic, size: number): readonly ShownState[] {
  switch (topic.kind) {
    case 'board':
      return boardStates(view, size);
    case 'match': {
      const state = view.state(topic.eventId);
      return state === null ? [] : [state];
    }
    case 'season':
      return [];
  }
}

function notFound(reply: FastifyReply, title: string, assets: Assets): FastifyReply {
  return reply
    .code(404)
    .type(HTML)
    .send(problemPage(title, 'It is unknown, or it was deleted.', assets));
}
