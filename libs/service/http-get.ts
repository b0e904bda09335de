/** One GET over HTTP, with a limit for its time and its size. */
import { TouchlineError } from '#errors/touchline-error.ts';
import { readLimited } from './read-limited.ts';
import { systemCode } from './system-code.ts';

/** An answer, unparsed. */
export type HttpReply = { readonly status: number; readonly body: Buffer };

/**
 * A request without an answer. It has no cause and names no address: an error of the HTTP client may contain the URL, and
 * the URL secrets.
 */
export class HttpError extends TouchlineError<'HttpError'> {
  override readonly name = 'HttpError';
}

/** Options of requests. */
export type HttpLimits = {
  /** Longest time for a whole answer, milliseconds. */
  readonly timeoutMs: number;
  /** Longest body after decompression, bytes. */
  readonly maxBytes: number;
};

/** A GET for JSON. A redirect is an answer like any other: it is not followed. Throws `HttpError`. */
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
    if (body === null) throw new HttpError('TOO_LARGE', `an answer of more than ${maxBytes} bytes`);
    return { status: response.status, body };
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (signal.aborted) throw new HttpError('STOPPED', 'given up');
    if (deadline.aborted) throw new HttpError('TIMEOUT', `no whole answer within ${timeoutMs} ms`);
    throw new HttpError('UNREACHABLE', `no answer (${systemCode(error) ?? 'connection failed'})`);
  }
}
