/** Who may open the live board: whoever has a session of a client, as far as the client's contract goes. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { OperationName } from '#contract/rest/operations.ts';
import type { Access } from '#contract/rest/provider.ts';
import { isLoopback } from '#service/addresses.ts';
import { type Served, servedAccess } from '#views/store/served.ts';
import { type BoardSessions, SESSION_SECONDS, type Viewer } from '../sessions.ts';
import { sendPage } from './pages/layout.ts';
import { signInPage } from './pages/sign-in-page.ts';

export type GateOptions = {
  readonly sessions: BoardSessions;
  /** Lets a client on this machine in without a session, where nothing says that a proxy stands between. */
  readonly openOnLoopback: boolean;
  /** Competitions that are served; null is all of them. */
  readonly competitions: Served;
  /** Whether clients reach it by https, so that the cookie goes over nothing else. */
  readonly https: boolean;
};

/** What a request may see, evaluated each time; null once it may see nothing. */
export type Permit = { access(): Access | null };

/** A gate in front of the board's routes; null where credentials are asked for first. */
type Gate = (request: FastifyRequest) => Permit | null;

const COOKIE = 'touchline_session';
const COOKIE_OF = new RegExp(`(?:^|;\\s*)${COOKIE}=([A-Za-z0-9._-]+)`);
const BODY_LIMIT = 4 * 1024;
const FORM = 'application/x-www-form-urlencoded';

const EVERYTHING: Access = { clientId: 0, competitions: null, operations: null };

const credentials = z.object({ client_id: z.string(), secret_key: z.string(), to: z.string().default('/') });

/** Registers the pages to sign in and out at, and gives the gate that the board's routes ask. */
export async function boardGate(app: FastifyInstance, options: GateOptions): Promise<Gate> {
  const { sessions, openOnLoopback, competitions, https } = options;
  const all = servedAccess(EVERYTHING, competitions);
  const everything = { access: () => all };
  const cookie = (value: string, seconds: number): string =>
    `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`;
  const sessionOf = ({ headers }: FastifyRequest): string | undefined =>
    COOKIE_OF.exec(headers.cookie ?? '')?.[1];
  const viewerOf = (request: FastifyRequest): Viewer | null => {
    const session = sessionOf(request);
    return session === undefined ? null : sessions.viewer(session);
  };
  const ask = (reply: FastifyReply, code: number, to: string, problem: string | null): FastifyReply =>
    sendPage(reply.code(code), signInPage(to, problem, null), 'no-store');

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    // A form of another site would sign its reader in as somebody else, or out.
    scope.addHook('onRequest', (request, reply, done) => {
      const site = request.headers['sec-fetch-site'];
      if (request.method === 'POST' && site !== undefined && site !== 'same-origin')
        ask(reply, 403, '/', 'Sign in on this page.');
      else done();
    });
    scope.setErrorHandler((error: FastifyError, _request, reply) => {
      const { statusCode = 500 } = error;
      if (statusCode >= 500) throw error;
      return ask(reply, 400, '/', 'Sign in again.');
    });
    scope.get('/sign-in', (request, reply) => {
      const clientId = viewerOf(request)?.clientId ?? null;
      return sendPage(reply, signInPage('/', null, clientId), 'no-store');
    });
    scope.post('/sign-in', async (request, reply) => {
      const given = credentials.safeParse(request.body);
      if (!given.success) return ask(reply, 400, '/', 'Fill in both fields.');
      const { client_id, secret_key, to } = given.data;
      const session = await sessions.open(client_id.trim(), secret_key.trim());
      if (session === null) return ask(reply, 401, ownPath(to), 'These credentials are wrong.');
      return reply.header('set-cookie', cookie(session, SESSION_SECONDS)).redirect(ownPath(to), 303);
    });
    scope.post('/sign-out', async (request, reply) => {
      const session = sessionOf(request);
      try {
        if (session !== undefined) await sessions.end(session);
      } catch (error) {
        request.log.warn({ err: error }, 'a session could not be ended');
        return ask(reply, 503, '/', 'You are still signed in: try again in a moment.');
      }
      return reply.header('set-cookie', cookie('', 0)).redirect('/sign-in', 303);
    });
  });

  return (request) => (openOnLoopback && isFromThisMachine(request) ? everything : viewerOf(request));
}

const PROXY_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-real-ip',
];

/**
 * Whether a client on this machine asks for this machine by a name of its own, and no proxy shows. Reads the socket and
 * the `Host` header alone: what a proxy forwards, a client may have written. A proxy that replaces `Host`, adds no header
 * and speaks HTTP/1.1 is not told from a local client: hence the default of `API_BOARD`.
 */
function isFromThisMachine({ raw, socket, headers }: FastifyRequest): boolean {
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    isLoopback(hostOf(headers.host)) &&
    raw.httpVersion !== '1.0' &&
    PROXY_HEADERS.every((name) => headers[name] === undefined)
  );
}

/** The name in a `Host` header, without the port; empty where it is none. */
function hostOf(header: string | undefined): string {
  return URL.parse(`http://${header}`)?.hostname.replace(/^\[|\]$/g, '') ?? '';
}

/** Answers who has no permit: a page that asks for credentials, or a record. */
export function refuseEntry(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.url.startsWith('/board/')) return reply.code(401).send({ error: 'Sign in first' });
  return sendPage(reply.code(401), signInPage(ownPath(request.url), null, null), 'no-store');
}

/** Whether a contract covers all of these operations. */
export function coversAll({ operations }: Access, wanted: readonly OperationName[]): boolean {
  return operations === null || wanted.every((operation) => operations.has(operation));
}

/** A path of this server, with its query; `/` for what leads elsewhere. */
function ownPath(text: string): string {
  const here = 'http://here';
  const url = URL.parse(text, here);
  // `/.//elsewhere` is of this server as it is given, and of another once it is normalized.
  const isOwn = url?.origin === here && text.startsWith('/') && !url.pathname.startsWith('//');
  return isOwn ? url.pathname + url.search : '/';
}
