/** GET requests over HTTP with limits of time and size. */
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { causesOf, defineError } from '#errors/touchline-error.ts';

/** An unparsed answer. */
export type HttpReply = { readonly status: number; readonly body: Buffer };

/** A request gets no usable answer. Has no cause: errors of the HTTP client may contain the URL, and that secrets. */
export class HttpError extends defineError('HttpError') {}

export type HttpLimits = {
  /** Timeout for the complete answer, milliseconds. */
  readonly timeoutMs: number;
  /** Maximum size of the body after decompression, bytes. */
  readonly maxBytes: number;
  /** Creates the connections, e.g. those that trust a private authority. Default: undici's. */
  readonly dispatcher?: Dispatcher | undefined;
};

/** Maximum number of informational answers (1xx) before an answer: honest servers send one or two. */
const MAX_INFORMATIONAL = 16;

/** Ends a request whose server sends more. */
class InformationalFloodError extends defineError('InformationalFloodError', () => [
  'INFORMATIONAL_FLOOD',
  `more than ${MAX_INFORMATIONAL} informational answers`,
]) {}

/** Returns an `onInfo` of undici for one request, which aborts it above the limit: answers without end would keep the thread from all else. */
export function informationalLimit(request: AbortController): () => void {
  let received = 0;
  return () => {
    received += 1;
    if (received > MAX_INFORMATIONAL) request.abort(new InformationalFloodError());
  };
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const ENCODINGS = [...DECODERS.keys()].join(', ');

/** Sends a GET for JSON. Does not follow redirects. Throws `HttpError`. */
export async function httpGet(
  url: string,
  { timeoutMs, maxBytes, dispatcher }: HttpLimits,
  signal: AbortSignal,
): Promise<HttpReply> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const flood = new AbortController();
  try {
    // Not fetch: its streams would double the processor time of a small answer.
    const { statusCode, headers, body } = await request(url, {
      ...(dispatcher === undefined ? {} : { dispatcher }),
      headers: { accept: 'application/json', 'accept-encoding': ENCODINGS },
      signal: AbortSignal.any([signal, deadline, flood.signal]),
      onInfo: informationalLimit(flood),
    });
    const bytes = await readLimited(decoded(body, headers), maxBytes);
    if (bytes === null) throw new HttpError('TOO_LARGE', `the answer exceeds ${maxBytes} bytes`);
    return { status: statusCode, body: bytes };
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (signal.aborted) throw new HttpError('STOPPED', 'the request was cancelled');
    if (deadline.aborted) throw new HttpError('TIMEOUT', `no complete answer within ${timeoutMs} ms`);
    throw new HttpError('UNREACHABLE', `no answer (${systemCode(error) ?? 'connection failed'})`);
  }
}

function decoded(body: Readable, headers: IncomingHttpHeaders): AsyncIterable<Uint8Array> {
  const decoder = DECODERS.get(headers['content-encoding'] ?? '');
  // An error of the body destroys the decoder, and its reader throws the error.
  return decoder === undefined ? body : pipeline(body, decoder(), () => {});
}

/** Returns the system's code of a failure, such as ECONNREFUSED; undefined without. Safe to report, unlike messages. */
export function systemCode(error: unknown): string | undefined {
  const codes = causesOf(error).map(({ code }) => code);
  return codes.find((code): code is string => typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code));
}

/** Reads all bytes of a stream. Returns null above the limit, and then ends the stream without reading the rest. */
async function readLimited(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    // Leaving the loop destroys or cancels the stream.
    if (length > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
