/** Requests to a registry that its client library lacks. */
import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { TouchlineError } from '#errors/touchline-error.ts';
import { readSecret } from '#security/secret.ts';
import { tlsFailure } from '#security/tls.ts';
import { RegistryUnavailableError } from './errors.ts';
import {
  parseRegistryAddress,
  type RegistryAddress,
  type RegistryUrl,
  type RegistryUser,
  registryAgent,
} from './registry-address.ts';

/** Thrown when the registry refuses a request. `status` is the HTTP status; 503 without an answer. */
export class RegistryHttpError extends TouchlineError<'RegistryHttpError'> {
  override readonly name = 'RegistryHttpError';
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super('REGISTRY_ANSWER', message, cause);
    this.status = status;
  }
}

/** The status of an error without an answer. */
const UNANSWERED = 503;

/** A path that every registry has. */
const PROBE_PATH = '/schemas/types';

/** Returns the value of the header `authorization`. Throws `SecretFileError`. */
export function authorizationOf({ username, password }: RegistryUser): string {
  return `Basic ${Buffer.from(`${username}:${readSecret(password)}`).toString('base64')}`;
}

/** The timeout of a request; with a body in `put` it is a PUT, else a GET. */
type RequestOptions = { readonly timeoutMs: number; readonly put?: object };

/** Sends a request. Returns the JSON of the answer; null for 404. Throws `RegistryHttpError`. */
export async function requestJson(
  address: RegistryAddress,
  path: string,
  options: RequestOptions,
): Promise<Record<string, unknown> | null> {
  try {
    return await request(address, path, options, async (answer) => {
      const { statusCode = 0 } = answer;
      const body = await text(answer);
      if (statusCode === 404) return null;
      if (statusCode >= 400)
        throw new RegistryHttpError(statusCode, `status ${statusCode}: ${body.slice(0, 200)}`);
      return JSON.parse(body);
    });
  } catch (error) {
    if (error instanceof RegistryHttpError || !(error instanceof Error)) throw error;
    throw new RegistryHttpError(UNANSWERED, error.message, error);
  }
}

/**
 * Sends a request and reads its answer, whatever its status. Uses Node's HTTP client: undici would add a tenth to the files
 * that a processor loads before its first fetch.
 */
async function request<T>(
  address: RegistryAddress,
  path: string,
  { timeoutMs, put }: RequestOptions,
  read: (answer: IncomingMessage) => Promise<T>,
): Promise<T> {
  const { url, user } = address;
  const agent = registryAgent(address);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const sent = (url.startsWith('https:') ? requestHttps : requestHttp)(`${url}${path}`, {
      method: put === undefined ? 'GET' : 'PUT',
      headers: {
        ...(user === null ? {} : { authorization: authorizationOf(user) }),
        ...(put === undefined ? {} : { 'content-type': 'application/vnd.schemaregistry.v1+json' }),
      },
      agent,
      signal,
    });
    sent.end(put === undefined ? undefined : JSON.stringify(put));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return await read(answer);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    agent?.destroy();
  }
}

/** An answer of the registry, whatever its status. */
export type RegistryAnswer = {
  /** HTTP status. */
  readonly status: number;
  /** Clock of its machine, Unix milliseconds; null if it sends no `Date`. */
  readonly date: number | null;
  readonly tookMs: number;
};

/** Requests a path that every registry has. Rejects if no answer arrives in time. */
export async function probeRegistry(registry: RegistryUrl, timeoutMs: number): Promise<RegistryAnswer> {
  const startedAt = performance.now();
  // Some registries send no `Date` at their root.
  return request(parseRegistryAddress(registry), PROBE_PATH, { timeoutMs }, async (answer) => {
    await text(answer);
    const { statusCode: status = 0, headers } = answer;
    const date = headers.date === undefined ? null : Date.parse(headers.date);
    return { status, date, tookMs: performance.now() - startedAt };
  });
}

/** Statuses with which a registry refuses credentials. */
const REFUSED: ReadonlySet<number> = new Set([401, 403]);
const CHECK_MS = 5_000;

/**
 * Sends one request, so that a failure that retries cannot fix is reported at once. Returns whether the registry answered. Throws
 * `RegistryUnavailableError` when it refuses the credentials or its certificate is not trusted.
 */
export async function requireRegistryAccess(registry: RegistryUrl): Promise<boolean> {
  const address = parseRegistryAddress(registry);
  try {
    await requestJson(address, PROBE_PATH, { timeoutMs: CHECK_MS });
  } catch (error) {
    const denied = registryDenial(address, error);
    if (denied !== undefined) throw denied;
    return !(error instanceof RegistryHttpError && error.status === UNANSWERED);
  }
  return true;
}

/** Returns the error for a failed request that retries cannot fix; undefined for any other failure. */
export function registryDenial(
  { url, user }: RegistryAddress,
  error: unknown,
): RegistryUnavailableError | undefined {
  const failure = tlsFailure(error);
  if (failure?.of === 'theirs')
    return new RegistryUnavailableError(
      'REGISTRY_UNTRUSTED',
      url,
      `its certificate is not trusted: ${failure.reason}`,
      error,
    );
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 0;
  if (!REFUSED.has(status) && failure === undefined) return undefined;
  const who =
    failure !== undefined
      ? 'the client certificate'
      : user === null
        ? 'requests without credentials'
        : `user ${user.username}`;
  return new RegistryUnavailableError(
    'REGISTRY_REFUSES',
    url,
    `it refuses ${who} (${failure?.reason ?? `status ${status}`})`,
    error,
  );
}
