import { createSecretKey } from 'node:crypto';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import type { Registry } from 'prom-client';
import type { Contracts } from '#clients/contracts.ts';
import { type ClientsKeys, deriveKeys, hashSecret, newSecret, verifySecret } from '#clients/keys.ts';
import { answerErrors, restServerOptions, sendError } from '#contract/rest/error-answers.ts';
import { openApi } from '#contract/rest/openapi.ts';
import type { Authenticator, ProviderData } from '#contract/rest/provider.ts';
import { restRoutes } from '#contract/rest/routes.ts';
import { fastifyServer, strictTransport } from '#service/http-server.ts';
import { metersOf } from '#service/meters.ts';
import { opsAnswer } from '#service/ops.ts';
import type { ServerTlsFiles } from '#service/server-tls.ts';
import { issueToken, verifyToken } from '#signing/token.ts';
import { traceRequests } from '#tracing/trace-requests.ts';
import { type FeedStatus, HEALTH_HEADER } from '#trading/feed-status.ts';
import { servedWords } from '#views/queries/access.ts';
import type { ServedCompetitions } from '#views/store/served.ts';
import type { BoardView } from '#views/store/views.ts';
import type { GateOptions } from './board/gate.ts';
import { type BoardOptions, boardRoutes, notFoundPage } from './board/routes.ts';
import { readExample } from './docs/examples.ts';

export type ApiAppOptions = Pick<BoardOptions, 'view' | 'orderHalt' | 'rulesOf'> & {
  readonly data: ProviderData;
  readonly authenticator: Authenticator;
  /** Access rules of the live board; null: the board is not served. */
  readonly board: GateOptions | null;
  /** Ids of the competitions that are served; null: all. */
  readonly competitions: ServedCompetitions;
  readonly version: string;
  readonly publicUrl: string | undefined;
  /** Addresses and networks of proxies whose X-Forwarded-Proto and X-Forwarded-Host are used. */
  readonly trustedProxies: readonly string[];
  /** Null: plain HTTP. */
  readonly tls?: ServerTlsFiles | null;
  readonly registry: Registry;
  readonly log: FastifyBaseLogger;
  /** Whether the views have caught up. Until then every request but those for health is answered with 503. */
  readonly ready: () => boolean;
  /** Aborted when the process drains: it still serves requests but reports that it is not ready. */
  readonly draining?: AbortSignal | undefined;
  /** Called with the server error of a request, after the request was answered. */
  readonly onFailure: (error: unknown) => void;
};

/** Paths for load balancers. Metrics are on METRICS_PORT only. */
const HEALTH_PATHS = ['/health', '/health/live', '/health/ready'];

export async function createApp(options: ApiAppOptions): Promise<FastifyInstance> {
  const { view, board, version, publicUrl, registry, log, ready, onFailure, draining } = options;
  const { trustedProxies, competitions, tls = null } = options;
  const now = (): number => Date.now() / 1000;
  const quiet = log.child({}, { level: 'warn' });
  const app = fastify({
    ...restServerOptions(version, now),
    ...fastifyServer({ log, tls, https: publicUrl?.startsWith('https:') === true, draining }),
    loggerInstance: log,
    // No log line names a request, so requests need no child loggers.
    childLoggerFactory: (logger, _bindings, { level }) => (level === undefined ? logger : quiet),
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
  });
  // No label holds an id, a client or a token.
  const requestSeconds = metersOf(registry).histogram(
    'touchline_api_request_seconds',
    'Time from a request to its answer, by route and status.',
    [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
    'route',
    'status',
  );
  traceRequests(app);
  if (trustedProxies.length > 0) app.addHook('onRequest', strictTransport);
  answerErrors(app, { now, version, notFound: board === null ? undefined : notFoundPage, onFailure });
  app.addHook('onRequest', (request, reply, done) => {
    if (ready() || HEALTH_PATHS.includes(request.routeOptions.url ?? '')) return done();
    sendError(reply, 'NOT_READY', version, Math.floor(now()));
  });
  app.addHook('onResponse', async ({ routeOptions: { url: route = 'none' } }, reply) => {
    requestSeconds.observe({ route, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
  });
  // Set before the handler runs: bytes are written to the socket directly, without `onSend`.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/v2/'))
      reply.header(HEALTH_HEADER, healthHeader(view, eventIdOf(request), Date.now()));
    done();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (reply.statusCode >= 500) reply.removeHeader(HEALTH_HEADER);
    // Who may not see a match does not learn that it is halted.
    else if (REFUSALS.has(reply.statusCode) && reply.hasHeader(HEALTH_HEADER))
      reply.header(HEALTH_HEADER, healthHeader(view, null, Date.now()));
    done();
  });
  const served = servedWords({ competitions, contracted: null });
  const isRoutable = (): boolean => ready() && draining?.aborted !== true;
  for (const path of HEALTH_PATHS) {
    app.get(path, { logLevel: 'warn' }, async (_request, reply) => {
      const { status, body, type } = await opsAnswer(path, { metrics: registry, ready: isRoutable });
      const isLimited = served !== null && path === '/health/ready' && status === 200;
      return reply
        .code(status)
        .type(type)
        .send(isLimited ? `${body}serves ${served}\n` : body);
    });
  }
  const { data, authenticator, orderHalt, rulesOf } = options;
  await app.register(restRoutes, { data, authenticator, now, version, onFailure, baseUrl: publicUrl });
  await app.register(documentRoutes, { version, publicUrl });
  if (board !== null)
    await app.register(boardRoutes, { view, gate: board, now, metrics: registry, orderHalt, rulesOf });
  return app;
}

/** The viewer runs only its own files, and has images in its styles. */
const VIEWER_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** On a phone, long code breaks and a wide table is scrolled: the viewer lets both widen the page. */
const NARROW =
  '.swagger-ui .info code { overflow-wrap: anywhere; white-space: normal } .swagger-ui table { display: block; overflow-x: auto }';

/** Serves the contract as `/openapi.json`, and as the page `/docs` of Swagger UI, which loads nothing from another host. */
export async function documentRoutes(
  app: FastifyInstance,
  { version, publicUrl }: { readonly version: string; readonly publicUrl: string | undefined },
): Promise<void> {
  const document = openApi({ version, baseUrl: publicUrl, exampleOf: readExample });
  const json = JSON.stringify(document);
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(json));
  await app.register(swagger, { mode: 'static', specification: { document: JSON.parse(json) } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: VIEWER_POLICY,
    theme: { title: document.info.title, css: [{ filename: 'narrow.css', content: NARROW }] },
    uiConfig: {
      layout: 'BaseLayout',
      filter: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: -1,
      supportedSubmitMethods: ['get'],
    },
  });
}

