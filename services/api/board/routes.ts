import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { OperationName } from '#contract/rest/operations.ts';
import type { Access } from '#contract/rest/provider.ts';
import { isCovered, servedWords } from '#views/queries/access.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { BoardView } from '#views/store/views.ts';
import type { BrokerBacklog } from './backlog.ts';
import { boardMatch, boardSources, boardStates } from './board-match.ts';
import { feedsOf } from './feeds.ts';
import { boardGate, coversAll, type GateOptions, type Permit, refuseEntry } from './gate.ts';
import { Hub, type HubOptions } from './hub.ts';
import { matchDetails } from './match-details.ts';
import { boardPage } from './pages/board-page.ts';
import { feedsPage } from './pages/feeds-page.ts';
import { PAGE_HEADERS, problemPage, sendPage } from './pages/layout.ts';
import { matchPage } from './pages/match-page.ts';
import { standingsPage } from './pages/standings-page.ts';
import { boardQuery, matchParams, standingsQuery, streamQuery } from './query.ts';
import type { ReaderSight, Topic } from './reader.ts';
import { type ReadView, scopedView } from './scoped-view.ts';
import { liveKnockOuts, seasonStandings } from './standings.ts';

export type BoardOptions = Omit<HubOptions, 'maxReaders'> & {
  readonly gate: GateOptions;
  /** What waits within Touchline, for the page of the feeds; without it that says nothing of it. */
  readonly backlog?: Pick<BrokerBacklog, 'waiting'> | undefined;
  /** Matches on the board: all that are live, then those that changed last. Default 400. */
  readonly size?: number;
  /** Readers of `/board/events` at once. Default 1000. */
  readonly maxReaders?: number;
};

/** What the contract of a client has to cover to see a page, or follow it: the operations that say the same. */
const NEEDS = {
  board: ['livescore.index'],
  feeds: ['livescore.index'],
  match: ['events.show', 'events.incidents'],
  season: ['standings.index', 'standings.show'],
} as const satisfies Readonly<Record<Topic['kind'], readonly OperationName[]>>;

/**
 * The live board: pages at `/`, `/match/{id}`, `/standings` and `/feeds`, server-sent events at `/board/events`, the record of a
 * match at `/board/matches/{id}`. Who may see what of it is the gate's and the contract's to say. Everything is answered from the view at once.
 */
export async function boardRoutes(app: FastifyInstance, options: BoardOptions): Promise<void> {
  const { now, metrics, size = 400, maxReaders = 1_000 } = options;
  const hub = new Hub({ view: options.view, now, metrics, maxReaders });
  app.addHook('preClose', (done) => {
    hub.close();
    done();
  });
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(PAGE_HEADERS).header('cache-control', 'no-cache');
    done();
  });

  const gate = await boardGate(app, options.gate);
  /** What a request may see of one kind of page; null where it was answered that it may not. */
  const admit = (request: FastifyRequest, reply: FastifyReply, kind: Topic['kind']): Admitted | null => {
    const permit = gate(request);
    const access = permit?.access() ?? null;
    if (permit === null || access === null) {
      refuseEntry(request, reply);
      return null;
    }
    if (coversAll(access, NEEDS[kind]))
      return { permit, view: scopedView(options.view, access), served: servedWords(access) };
    if (request.url.startsWith('/board/')) reply.code(403).send({ error: 'Outside the contract' });
    else sendPage(reply.code(403), problemPage('Outside the contract', OUTSIDE));
    return null;
  };
  /** Serves the pages of a kind; `make` gives null where there is none. */
  const servePage = (
    path: string,
    kind: Topic['kind'],
    make: (admitted: Admitted, request: FastifyRequest) => string | null,
  ): void => {
    app.get(path, (request, reply) => {
      const admitted = admit(request, reply, kind);
      if (admitted === null) return reply;
      const page = make(admitted, request);
      return page === null
        ? sendPage(reply.code(404), missingPage(kind, admitted.served))
        : sendPage(reply, page);
    });
  };

  servePage('/', 'board', ({ view }, { query }) => {
    const at = now();
    const matches = boardStates(view, size).map((state) => boardMatch(state, view, at));
    return boardPage(matches, boardSources(view, at), boardQuery.parse(query), at);
  });
  servePage('/match/:id', 'match', ({ view }, { params }) => {
    const details = detailsOf(view, params, now());
    return details && matchPage(details, now());
  });
  servePage('/feeds', 'feeds', ({ view, served }) =>
    feedsPage(feedsOf(view, now(), options.backlog?.waiting()), served, now()),
  );
  servePage('/standings', 'season', ({ view }, { query }) => {
    const standings = seasonStandings(view, standingsQuery.parse(query), now());
    return standings && standingsPage(standings, now());
  });

  app.get('/board/matches/:id', (request, reply) => {
    const admitted = admit(request, reply, 'match');
    if (admitted === null) return reply;
    const details = detailsOf(admitted.view, request.params, now());
    if (details !== null) return reply.send(details);
    const { served } = admitted;
    const error = served === null ? 'No such match' : `Not found here: this server serves ${served}`;
    return reply.code(404).send({ error });
  });

  app.get('/board/events', async (request, reply) => {
    const asked = streamQuery.safeParse(request.query);
    if (!asked.success)
      return reply.code(400).send({ error: 'event is a positive whole number, season too or none' });
    const topic = topicOf(asked.data);
    const admitted = admit(request, reply, topic.kind);
    if (admitted === null) return reply;
    await hub.counts();
    if (!hub.admits()) return reply.code(503).header('retry-after', '30').send({ error: 'Too many readers' });
    // All that is read for it is read before the answer begins: what fails can still be answered then.
    const states = statesOf(admitted.view, topic, size);
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
    hub.join(reply.raw, topic, sightOf(admitted.permit, topic.kind, options.view), states);
    return reply;
  });
}

