import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type OperationRequest, requestUrl, tokenUrl } from '#contract/rest/client.ts';
import { canonicalJson } from '#json/canonical-json.ts';
import { toWholeNumber } from '#json/values.ts';
import { HttpError, type HttpLimits, type HttpReply, httpGet } from '#service/http-get.ts';
import type { MachineClock } from '#timing/clock.ts';
import type { PollerMetrics } from '../metrics.ts';
import {
  type FeedAnswer,
  isProviderError,
  ProviderError,
  type ProviderErrorCode,
  readAnswer,
} from './answer.ts';
import { limiter } from './limiter.ts';

/** A request; `first`: whether it skips the queue. */
export type ProviderRequest = OperationRequest & { readonly first?: boolean };

export type ProviderClientOptions = {
  /** Without a slash at its end and without `/v2`. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly secretKey: string;
  readonly transport: Transport;
  readonly clock: MachineClock;
  readonly metrics: Pick<PollerMetrics, 'requests' | 'requestSeconds'>;
  /** Maximum number of concurrent requests, except those that skip the queue. */
  readonly concurrency: number;
  /** Wait before refused credentials are sent again, milliseconds. */
  readonly refusedMs: number;
  /** Aborts a token exchange, which all requests share. */
  readonly signal: AbortSignal;
};

const grantSchema = z.object({
  token: z.string().min(1),
  token_expiration: z.custom<number | string>((value) => toWholeNumber(value) !== null),
});

/** Maximum number of remembered rejected requests. */
const MAX_REJECTED = 10_000;
/** Wait before a rejected request is sent again: a proxy may have rejected it, and many reads have no other query. */
const REJECTED_MS = 15 * 60_000;

export type ProviderClient = ReturnType<typeof providerClient>;

/** Creates a client of the provider's REST interface. It handles tokens and 401, and classifies failures. Callers decide on retries. */
export function providerClient(options: ProviderClientOptions) {
  const { baseUrl, clientId, secretKey, transport, clock, metrics, concurrency, refusedMs } = options;
  /** Rejected requests (400) without the token, with the time when each may be sent again. */
  const rejected = new LRUCache<string, number>({ max: MAX_REJECTED });
  const limited = limiter(concurrency);
  let latest: { readonly timestamp: number; readonly at: number } | null = null;

  const send = async (operation: string, url: string, signal: AbortSignal): Promise<HttpReply> => {
    const started = clock.monotonic();
    let outcome = 'failed';
    try {
      const reply = await transport(operation, url, signal);
      outcome = String(reply.status);
      return reply;
    } catch (error) {
      if (error instanceof ProviderError) outcome = error.published;
      throw error;
    } finally {
      metrics.requests.inc({ operation, outcome });
      metrics.requestSeconds.observe({ operation }, (clock.monotonic() - started) / 1000);
    }
  };
  const read = (operation: string, { status, body }: HttpReply): FeedAnswer => {
    if (status !== 200) throw refusal(operation, status);
    const answer = readAnswer(operation, body, baseUrl);
    latest = { timestamp: answer.timestamp, at: clock.monotonic() };
    return answer;
  };
  const exchange = async (): Promise<Grant> => {
    const operation = 'oauth';
    const reply = await send(operation, tokenUrl(baseUrl, clientId, secretKey), options.signal);
    if (reply.status === 401 || reply.status === 403) {
      throw new ProviderError('CREDENTIALS', operation, 'the provider refuses the client id or the secret');
    }
    const { data, timestamp } = read(operation, reply);
    const grant = grantSchema.safeParse(data);
    if (!grant.success) throw new ProviderError('BAD_ANSWER', operation, 'no token in the answer');
    const lifetimeMs = (Number(grant.data.token_expiration) - timestamp) * 1000;
    if (lifetimeMs <= 0) throw new ProviderError('BAD_ANSWER', operation, 'the token has expired already');
    return { token: grant.data.token, lifetimeMs };
  };
  const tokens = tokenKeeper({ exchange, clock, refusedMs });
  const sendAuthorized = async (request: ProviderRequest, signal: AbortSignal): Promise<FeedAnswer> => {
    const { operation, id = null, query } = request;
    if (signal.aborted) throw new ProviderError('STOPPED', operation, 'aborted');
    const sent = canonicalJson([operation, id, query]);
    if (clock.monotonic() < (rejected.get(sent) ?? 0)) {
      throw new ProviderError('REJECTED', operation, 'was rejected before and is not sent again unchanged');
    }
    const token = await tokens.token();
    const sendBy = (by: string) => send(operation, requestUrl(baseUrl, request, by), signal);
    let reply = await sendBy(token);
    if (reply.status === 401) reply = await sendBy(await tokens.replace(token));
    if (reply.status === 400) rejected.set(sent, clock.monotonic() + REJECTED_MS);
    return read(operation, reply);
  };
  /** Returns the provider's time with fractions of a second: that of its last answer plus the time since; null before the first. */
  const estimatedTime = (): number | null =>
    latest && latest.timestamp + (clock.monotonic() - latest.at) / 1000;
  return {
    /** Sends a request, once more with a new token after 401, a rejected one (400) a quarter of an hour later. Throws `ProviderError`. */
    get(request: ProviderRequest, signal: AbortSignal): Promise<FeedAnswer> {
      const get = () => sendAuthorized(request, signal);
      return request.first === true ? get() : limited(get);
    },
    /** Returns the provider's time, Unix seconds. Throws `ProviderError`. */
    async time(): Promise<number> {
      if (latest === null) await tokens.token();
      return Math.floor(estimatedTime() ?? 0);
    },
    estimatedTime,
  };
}