const REFUSALS: ReadonlySet<number> = new Set([401, 403]);
const EVENT_ROUTE = /^\/v2\/(?:events|feed)\/:id(?:\/|$)/;

/** Returns the id of the event that a request names; null when it names none. */
function eventIdOf({ routeOptions, params }: FastifyRequest): number | null {
  const id = (params as { readonly id?: string } | undefined)?.id ?? '';
  return /^\d{1,15}$/.test(id) && EVENT_ROUTE.test(routeOptions.url ?? '') ? Number(id) : null;
}

/**
 * Renders the state of each source, and of the match when `eventId` is not null, as a structured field dictionary (RFC 9651):
 * `feed=down;reason=network, webhook=delayed;reason=delay;delay=45, match=alive`: `delay` in seconds. Clients act on `alive` and `recovered` only. `now`: Unix milliseconds.
 */
function healthHeader(view: BoardView, eventId: number | null, now: number): string {
  const entries = view.health.sources(now).map((source) => entry(source.source, source));
  if (eventId !== null)
    entries.push(haltEntry(view, eventId, now) ?? entry('match', view.matchHealth(eventId, now)));
  return entries.length === 0 ? 'unknown' : entries.join(', ');
}

/** Returns the entry of a match that must not be traded for a halt by hand, so that a client that knows only feeds obeys it too; else null. */
function haltEntry({ halts, matches }: BoardView, eventId: number, now: number): string | null {
  const competition_id = matches.state(eventId)?.competition_id ?? null;
  const { isRead, standing } = halts.standing(now, { event_id: eventId, competition_id });
  if (standing.length > 0) return 'match=halted;reason=by_hand';
  return isRead ? null : 'match=halted;reason=halts_unread';
}

function entry(name: string, { state, reason, delay }: FeedStatus): string {
  const by = state === 'delayed' && delay !== null ? `;delay=${Math.round(delay / 1_000)}` : '';
  return `${name}=${state}${reason === null ? '' : `;reason=${reason}`}${by}`;
}

/** Lifetime of a token, seconds (spec, "Authentication" 2). */
const TOKEN_SECONDS = 3_600;
const CLIENT_ID = /^[1-9][0-9]{0,15}$/;

/** Creates the exchange of secrets for tokens and the check of tokens. Every refusal takes as long. */
export function createAuthenticator(
  clients: Pick<Contracts, 'find' | 'findHolder'>,
  clientsKeys: ClientsKeys,
): Authenticator {
  // Key objects verify a token several times as fast as key bytes.
  const [first, ...others] = deriveKeys(clientsKeys, 'tokens');
  const key = createSecretKey(first);
  const keys = [key, ...others.map((other) => createSecretKey(other))];
  // Compared when the client is unknown, so that the check takes as long. Nobody knows its secret.
  const unknownSecretHash = hashSecret(newSecret());

  return {
    async exchange(clientId, secretKey, now) {
      const id = CLIENT_ID.test(clientId) ? Number(clientId) : 0;
      const known = clients.find(id);
      const isRight = verifySecret(secretKey, known?.client.secret_hash ?? unknownSecretHash);
      if (!isRight || known === undefined) return null;
      const expiration = now + TOKEN_SECONDS;
      const { identity } = known.client;
      return { token: issueToken({ clientId: id, expiration, instance: identity }, key), expiration };
    },
    access(token, now) {
      const claims = verifyToken(token, now, keys);
      return claims === null ? null : (clients.findHolder(claims.clientId, claims.instance)?.access ?? null);
    },
  };
}