type Admitted = {
  readonly permit: Permit;
  readonly view: ReadView;
  /** What of all competitions is served, in words; null is all. */
  readonly served: string | null;
};

const OUTSIDE = 'The contract of this client does not cover what is shown here.';

/** What a reader may see of what changes, by its contract at that moment. */
function sightOf(permit: Permit, kind: Topic['kind'], view: BoardView): ReaderSight {
  const access = (): Access | null => {
    const current = permit.access();
    return current !== null && coversAll(current, NEEDS[kind]) ? current : null;
  };
  return {
    lasts: () => access() !== null,
    match({ competition_id }) {
      const current = access();
      return current !== null && isCovered(current, competition_id);
    },
    season(seasonId) {
      const current = access();
      if (current === null || current.competitions === null) return current !== null;
      return scopedView(view, current)
        .seasons()
        .some(({ season_id }) => season_id === seasonId);
    },
  };
}

function detailsOf(view: ReadView, params: unknown, now: number): ReturnType<typeof matchDetails> {
  const asked = matchParams.safeParse(params);
  return asked.success ? matchDetails(view, asked.data.id, now) : null;
}

function topicOf({ event, season, feeds, clocks }: z.output<typeof streamQuery>): Topic {
  if (feeds === 'yes') return { kind: 'feeds' };
  if (event !== undefined) return { kind: 'match', eventId: event };
  return season === undefined
    ? { kind: 'board' }
    : { kind: 'season', seasonId: season, clocks: clocks === 'yes' };
}

function statesOf(view: ReadView, topic: Topic, size: number): readonly ShownState[] {
  switch (topic.kind) {
    case 'board':
      return boardStates(view, size);
    case 'feeds':
      return [];
    case 'match': {
      const state = view.state(topic.eventId);
      return state === null ? [] : [state];
    }
    case 'season':
      return topic.clocks && topic.seasonId !== null ? liveKnockOuts(view, topic.seasonId) : [];
  }
}

/** `served`: what of all competitions is served, in words; null is all. */
function missingPage(kind: Topic['kind'], served: string | null): string {
  if (served === null)
    return problemPage(
      kind === 'match' ? 'No such match' : 'No such table',
      'It is unknown, or it was deleted.',
    );
  return problemPage(
    'Not found here',
    `It is unknown, it was deleted, or it is of another competition: this server serves ${served}.`,
  );
}
