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
      throw new ProviderError('unreachable', operation, `no answer (${systemCode(error)})`);
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

/** The system's code of a failure, as ECONNREFUSED: all that is told of it. */
function systemCode(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)) return code;
  }
  return 'connection failed';
}
