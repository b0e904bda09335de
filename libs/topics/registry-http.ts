/** Requests to a registry. */
import { once } from 'node:events';
import { request as askHttp, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
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
function authorizationOf({ username, password }: RegistryUser): string {
  return `Basic ${Buffer.from(`${username}:${readSecret(password)}`).toString('base64')}`;
}

/** An answer of a registry. */
export type RegistryJson = Readonly<Record<string, unknown>>;

/** What is sent; without it the method is GET. */
type RegistryChange = { readonly method: 'POST' | 'PUT'; readonly body: object };

/** Longest wait for one answer. */
const REQUEST_MS = 5_000;
/** Most characters of a refusal that an error has. */
const MOST_SHOWN = 500;

/** The JSON of the answer; null for 404. Throws `RegistryHttpError`. */
export async function askRegistry(
  address: RegistryAddress,
  path: string,
  change?: RegistryChange,
): Promise<RegistryJson | null> {
  try {
    const { status, body } = await answerOf(address, path, REQUEST_MS, change);
    if (status === 404) return null;
    if (status >= 400) throw new RegistryHttpError(status, `status ${status}: ${body.slice(0, MOST_SHOWN)}`);
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof RegistryHttpError || !(error instanceof Error)) throw error;
    throw new RegistryHttpError(503, error.message, error);
  }
}

/** By Node's own client: undici is a tenth of the files that a processor would load before its first fetch. */
async function answerOf(
  address: RegistryAddress,
  path: string,
  timeoutMs: number,
  change?: RegistryChange,
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }> {
  const { url, user } = address;
  const agent = registryAgent(address);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const asked = (url.startsWith('https:') ? askHttps : askHttp)(`${url}${path}`, {
      method: change?.method ?? 'GET',
      headers: {
        ...(user === null ? {} : { authorization: authorizationOf(user) }),
        ...(change === undefined ? {} : { 'content-type': 'application/vnd.schemaregistry.v1+json' }),
      },
      ...(agent === undefined ? {} : { agent }),
      signal,
    });
    asked.end(change === undefined ? undefined : JSON.stringify(change.body));
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const { statusCode: status = 0, headers } = answer;
    return { status, headers, body: await text(answer) };
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
  const { status, headers } = await answerOf(parseRegistryAddress(place), '/schemas/types', timeoutMs);
  const date = headers.date === undefined ? null : Date.parse(headers.date);
  return { status, date, tookMs: performance.now() - startedAt };
}

/** Statuses of a registry that refuses who asks. */
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/**
 * Asks a registry once, so that what waiting does not mend is said at once: throws `RegistryUnavailableError` where it
 * refuses the credentials, or its certificate is not trusted. Any other failure may pass, and is for the first use.
 */
export async function requireRegistryAccess(place: RegistryUrl): Promise<void> {
  const address = parseRegistryAddress(place);
  try {
    await askRegistry(address, '/schemas/types');
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
  const status = error instanceof RegistryHttpError ? error.status : 0;
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
