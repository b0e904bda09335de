/** Access to the live board: a session of a client opens what the client's contract covers. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Access } from '#contract/rest/provider.ts';
import { isLoopback } from '#service/addresses.ts';
import { type ServedCompetitions, servedAccess } from '#views/store/served.ts';
import { type BoardSessions, type Operator, SESSION_SECONDS, type Viewer } from '../sessions.ts';
import { document, html, sendPage } from './pages/html.ts';

export type GateOptions = {
  readonly sessions: BoardSessions;
  /** Whether a client on this machine needs no session, unless its request shows a proxy. */
  readonly openOnLoopback: boolean;
  /** Ids of the competitions that are served; null: all. */
  readonly competitions: ServedCompetitions;
  /** Address by which browsers reach the board; undefined: the one of each request. */
  readonly publicUrl: string | undefined;
};

const COOKIE = 'touchline_session';
const COOKIE_OF = new RegExp(`(?:^|;\\s*)${COOKIE}=([A-Za-z0-9._-]+)`);
const BODY_LIMIT = 4 * 1024;
const FORM = 'application/x-www-form-urlencoded';

const EVERYTHING: Access = { clientId: 0, competitions: null, operations: null };

const credentials = z.object({ client_id: z.string(), secret_key: z.string(), to: z.string().default('/') });

/** Registers the pages for signing in and out, and returns the gate of the board's routes. */
export async function boardGate(app: FastifyInstance, options: GateOptions) {
  const { sessions, openOnLoopback, competitions, publicUrl } = options;
  const everything = servedAccess(EVERYTHING, competitions);
  const isHttps = ({ protocol }: FastifyRequest): boolean =>
    publicUrl === undefined ? protocol === 'https' : publicUrl.startsWith('https:');
  const cookie = (request: FastifyRequest, session: string, seconds: number): string =>
    `${COOKIE}=${session}; HttpOnly; Path=/; Max-Age=${seconds}; SameSite=Lax${isHttps(request) ? '; Secure' : ''}`;
  const sessionOf = ({ headers }: FastifyRequest): string | undefined =>
    COOKIE_OF.exec(headers.cookie ?? '')?.[1];
  const viewerOf = (request: FastifyRequest): Viewer | null => sessions.viewer(sessionOf(request) ?? '');
  const sendForm = (reply: FastifyReply, code: number, to: string, problem: string): FastifyReply =>
    sendPage(reply.code(code), signInPage(to, problem, null), 'no-store');

  await app.register(async (scope) => {
    refuseOtherSites(scope, publicUrl, BODY_LIMIT, (reply) => sendForm(reply, 403, '/', OTHER_SITE));
    scope.setErrorHandler((error: FastifyError, _request, reply) => {
      const { statusCode = 500 } = error;
      if (statusCode >= 500) throw error;
      return sendForm(reply, 400, '/', 'Sign in again.');
    });
    scope.get('/sign-in', (request, reply) => {
      const clientId = viewerOf(request)?.clientId ?? null;
      return sendPage(reply, signInPage('/', null, clientId), 'no-store');
    });
    scope.post('/sign-in', async (request, reply) => {
      const given = credentials.safeParse(request.body);
      if (!given.success) return sendForm(reply, 400, '/', 'Fill in both fields.');
      const { client_id, secret_key, to } = given.data;
      const session = await sessions.open(client_id.trim(), secret_key.trim());
      if (session === null) return sendForm(reply, 401, ownPath(to), 'These credentials are wrong.');
      return reply.header('set-cookie', cookie(request, session, SESSION_SECONDS)).redirect(ownPath(to), 303);
    });
    scope.post('/sign-out', (request, reply) => {
      sessions.end(sessionOf(request) ?? '');
      return reply.header('set-cookie', cookie(request, '', 0)).redirect('/sign-in', 303);
    });
  });

  return {
    /** Returns what gives the contract of the sender of a request, null once its session is over; null when it has to sign in first. */
    enter: (request: FastifyRequest): (() => Access | null) | null =>
      openOnLoopback && isFromThisMachine(request) ? () => everything : (viewerOf(request)?.access ?? null),
    /** Returns who may halt trading by this request; null: nobody. */
    operator: (request: FastifyRequest): Operator | null => viewerOf(request)?.operator() ?? null,
  };
}

