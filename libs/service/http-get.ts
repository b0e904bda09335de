/** One GET over HTTP, with a limit for its time and its size. */
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { TouchlineError } from '#errors/touchline-error.ts';

/** An answer, unparsed. */
export type HttpReply = { readonly status: number; readonly body: Buffer };

/**
 * A request without an answer. It has no cause and names no address: an error of the HTTP client may contain the URL, and
 * the URL secrets.
 */
export class HttpError extends TouchlineError<'HttpError'> {
  override readonly name = 'HttpError';
}

export type HttpLimits = {
  /** Longest time for a whole answer, milliseconds. */
  readonly timeoutMs: number;
  /** Longest body after decompression, bytes. */
  readonly maxBytes: number;
  /** Makes the connections, as those that trust an authority of one's own; default: that of undici. */
  readonly dispatcher?: Dispatcher | undefined;
};

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const ENCODINGS = Object.keys(DECODERS).join(', ');

/** A GET for JSON. A redirect is an answer like any other: it is not followed. Throws `HttpError`. */
export async function httpGet(
  url: string,
  { timeoutMs, maxBytes, dispatcher }: HttpLimits,
  signal: AbortSignal,
): Promise<HttpReply> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    // Not fetch: its streams cost as much processor time again as a small answer.
    const { statusCode, headers, body } = await request(url, {
      ...(dispatcher === undefined ? {} : { dispatcher }),
      headers: { accept: 'application/json', 'accept-encoding': ENCODINGS },
      signal: AbortSignal.any([signal, deadline]),
    });
    const bytes = await readLimited(decoded(body, headers), maxBytes);
    if (bytes === null) throw new HttpError('TOO_LARGE', `an answer of more than ${maxBytes} bytes`);
    return { status: statusCode, body: bytes };
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (signal.aborted) throw new HttpError('STOPPED', 'given up');
    if (deadline.aborted) throw new HttpError('TIMEOUT', `no whole answer within ${timeoutMs} ms`);
    throw new HttpError('UNREACHABLE', `no answer (${systemCode(error) ?? 'connection failed'})`);
  }
}

function decoded(body: Readable, headers: IncomingHttpHeaders): AsyncIterable<Uint8Array> {
  const decoder = DECODERS[headers['content-encoding'] ?? ''];
  // An error of the body destroys the decoder, whose reader throws it.
  return decoder === undefined ? body : pipeline(body, decoder(), () => {});
}

/**
 * The system's code of a failure, such as ECONNREFUSED, from the error or its causes; undefined without one. Safe to report
 * of a failed request: messages of errors contain addresses.
 */
export function systemCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)) return code;
  }
  return undefined;
}

/** All bytes of a stream; null above the limit: the rest is not read, and the stream is destroyed or cancelled. */
export async function readLimited(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    // Leaving the loop ends the stream.
    if (length > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
