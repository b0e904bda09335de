/** One customer's webhook address and the connections to it (spec, "Events"). */
import { isIP } from 'node:net';
import { type buildConnector, errors, Pool } from 'undici';
import { informationalLimit, systemCode } from '#service/http-get.ts';
import { signatureHeaders } from '#signing/signing.ts';
import { type AllowedRanges, type ResolveName, resolveName, withoutBrackets } from './addresses.ts';
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

/** Returns why nothing would be sent to an address as it is now; null where it may be called, or its name is not resolved. */
export async function refusalOfAddress(text: string, allowed: AllowedRanges): Promise<RefusalReason | null> {
  const url = parseUrl(text);
  const refusal = refusalOf(url, allowed);
  if (url === null || refusal !== null || isIP(withoutBrackets(url.hostname)) !== 0) return refusal;
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
  readonly #url: URL | null;
  readonly #refusal: RefusalReason | null;
  readonly #connect: buildConnector.connector;
  #pool: Pool | null = null;
  /** Number of connections so far, and when the last one was opened, on the monotonic clock. */
  #connections = 0;
  #connectedAt = Number.POSITIVE_INFINITY;

  /** `resolve` returns the addresses of a name; by default from DNS. */
  constructor(options: EndpointOptions, resolve: ResolveName = resolveName) {
    const { url, allowed, ca, proxy, timeoutMs = TIMEOUT_MS } = options;
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    this.#url = parseUrl(url);
    this.#refusal = refusalOf(this.#url, allowed);
    this.#connect = createConnector({
      allowed,
      resolve,
      timeoutMs,
      closing: this.#closing.signal,
      secureContext: ca === undefined ? undefined : trusting(ca),
      ...(proxy === undefined ? {} : { proxy: (host, port) => proxyFor(proxy, host, port) }),
    });
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
    const url = this.#url;
    if (url === null || this.#refusal !== null)
      return { kind: 'refused', reason: this.#refusal ?? 'not_a_url' };
    const attempt = new AbortController();
    const ending = AbortSignal.any([
      this.#closing.signal,
      attempt.signal,
      AbortSignal.timeout(this.#timeoutMs),
      ...(signal === undefined ? [] : [signal]),
    ]);
    const pool = this.#currentPool(url);
    const send = () => this.#send(pool, url, Buffer.from(body), attempt, ending, headers);
    const connectionsBefore = this.#connections;
    try {
      return await send().catch((error: unknown) => {
        const wasReused = connectionsBefore > 0 && this.#connections === connectionsBefore;
        if (!wasReused || !isBroken(error) || ending.aborted) throw error;
        return send();
      });
    } catch (error) {
      return failure(error, ending);
    }
  }

  /** Closes all connections; pending deliveries end as `failed`. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#pool?.destroy();
  }

  async #send(
    pool: Pool,
    { pathname, search }: URL,
    body: Buffer,
    attempt: AbortController,
    signal: AbortSignal,
    more: Readonly<Record<string, string>>,
  ): Promise<DeliveryOutcome> {
    const { secret, now, isContract = true } = this.#options;
    const answer = await pool.request({
      method: 'POST',
      path: `${pathname}${search}`,
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
  #currentPool({ origin }: URL): Pool {
    const { connectionMs = CONNECTION_MS } = this.#options;
    if (this.#pool !== null && performance.now() - this.#connectedAt < connectionMs) return this.#pool;
    void this.#pool?.close();
    this.#connectedAt = Number.POSITIVE_INFINITY;
    this.#pool = new Pool(origin, {
      connections: 1,
      pipelining: 1,
      // The timeout of the whole answer covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEAD_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      connect: this.#connect,
    }).on('connect', () => {
      this.#connections += 1;
      this.#connectedAt = performance.now();
    });
    return this.#pool;
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
  const address = withoutBrackets(url.hostname);
  return isIP(address) !== 0 && !allowed.allows(address) ? 'address_not_public' : null;
}

function isBroken(error: unknown): boolean {
  return error instanceof errors.SocketError || BROKEN_CODES.has(systemCode(error) ?? '');
}

function failure(error: unknown, { reason }: AbortSignal): DeliveryOutcome {
  const ended = reason instanceof DOMException ? reason.name : null;
  if (ended === 'TimeoutError' || error instanceof errors.ConnectTimeoutError) return { kind: 'timeout' };
  if (ended !== null) return { kind: 'failed', reason: 'STOPPED' };
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

/** Returns the delay of a `Retry-After` header from `nowMs` (Unix milliseconds) on, milliseconds; null if it is invalid. */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,10}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