/** Makes a scope read forms, and refuse those of pages of other sites: one could sign the visitor out, or give orders in its name. */
export function refuseOtherSites(
  scope: FastifyInstance,
  publicUrl: string | undefined,
  bodyLimit: number,
  refuse: (reply: FastifyReply) => unknown,
): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  scope.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'POST' && isOfAnotherSite(request, publicUrl)) refuse(reply);
    else done();
  });
}

const OTHER_SITE =
  'This form came from another address. Sign in on this page; if that repeats, API_PUBLIC_URL must be its address.';

/** Whether a page of another site sent the form; a program sends neither header. Schemes are not compared: a proxy may not pass them on. */
function isOfAnotherSite({ headers, host }: FastifyRequest, publicUrl: string | undefined): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site !== 'same-origin';
  if (origin === undefined) return false;
  const from = URL.parse(origin)?.host;
  const own = [publicUrl, `http://${host}`, `http://${headers.host}`];
  return from === undefined || !own.some((address) => URL.parse(address ?? '')?.host === from);
}

const PROXY_HEADER = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/;

/**
 * Whether a client on this machine sent the request to a loopback name, and no sign of a proxy is there. Trusts only the socket
 * and `Host`: a client can write any forwarded header. A proxy that sets `Host` to a loopback name, adds no header and speaks
 * HTTP/1.1 looks like a local client; therefore `API_BOARD` is `sign-in` by default.
 */
function isFromThisMachine({ raw, socket, headers }: FastifyRequest): boolean {
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    isLoopback(hostOf(headers.host)) &&
    raw.httpVersion !== '1.0' &&
    !Object.keys(headers).some((name) => PROXY_HEADER.test(name))
  );
}

/** Returns the name in a `Host` header without the port; empty when the header is missing or malformed. */
function hostOf(header: string | undefined): string {
  return URL.parse(`http://${header}`)?.hostname.replace(/^\[|\]$/g, '') ?? '';
}

/** Renders the sign-in form. `to`: path to show afterwards. `problem`: of the last attempt. `clientId`: the client who may sign out. */
function signInPage(to: string, problem: string | null, clientId: number | null): string {
  const content = html`<h1>Sign in</h1>
${clientId !== null && html`<form class="sign-in" method="post" action="/sign-out"><p>Signed in as client ${clientId}.</p><button>Sign out</button></form>`}
<form class="sign-in" method="post" action="/sign-in">
<p>The board shows what the contract of a client covers.</p>
${problem !== null && html`<p class="mark halted" role="alert">${problem}</p>`}
<input type="hidden" name="to" value="${to}">
<label class="field">Client id<input name="client_id" inputmode="numeric" autocomplete="username" required></label>
<label class="field">Secret key<input name="secret_key" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>`;
  return document({ title: 'Sign in', styles: ['sign-in.css'], content });
}

/** Answers 401 to a request that has to sign in: with the sign-in page, or with a record below `/board/`. */
export function refuseEntry(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.url.startsWith('/board/')) return reply.code(401).send({ error: 'Sign in first' });
  return sendPage(reply.code(401), signInPage(ownPath(request.url), null, null), 'no-store');
}

/** Returns the path and query of an address on this server; `/` when the address leads to another server. */
function ownPath(text: string): string {
  const here = 'http://here';
  const url = URL.parse(text, here);
  // `/.//elsewhere` names this server, but its normalized path `//elsewhere` names another.
  const isOwn = url?.origin === here && text.startsWith('/') && !url.pathname.startsWith('//');
  return isOwn ? url.pathname + url.search : '/';
}
