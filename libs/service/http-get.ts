/** One GET over HTTP, with a limit for its time and its size. */
import { readLimited } from './read-limited.ts';
import { systemCode } from './system-code.ts';

/** An answer as it came. */
export type HttpReply = { readonly status: number; readonly body: Buffer };

/** Why there is no answer. */
export type HttpErrorCode = 'timeout' | 'unreachable' | 'too_large' | 'stopped';

/**
 * A request without an answer. It has no cause and names no address: an error of the HTTP client may hold the URL, and
 * the URL may hold secrets.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: HttpErrorCode;

  constructor(code: HttpErrorCode, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** How requests are made. */
export type HttpLimits = {
  /** Longest time for a whole answer, milliseconds. */
  readonly timeoutMs: number;
  /** Longest body, bytes, unpacked. */
  readonly maxBytes: number;
};

/** Asks for JSON. A redirect is an answer like any other: it is not followed. Throws `HttpError`. */
export async function httpGet(
  url: string,
  { timeoutMs, maxBytes }: HttpLimits,
  signal: AbortSignal,
): Promise<HttpReply> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { accept: 'application/json' },
      signal: AbortSignal.any([signal, deadline]),
    });
    const body = response.body === null ? Buffer.alloc(0) : await readLimited(response.body, maxBytes);
    if (body === null) throw new HttpError('too_large', `an answer of more than ${maxBytes} bytes`);
    return { status: response.status, body };
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (signal.aborted) throw new HttpError('stopped', 'given up');
    if (deadline.aborted) throw new HttpError('timeout', `no whole answer within ${timeoutMs} ms`);
    throw new HttpError('unreachable', `no answer (${systemCode(error) ?? 'connection failed'})`);
  }
}
