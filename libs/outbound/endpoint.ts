/** One customer's webhook address and the connections to it (spec, "Events"). */
import { isUtf8 } from 'node:buffer';
import { isIP } from 'node:net';
import { errors, Pool } from 'undici';
import { readLimited } from '#service/read-limited.ts';
import { systemCode } from '#service/system-code.ts';
import { signatureHeaders } from '#signing/signing.ts';
import type { AllowedRanges } from './addresses.ts';
import { AddressNotPublicError, createConnector } from './connector.ts';
import { type ResolveName, resolveName } from './resolve.ts';
import { retryAfterMs } from './retry-after.ts';
import { trusting } from './trust.ts';

/** How one delivery ended. */
export type DeliveryOutcome =
  | { readonly kind: 'accepted' }
  /** No whole answer within the deadline. */
  | { readonly kind: 'timeout' }
  /** The address is not one that may be called: nothing was sent. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  /** DNS, connection, TLS, reset. `reason` is a code, as ECONNRESET, and never holds the URL. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Any status but 200, redirects too. `retryAfterMs` is what the answer asked for, in milliseconds. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs: number | null }
  /** 200, but the body could not be read: encoded, not UTF-8, larger than the limit, or cut. */
  | { readonly kind: 'unreadable' }
  /** 200, but the text is not exactly `Accepted`. */
  | { readonly kind: 'different' };

/** Why an address is not called. */
export type RefusalReason =
  | 'not_a_url'
  | 'not_https'
  /** The URL holds a user name or a password. */
  | 'credentials'
  /** No address of the name is public, or in an allowed range. */
  | 'address_not_public';

/** Whom an endpoint is called for, and how. */
export type EndpointOptions = {
  readonly url: string;
  /** 32 characters. */
  readonly secret: string;
  /** What may be called beyond public addresses. */
  readonly allowed: AllowedRanges;
  /** Sockets kept at most, default 2. More posts at once wait for one, within their deadline. */
  readonly connections?: number;
  /** For the whole answer, from the call to the last byte, milliseconds; default 10,000. */
  readonly timeoutMs?: number;
  /** Certificates (PEM) of authorities to trust beyond the usual ones. */
  readonly ca?: string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const ACCEPTED = Buffer.from('Accepted');
/** The whole answer, milliseconds (spec, "Limits"). */
const TIMEOUT_MS = 10_000;
const CONNECTIONS = 2;
/** More of an answer's body than this is not read, bytes: what counts is eight. */
const MOST_OF_AN_ANSWER = 1024;
/** More of an answer's head than this is not read, bytes. */
const MOST_OF_A_HEAD = 16 * 1024;
/** An idle connection is closed after this time, milliseconds; a receiver may ask for other times, up to the second. */
const IDLE_MS = 30_000;
const MOST_IDLE_MS = 60_000;

/** Why an attempt was aborted; never leaves this file. */
const DEADLINE = new Error('deadline');
const STOPPED = new Error('stopped');

/**
 * Posts to one address. Each connection resolves the name once and is made to one of the very addresses that were
 * checked; certificate, server name and `Host` stay those of the name. Redirects are not followed.
 */
export class WebhookEndpoint {
  readonly #options: EndpointOptions;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();
  /** Null where the URL alone tells that it is not called. */
  readonly #target: { readonly pool: Pool; readonly path: string } | null = null;
  readonly #refusal: RefusalReason | null;

  /** `resolve` says what addresses a name has: DNS, if it is not given. */
  constructor(options: EndpointOptions, resolve: ResolveName = resolveName) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    const url = URL.parse(options.url);
    this.#refusal = refusalOf(url, options.allowed);
    if (url === null || this.#refusal !== null) return;
    // The dot at the end of a name is no part of a certificate's name.
    url.hostname = url.hostname.replace(/\.$/, '');
    this.#target = {
      pool: this.#createPool(url.origin, resolve),
      path: `${url.pathname}${url.search}`,
    };
  }

  /**
   * Signs `body` anew, valid for five minutes, and posts it. Never rejects. An abort of `signal`, as `close`, ends it as
   * `failed`.
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
    try {
      return await this.#send(
        this.#target,
        typeof body === 'string' ? Buffer.from(body) : body,
        attempt.signal,
      );
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
      // Read only so that the connection can be used again.
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
    const { allowed, ca, connections = CONNECTIONS } = this.#options;
    return new Pool(origin, {
      connections,
      pipelining: 1,
      // The deadline of the whole answer stands for both.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MOST_OF_A_HEAD,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MOST_IDLE_MS,
      connect: createConnector({
        ...{ allowed, resolve, timeoutMs: this.#timeoutMs, closing: this.#closing.signal },
        secureContext: ca === undefined ? undefined : trusting(ca),
      }),
    });
  }
}

/** A connection to an address that stands in the URL never asks for it: it is checked here. */
function refusalOf(url: URL | null, allowed: AllowedRanges): RefusalReason | null {
  if (url === null) return 'not_a_url';
  if (url.protocol !== 'https:') return 'not_https';
  if (url.username !== '' || url.password !== '') return 'credentials';
  const address = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && !allowed.permits(address) ? 'address_not_public' : null;
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
