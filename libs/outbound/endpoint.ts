/** One customer's webhook address and the connections to it (spec, "Events"). */
import { isUtf8 } from 'node:buffer';
import { isIP } from 'node:net';
import { errors, Pool } from 'undici';
import { readLimited, systemCode } from '#service/http-get.ts';
import { signatureHeaders } from '#signing/signing.ts';
import type { AllowedRanges } from './addresses.ts';
import { AddressNotPublicError, createConnector, trusting } from './connector.ts';
import { type ResolveName, resolveName } from './resolve.ts';

export type DeliveryOutcome =
  | { readonly kind: 'accepted' }
  /** No complete answer before the deadline. */
  | { readonly kind: 'timeout' }
  /** The address is not allowed: nothing was sent. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  /** DNS, connection, TLS, reset. `reason` is a code, such as ECONNRESET, and never contains the URL. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Any status but 200, redirects too. `retryAfterMs` is from the answer's Retry-After, milliseconds. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs: number | null }
  /** 200, but the body could not be read: encoded, not UTF-8, larger than the limit, or cut. */
  | { readonly kind: 'unreadable' }
  /** 200, but the text is not exactly `Accepted`. */
  | { readonly kind: 'different' };

export type RefusalReason =
  | 'not_a_url'
  | 'not_https'
  /** The URL contains a user name or a password. */
  | 'credentials'
  /** No address of the name is public, or in an allowed range. */
  | 'address_not_public';

export type EndpointOptions = {
  readonly url: string;
  /** 32 characters. */
  readonly secret: string;
  /** Allowed addresses beyond public ones. */
  readonly allowed: AllowedRanges;
  /** For the whole answer, from the call to the last byte, milliseconds; default 10,000. */
  readonly timeoutMs?: number;
  /** Certificates (PEM) of authorities to trust beyond the usual ones. */
  readonly ca?: string | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const ACCEPTED = Buffer.from('Accepted');
/** The whole answer, milliseconds (spec, "Limits"). */
const TIMEOUT_MS = 10_000;
/** Most bytes of an answer's body that are read: the expected text has eight. */
const MOST_OF_AN_ANSWER = 1024;
/** Most bytes of an answer's head that are read. */
const MOST_OF_A_HEAD = 16 * 1024;
/** Idle time before a connection is closed, milliseconds; a receiver may ask for another, up to the second value. */
const IDLE_MS = 30_000;
const MOST_IDLE_MS = 60_000;

const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** The reason of an aborted attempt; never leaves this file. */
const DEADLINE = new Error('deadline');
const STOPPED = new Error('stopped');

/** Posts one signed `[]`, like a real delivery, over a connection of its own. */
export async function probeEndpoint(options: EndpointOptions): Promise<DeliveryOutcome> {
  const endpoint = new WebhookEndpoint(options);
  try {
    return await endpoint.post('[]');
  } finally {
    await endpoint.close();
  }
}

/**
 * Posts to one address, over one connection at a time: it resolves the name once and connects to one of the checked addresses;
 * certificate, server name and `Host` stay those of the name. Redirects are not followed.
 */
export class WebhookEndpoint {
  readonly #options: EndpointOptions;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();
  /** Null where the URL itself is refused. */
  readonly #target: { readonly pool: Pool; readonly path: string } | null = null;
  readonly #refusal: RefusalReason | null;
  /** Connections made so far. */
  #connected = 0;

  /** `resolve` looks up the addresses of a name; by default in DNS. */
  constructor(options: EndpointOptions, resolve: ResolveName = resolveName) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    const url = addressOf(options.url);
    this.#refusal = refusalOf(url, options.allowed);
    if (url === null || this.#refusal !== null) return;
    this.#target = {
      pool: this.#createPool(url.origin, resolve),
      path: `${url.pathname}${url.search}`,
    };
  }

  /**
   * Signs `body`, valid for five minutes, and posts it. Never rejects. An abort of `signal`, or `close`, ends it as
   * `failed`. Where a kept connection breaks before an answer, the receiver has most likely closed it as idle: the body is
   * sent once more at once, signed anew, over a new connection and within the same deadline.
   */
  async post(body: Buffer | string, signal?: AbortSignal): Promise<DeliveryOutcome> {
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
    const connectedBefore = this.#connected;
    try {
      return await this.#send(this.#target, bytes, attempt.signal).catch((error: unknown) => {
        const wasKept = connectedBefore > 0 && this.#connected === connectedBefore;
        if (this.#target === null || !wasKept || !isBroken(error) || attempt.signal.aborted) throw error;
        return this.#send(this.#target, bytes, attempt.signal);
      });
    } catch (error) {
      return failure(error, attempt.signal);
    } finally {
      clearTimeout(deadline);
      for (const one of signals) one.removeEventListener('abort', stop);
    }
  }

  /** Closes its sockets; deliveries under way end as `failed`. */
  async close(): Promise<void> {
    this.#closing.abort(STOPPED);
    await this.#target?.pool.destroy();
  }

  async #send(
    { pool, path }: { readonly pool: Pool; readonly path: string },
    body: Buffer,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> {
    const { secret, now } = this.#options;
    const answer = await pool.request({
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'touchline',
        'accept-encoding': 'identity',
        ...signatureHeaders(body, secret, now()),
      },
      body,
      signal,
    });
    const { statusCode: status, headers } = answer;
    const read = readLimited(answer.body, MOST_OF_AN_ANSWER);
    if (status !== 200) {
      // Read only so that the connection can be reused.
      await read.catch(() => null);
      return { kind: 'status', status, retryAfterMs: retryAfterMs(headers['retry-after'], now()) };
    }
    const text = await read.catch((error: unknown) => {
      if (signal.aborted) throw error;
      return null;
    });
    if (text === null || !isPlain(headers['content-encoding']) || !isUtf8(text))
      return { kind: 'unreadable' };
    return { kind: text.equals(ACCEPTED) ? 'accepted' : 'different' };
  }

  #createPool(origin: string, resolve: ResolveName): Pool {
    const { allowed, ca } = this.#options;
    const pool = new Pool(origin, {
      connections: 1,
      pipelining: 1,
      // The deadline of the whole answer covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MOST_OF_A_HEAD,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MOST_IDLE_MS,
      connect: createConnector({
        allowed,
        resolve,
        timeoutMs: this.#timeoutMs,
        closing: this.#closing.signal,
        secureContext: ca === undefined ? undefined : trusting(ca),
      }),
    });
    pool.on('connect', () => {
      this.#connected += 1;
    });
    return pool;
  }
}