/** The codes of answers that are not 200. All others below 300, and of 400 and more, are rejections. */
const REFUSALS: Readonly<Record<number, ProviderErrorCode>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  410: 'NOT_FOUND',
  // 408 and 429 are not in the contract; a proxy before the server may answer them, and a retry helps.
  408: 'SERVER_ERROR',
  429: 'SERVER_ERROR',
};

function refusal(operation: string, status: number): ProviderError {
  const others = status >= 500 ? 'SERVER_ERROR' : Math.floor(status / 100) === 3 ? 'REDIRECTED' : 'REJECTED';
  return new ProviderError(REFUSALS[status] ?? others, operation, `answered ${status}`);
}

/** Makes one request. Throws only `ProviderError`, whose message never contains the address. */
type Transport = (operation: string, url: string, signal: AbortSignal) => Promise<HttpReply>;

/** Returns a transport over HTTP. It returns redirects and does not follow them. */
export function httpTransport(limits: HttpLimits): Transport {
  return async (operation, url, signal) => {
    try {
      return await httpGet(url, limits, signal);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      throw new ProviderError(error.code, operation, error.message);
    }
  };
}

/** A token as the provider issued it. Its lifetime is counted from the provider's answer, milliseconds. */
export type Grant = { readonly token: string; readonly lifetimeMs: number };

/** `exchange` requests a token; it throws `ProviderError`. */
type TokenOptions = Pick<ProviderClientOptions, 'clock' | 'refusedMs'> & {
  readonly exchange: () => Promise<Grant>;
};

/** Time before its expiry at which a token is renewed; a token with less than twice this lifetime is renewed at half of it. */
const EARLY_MS = 300_000;
/** Maximum wait after a failed renewal while the current token is still valid. */
const RENEWAL_PAUSE_MS = 30_000;

type Held = { readonly token: string; renewAt: number; readonly expiresAt: number };

/** Returns a holder of the current token (spec, "Authentication" 4): callers share an exchange. Lifetimes are counted on the poller's clock. */
export function tokenKeeper({ exchange, clock, refusedMs }: TokenOptions) {
  let current: Held | null = null;
  let exchanging: Promise<Held> | null = null;
  let refusal: { readonly error: ProviderError; readonly until: number } | null = null;

  const renew = async (): Promise<Held> => {
    if (refusal !== null && clock.monotonic() < refusal.until) throw refusal.error;
    // Counted from before the request, so that the lifetime is never overestimated.
    const requestedAt = clock.monotonic();
    try {
      const { token, lifetimeMs } = await exchange();
      const expiresAt = requestedAt + lifetimeMs;
      current = { token, renewAt: expiresAt - Math.min(EARLY_MS, lifetimeMs / 2), expiresAt };
      return current;
    } catch (error) {
      if (isProviderError(error, 'CREDENTIALS')) refusal = { error, until: requestedAt + refusedMs };
      throw error;
    }
  };
  /** Returns a token that has not expired on the poller's clock. Throws `ProviderError`. */
  const token = async (): Promise<string> => {
    const held = current;
    if (held !== null && clock.monotonic() < held.renewAt) return held.token;
    exchanging ??= renew().finally(() => {
      exchanging = null;
    });
    try {
      return (await exchanging).token;
    } catch (error) {
      const left = (held?.expiresAt ?? 0) - clock.monotonic();
      // `held` is not `current` any more when the provider has refused it meanwhile.
      if (held === null || held !== current || left <= 0) throw error;
      held.renewAt = clock.monotonic() + Math.min(RENEWAL_PAUSE_MS, left / 2);
      return held.token;
    }
  };
  return {
    token,
    /** Returns a token other than `refused`, which the provider has rejected. Throws `ProviderError`. */
    async replace(refused: string): Promise<string> {
      if (current?.token === refused) current = null;
      return token();
    },
  };
}
