/** The address of a schema registry, and requests to it. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { defineError } from '#errors/touchline-error.ts';
import { parseJson } from '#json/values.ts';
import { readSecret, type Secret } from '#security/secret.ts';
import { readTls, type TlsFiles, tlsFailure } from '#security/tls.ts';
import { RegistryUnavailableError } from './errors.ts';

/** Credentials of a registry (HTTP basic authentication). */
type RegistryUser = { readonly username: string; readonly password: Secret };

/** The address of a registry, with the secrets of its connections apart. */
export type RegistryAddress = {
  readonly url: string;
  /** Null: Node's default certificates. */
  readonly tls: TlsFiles | null;
  readonly user: RegistryUser | null;
};

/** A registry: its address, which may contain user and password. Plain data, so that threads can receive it. */
export type RegistryUrl = string | RegistryAddress;

/** Separates user and password from an address, so that no request URL, error or log line contains them. */
export function parseRegistryAddress(registry: RegistryUrl): RegistryAddress {
  const { url, tls, user } =
    typeof registry === 'string' ? { url: registry, tls: null, user: null } : registry;
  const { origin, pathname, username, password } = new URL(url);
  const ofUrl =
    username === '' && password === ''
      ? null
      : { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return { url: `${origin}${pathname}`.replace(/\/+$/, ''), user: user ?? ofUrl, tls };
}

/** Thrown when the registry refuses a request. `status` is the HTTP status; 503 without an answer. */
export class RegistryHttpError extends defineError('RegistryHttpError') {
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super('REGISTRY_ANSWER', message, cause);
    this.status = status;
  }
}

/** The status of an error without an answer. */
const UNAVAILABLE = 503;

/** A path that every registry has. */
const PROBE_PATH = '/schemas/types';

/** Returns the value of the header `authorization`. Throws `SecretFileError`. */
function authorizationOf({ username, password }: RegistryUser): string {
  return `Basic ${Buffer.from(`${username}:${readSecret(password)}`).toString('base64')}`;
}

/** With a body in `put` a request is a PUT, in `post` a POST, else a GET. */
export type RequestBody = { readonly put?: object; readonly post?: object };

type RequestOptions = RequestBody & { readonly timeoutMs: number };

/** Sends a request. Returns the JSON of the answer; null for 404. Throws `RegistryHttpError`. */
export async function requestJson(
  address: RegistryAddress,
  path: string,
  options: RequestOptions,
): Promise<Record<string, unknown> | null> {
  try {
    const { status, body } = await request(address, path, options);
    if (status === 404) return null;
    if (status >= 400) throw new RegistryHttpError(status, `status ${status}: ${messageIn(body)}`);
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof RegistryHttpError || !(error instanceof Error)) throw error;
    // The error of a host with several addresses has a code alone.
    const reason = error.message || ('code' in error ? String(error.code) : error.name);
    throw new RegistryHttpError(UNAVAILABLE, reason, error);
  }
}

/** Returns the registry's message in the body of an error, else the start of the body. */
function messageIn(body: string): string {
  const { message } = (parseJson(body) ?? {}) as { readonly message?: unknown };
  return (typeof message === 'string' ? message : body).slice(0, 200);
}

/** Sends a request and returns its answer. By Node's client: undici adds a tenth to the files that a processor loads at first. */
async function request(address: RegistryAddress, path: string, { timeoutMs, put, post }: RequestOptions) {
  const { url, user, tls } = address;
  // Read for each connection, so that the files may rotate: none is kept for another request.
  const secured = tls === null ? {} : { ...readTls(tls, new URL(url).hostname), agent: false as const };
  const signal = AbortSignal.timeout(timeoutMs);
  const body = put ?? post;
  const method = body === undefined ? 'GET' : put === undefined ? 'POST' : 'PUT';
  const headers = {
    ...(user === null ? {} : { authorization: authorizationOf(user) }),
    ...(body === undefined ? {} : { 'content-type': 'application/vnd.schemaregistry.v1+json' }),
  };
  try {
    // Not imported, as in libs/service/http-server.ts.
    const send = url.startsWith('https:') ? requestHttps : process.getBuiltinModule('node:http').request;
    const sent = send(`${url}${path}`, { method, headers, signal, ...secured });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, date: answer.headers.date, body: await text(answer) };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** Requests a path that every registry has. Returns the clock of its machine, Unix milliseconds; null if it sends no `Date`. */
export async function probeRegistry(registry: RegistryUrl, timeoutMs: number): Promise<number | null> {
  // Some registries send no `Date` at their root.
  const { date } = await request(parseRegistryAddress(registry), PROBE_PATH, { timeoutMs });
  return date === undefined ? null : Date.parse(date);
}

/** Statuses with which a registry refuses credentials. */
const REFUSED: ReadonlySet<number> = new Set([401, 403]);
const CHECK_MS = 5_000;

/** Sends one request. Returns whether the registry answered. Throws `RegistryUnavailableError` for what retries cannot fix. */
export async function requireRegistryAccess(registry: RegistryUrl): Promise<boolean> {
  const address = parseRegistryAddress(registry);
  try {
    await requestJson(address, PROBE_PATH, { timeoutMs: CHECK_MS });
  } catch (error) {
    const denied = registryDenial(address, error);
    if (denied !== undefined) throw denied;
    return !(error instanceof RegistryHttpError && error.status === UNAVAILABLE);
  }
  return true;
}

/** Returns the error for a failed request that retries cannot fix; undefined for any other failure. */
export function registryDenial(
  { url, user }: RegistryAddress,
  error: unknown,
): RegistryUnavailableError | undefined {
  const failure = tlsFailure(error);
  if (failure?.of === 'theirs') {
    const reason = `its certificate is not trusted: ${failure.reason}`;
    return new RegistryUnavailableError('REGISTRY_UNTRUSTED', url, reason, error);
  }
  const refuses = (who: string, why: string) =>
    new RegistryUnavailableError('REGISTRY_REFUSES', url, `it refuses ${who} (${why})`, error);
  if (failure !== undefined) return refuses('the client certificate', failure.reason);
  if (!(error instanceof RegistryHttpError && REFUSED.has(error.status))) return undefined;
  const who = user === null ? 'requests without credentials' : `user ${user.username}`;
  return refuses(who, `status ${error.status}`);
}