/**
 * The URL as it is called, null for what is none: without the dot at the end of its name, which no certificate has. To be
 * checked after that: `127.0.0.1..` is a name, and without its last dot an address.
 */
function addressOf(text: string): URL | null {
  const url = URL.parse(text);
  if (url !== null) url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

/** An IP address in the URL is never resolved: it is checked here. */
function refusalOf(url: URL | null, allowed: AllowedRanges): RefusalReason | null {
  if (url === null) return 'not_a_url';
  if (url.protocol !== 'https:') return 'not_https';
  if (url.username !== '' || url.password !== '') return 'credentials';
  const address = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && !allowed.permits(address) ? 'address_not_public' : null;
}

/** Whether the connection was closed or reset. */
function isBroken(error: unknown): boolean {
  return error instanceof errors.SocketError || BROKEN.has(systemCode(error) ?? '');
}

function failure(error: unknown, { reason }: AbortSignal): DeliveryOutcome {
  if (reason === DEADLINE || error instanceof errors.ConnectTimeoutError) return { kind: 'timeout' };
  if (reason === STOPPED) return { kind: 'failed', reason: 'STOPPED' };
  if (error instanceof AddressNotPublicError) return { kind: 'refused', reason: 'address_not_public' };
  return { kind: 'failed', reason: systemCode(error) ?? 'UNKNOWN' };
}

function isPlain(encoding: string | string[] | undefined): boolean {
  return encoding === undefined || encoding === '' || encoding === 'identity';
}

const SECONDS = /^\d{1,10}$/;
/** IMF-fixdate, the only date form that HTTP allows a server to send (RFC 9110, 5.6.7). */
const DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait of a `Retry-After` header, in milliseconds from `nowMs` (Unix milliseconds), never negative; null where the
 * header is not valid HTTP.
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  if (SECONDS.test(header)) return Number(header) * 1000;
  const at = DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
