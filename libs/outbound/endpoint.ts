/** One customer's webhook address and the connections to it (spec, "Events"). */
import { isIP } from 'node:net';
import { type buildConnector, errors, Pool } from 'undici';
import { informationalLimit, systemCode } from '#service/http-get.ts';
import { signatureHeaders } from '#signing/signing.ts';
import { type AllowedRanges, type ResolveName, resolveName } from './addresses.ts';
import { AddressNotPublicError, createConnector, trusting } from './connector.ts';
import { type ProxyConfig, proxyFor } from './proxy.ts';

/** The outcome of one attempt to deliver. */
export type DeliveryOutcome =
  | { readonly kind: 'accepted' }
  /** No complete answer before the deadline. */
  | { readonly kind: 'timeout' }
  /** The URL or its address is not allowed: nothing was sent. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  /** DNS, connection or TLS failed. `reason` is a code, such as ECONNRESET, and never contains the URL. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Any status but 200 (of a receiver outside the contract: but 200 to 299), also a redirect. `retryAfterMs`: the answer's Retry-After, milliseconds; null without one. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs: number | null }
  /** 200, but the body could not be read: encoded, not UTF-8, or cut. */
  | { readonly kind: 'unreadable' }
  /** 200, but the text is not exactly `Accepted`; also one that is larger than the limit, of which only the start is read. */
  | { readonly kind: 'different' };

type RefusalReason =
  | 'not_a_url'
  | 'not_https'
  | 'credentials'
  /** No address of the name is public, or in an allowed range. */
  | 'address_not_public';

