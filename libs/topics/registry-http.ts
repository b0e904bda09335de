/** Requests to a registry beside those of its client. */
import { once } from 'node:events';
import { request as askHttp, type IncomingMessage } from 'node:http';
import { request as askHttps } from 'node:https';
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

/** The registry refused a request. `status` is the HTTP status; 503 without an answer. */
export class RegistryHttpError extends TouchlineError<'RegistryHttpError'> {
  override readonly name = 'RegistryHttpError';
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super('REGISTRY_ANSWER', message, cause);
    this.status = status;
  }
}

/** The value of the header `authorization`. Throws `SecretFileError`. */
export function authorizationOf({ username, password }: RegistryUser): string {
  return `Basic ${Buffer.from(`${username}:${readSecret(password)}`).toString('base64')}`;
}

/** What is sent beside the method GET. */
type RequestOptions = { readonly timeoutMs: number; readonly put?: object };

/** The JSON of the answer; null for 404. Throws `RegistryHttpError`. */
export async function askRegistry(
  address: RegistryAddress,
  path: string,
  options: RequestOptions,
): Promise<Record<string, unknown> | null> {
  try {
    return await answered(address, path, options, async (answer) => {
      const { statusCode = 0 } = answer;
      const body = await text(answer);
      if (statusCode === 404) return null;
      if (statusCode >= 400)
        throw new RegistryHttpError(statusCode, `status ${statusCode}: ${body.slice(0, 200)}`);
      return JSON.parse(body);
    });
  } catch (error) {
    if (error instanceof RegistryHttpError || !(error instanceof Error)) throw error;
    throw new RegistryHttpError(503, error.message, error);
  }
}

/** By Node's own client: undici is a tenth of the files that a processor would load before its first fetch. */
async function answered<T>(
  address: RegistryAddress,
  path: string,
  { timeoutMs, put }: RequestOptions,
  read: (answer: IncomingMessage) => Promise<T>,
): Promise<T> {
  const { url, user } = address;
  const agent = registryAgent(address);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const asked = (url.startsWith('https:') ? askHttps : askHttp)(`${url}${path}`, {
      method: put === undefined ? 'GET' : 'PUT',
      headers: {
        ...(user === null ? {} : { authorization: authorizationOf(user) }),
        ...(put === undefined ? {} : { 'content-type': 'application/vnd.schemaregistry.v1+json' }),
      },
      ...(agent === undefined ? {} : { agent }),
      signal,
    });
    asked.end(put === undefined ? undefined : JSON.stringify(put));
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return await read(answer);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    agent?.destroy();
  }
}

/** An answer of the registry, whatever its status; `date` is the clock of its machine, Unix milliseconds, null where it sends none. */
export type RegistryAnswer = {
  readonly status: number;
  readonly date: number | null;
  readonly tookMs: number;
};

/** Asks a registry for what every one has. Rejects where it does not answer within the time. */
export async function probeRegistry(place: RegistryUrl, timeoutMs: number): Promise<RegistryAnswer> {
  const startedAt = performance.now();
  // Not its root: some send no Date there.
  return answered(parseRegistryAddress(place), '/schemas/types', { timeoutMs }, async (answer) => {
    await text(answer);
    const { statusCode: status = 0, headers } = answer;
    const date = headers.date === undefined ? null : Date.parse(headers.date);
    return { status, date, tookMs: performance.now() - startedAt };
  });
}

/** Statuses of a registry that refuses who asks. */
const REFUSED: ReadonlySet<number> = new Set([401, 403]);
const CHECK_MS = 5_000;

/**
 * Asks a registry once, so that what waiting does not mend is said at once: throws `RegistryUnavailableError` where it
 * refuses the credentials, or its certificate is not trusted. Any other failure may pass, and is for the first use.
 */
export async function requireRegistryAccess(place: RegistryUrl): Promise<void> {
  const address = parseRegistryAddress(place);
  try {
    await askRegistry(address, '/schemas/types', { timeoutMs: CHECK_MS });
  } catch (error) {
    const denied = registryDenial(address, error);
    if (denied !== undefined) throw denied;
  }
}

/** What a failed request means where repeating it does not help; undefined for any other failure. */
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
