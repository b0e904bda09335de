import { systemCode } from '#service/system-code.ts';
import { ProviderError } from './errors.ts';

/** An answer as it came. */
export type Reply = { readonly status: number; readonly body: Buffer };

/** Makes one request. Throws `ProviderError` only; neither that nor anything else it tells holds the address. */
export type Transport = (operation: string, url: string, signal: AbortSignal) => Promise<Reply>;

/** How requests are made. */
export type TransportOptions = {
  /** Longest time for a whole answer, milliseconds. */
  readonly timeoutMs: number;
  /** Longest body, bytes, unpacked. */
  readonly maxBytes: number;
};

/** Requests over HTTP. A redirect is an answer like any other: it is not followed. */
export function httpTransport({ timeoutMs, maxBytes }: TransportOptions): Transport {
  return async (operation, url, signal) => {
    const patience = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { accept: 'application/json' },
        signal: AbortSignal.any([signal, patience]),
      });
      return { status: response.status, body: await readBody(operation, response, maxBytes) };
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      if (signal.aborted) throw new ProviderError('stopped', operation, 'given up');
      if (patience.aborted) {
        throw new ProviderError('timeout', operation, `no whole answer within ${timeoutMs} ms`);
      }
      throw new ProviderError(
        'unreachable',
        operation,
        `no answer (${systemCode(error) ?? 'connection failed'})`,
      );
    }
  };
}

async function readBody(operation: string, response: Response, maxBytes: number): Promise<Buffer> {
  if (response.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the rest of the answer.
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new ProviderError('too_large', operation, `an answer of more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