export type EndpointOptions = {
  readonly url: string;
  /** 32 characters. */
  readonly secret: string;
  /** Allowed addresses beside public ones. */
  readonly allowed: AllowedRanges;
  /** Timeout from the call to the last byte of the answer, milliseconds; default 10,000. */
  readonly timeoutMs?: number;
  /** Certificates (PEM) of authorities to trust beside the default ones. */
  readonly ca?: string | undefined;
  /** Whether the receiver gets signatures and answers `Accepted`. Another one accepts with any status of 200 to 299; default true. */
  readonly isContract?: boolean;
  readonly proxy?: ProxyConfig;
  /** Time after which a connection in use is replaced, milliseconds; default 60,000. */
  readonly connectionMs?: number;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const ACCEPTED = 'Accepted';
/** Default timeout of the whole answer, milliseconds (spec, "Limits"). */
const TIMEOUT_MS = 10_000;
/** Timeout of resolving a name that nothing is sent to, milliseconds. */
const NAME_MS = 3_000;
/** Maximum bytes of an answer's body that are read: the expected text has eight. */
const MAX_BODY_BYTES = 1024;
/** Maximum bytes of an answer's head that are read. */
const MAX_HEAD_BYTES = 16 * 1024;
/** Idle time after which a connection is closed, milliseconds; a receiver may choose another, up to the maximum. */
const IDLE_MS = 30_000;
const MAX_IDLE_MS = 60_000;
/** Time after which a connection in use is replaced, milliseconds: the name may have another address by then. */
const CONNECTION_MS = 60_000;

const BROKEN_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** Reasons of an aborted attempt; they never leave this file. */
const DEADLINE = new Error('deadline');
const STOPPED = new Error('stopped');

/** Returns why nothing would be sent to an address as it is now; null where it may be called, or its name is not resolved. */
export async function refusalOfAddress(text: string, allowed: AllowedRanges): Promise<RefusalReason | null> {
  const url = parseUrl(text);
  const refusal = refusalOf(url, allowed);
  if (url === null || refusal !== null || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return refusal;
  const addresses = await resolveName(url.hostname, AbortSignal.timeout(NAME_MS)).catch(() => []);
  const isRefused = addresses.length > 0 && !addresses.some((address) => allowed.allows(address));
  return isRefused ? 'address_not_public' : null;
}

/** Posts one body, by default `[]`, like a real delivery, over a new connection. */
export async function probeEndpoint(options: EndpointOptions, body = '[]'): Promise<DeliveryOutcome> {
  const endpoint = new WebhookEndpoint(options);
  try {
    return await endpoint.post(body);
  } finally {
    await endpoint.close();
  }
}

/** Posts to one URL, over one connection at a time, to one of the name's checked addresses. Follows no redirect. */
export class WebhookEndpoint {
  readonly #options: EndpointOptions;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();
  /** Null if the URL itself is refused. */
  readonly #target: { pool: Pool; readonly path: string; readonly createPool: () => Pool } | null = null;
  readonly #refusal: RefusalReason | null;
  /** Number of connections so far, and when the last one was opened, on the monotonic clock. */
  #connections = 0;
  #connectedAt = Number.POSITIVE_INFINITY;

  /** `resolve` returns the addresses of a name; by default from DNS. */
  constructor(options: EndpointOptions, resolve: ResolveName = resolveName) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    const url = parseUrl(options.url);
    this.#refusal = refusalOf(url, options.allowed);
    if (url === null || this.#refusal !== null) return;
    const connect = this.#createConnector(resolve);
    const createPool = (): Pool => this.#createPool(url.origin, connect);
    this.#target = { pool: createPool(), path: `${url.pathname}${url.search}`, createPool };
  }

  /**
   * Signs `body`, valid for five minutes, and posts it. Never rejects; an abort or `close` ends it as `failed`. Sends it once
   * more when a reused connection breaks before an answer: the receiver most likely closed it as idle.
   */
  async post(
    body: Buffer | string,
    signal?: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<DeliveryOutcome> {
    if (this.#target === null) return { kind: 'refused', reason: this.#refusal ?? 'not_a_url' };
    const attempt = new AbortController();
    const stop = (): void => attempt.abort(STOPPED);
    const signals = [this.#closing.signal, ...(signal === undefined ? [] : [signal])];
    for (const one of signals) {
      if (one.aborted) stop();
      one.addEventListener('abort', stop);
    }
    const deadline = setTimeout(() => attempt.abort(DEADLINE), this.#timeoutMs);
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.#renewPool(this.#target);
    const connectionsBefore = this.#connections;
    try {
      return await this.#send(this.#target, bytes, attempt, headers).catch((error: unknown) => {
        const wasReused = connectionsBefore > 0 && this.#connections === connectionsBefore;
        if (this.#target === null || !wasReused || !isBroken(error) || attempt.signal.aborted) throw error;
        return this.#send(this.#target, bytes, attempt, headers);
      });
    } catch (error) {
      return failure(error, attempt.signal);
    } finally {
      clearTimeout(deadline);
      for (const one of signals) one.removeEventListener('abort', stop);
    }
  }

  /** Closes all connections; pending deliveries end as `failed`. */
  async close(): Promise<void> {
    this.#closing.abort(STOPPED);
    await this.#target?.pool.destroy();
  }

  async #send(
    { pool, path }: { readonly pool: Pool; readonly path: string },
    body: Buffer,
    attempt: AbortController,
    more: Readonly<Record<string, string>>,
  ): Promise<DeliveryOutcome> {
    const { signal } = attempt;
    const { secret, now, isContract = true } = this.#options;
    const answer = await pool.request({
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'touchline',
        'accept-encoding': 'identity',
        ...more,
        ...(isContract ? signatureHeaders(body, secret, now()) : {}),
      },
      body,
      signal,
      onInfo: informationalLimit(attempt),
    });
    const { statusCode: status, headers } = answer;
    const read = readStart(answer.body);
    const isAccepted = isContract ? status === 200 : status >= 200 && status < 300;
    if (!isAccepted || !isContract) {
      // Reads the body only to reuse the connection.
      await read.catch(() => null);
      if (isAccepted) return { kind: 'accepted' };
      return { kind: 'status', status, retryAfterMs: retryAfterMs(headers['retry-after'], now()) };
    }
    const text = await read.catch((error: unknown) => {
      if (signal.aborted) throw error;
      return null;
    });
    if (text === null || !isPlain(headers['content-encoding'])) return { kind: 'unreadable' };
    return { kind: text === ACCEPTED ? 'accepted' : 'different' };
  }

  /** Replaces a connection that was in use for long: the name may have another address by now. Pending requests end over the old one. */
  #renewPool(target: { pool: Pool; readonly createPool: () => Pool }): void {
    if (performance.now() - this.#connectedAt < (this.#options.connectionMs ?? CONNECTION_MS)) return;
    this.#connectedAt = Number.POSITIVE_INFINITY;
    void target.pool.close();
    target.pool = target.createPool();
  }

  #createConnector(resolve: ResolveName): buildConnector.connector {
    const { allowed, ca, proxy } = this.#options;
    return createConnector({
      allowed,
      resolve,
      timeoutMs: this.#timeoutMs,
      closing: this.#closing.signal,
      secureContext: ca === undefined ? undefined : trusting(ca),
      ...(proxy === undefined ? {} : { proxy: (host, port) => proxyFor(proxy, host, port) }),
    });
  }

  #createPool(origin: string, connect: buildConnector.connector): Pool {
    const pool = new Pool(origin, {
      connections: 1,
      pipelining: 1,
      // The timeout of the whole answer covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEAD_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      connect,
    });
    pool.on('connect', () => {
      this.#connections += 1;
      this.#connectedAt = performance.now();
    });
    return pool;
  }
}

/** Parses a URL without the dot at the end of its name, which no certificate has; null for an invalid one. Check the name afterwards. */
function parseUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (url !== null) url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

/** Returns why a URL is refused; null if it is not. Checks an IP address in it, which is never resolved. */
function refusalOf(url: URL | null, allowed: AllowedRanges): RefusalReason | null {
  if (url === null) return 'not_a_url';
  if (url.protocol !== 'https:') return 'not_https';
  if (url.username !== '' || url.password !== '') return 'credentials';
  const address = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && !allowed.allows(address) ? 'address_not_public' : null;
}

/** Whether the connection was closed or reset. */
function isBroken(error: unknown): boolean {
  return error instanceof errors.SocketError || BROKEN_CODES.has(systemCode(error) ?? '');
}

function failure(error: unknown, { reason }: AbortSignal): DeliveryOutcome {
  if (reason === DEADLINE || error instanceof errors.ConnectTimeoutError) return { kind: 'timeout' };
  if (reason === STOPPED) return { kind: 'failed', reason: 'STOPPED' };
  if (error instanceof AddressNotPublicError) return { kind: 'refused', reason: 'address_not_public' };
  return { kind: 'failed', reason: systemCode(error) ?? 'UNKNOWN' };
}

/** Returns the text of a body, up to `MAX_BODY_BYTES`; null if it is not UTF-8. A longer body is not read to its end. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let [text, length] = ['', 0];
  try {
    for await (const chunk of body) {
      length += chunk.length;
      text += decoder.decode(chunk, { stream: true });
      // Leaving the loop closes the connection.
      if (length > MAX_BODY_BYTES) return text;
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      return null;
    throw error;
  }
}

function isPlain(encoding: string | string[] | undefined): boolean {
  return encoding === undefined || encoding === '' || encoding === 'identity';
}

const SECONDS = /^\d{1,10}$/;
/** IMF-fixdate, the only date form that HTTP allows a server to send (RFC 9110, 5.6.7). */
const DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Returns the delay of a `Retry-After` header from `nowMs` (Unix milliseconds) on, milliseconds; null if it is invalid. */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  if (SECONDS.test(header)) return Number(header) * 1000;
  const at = DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
