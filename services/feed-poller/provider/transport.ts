import { HttpError, type HttpLimits, type HttpReply, httpGet } from '#service/http-get.ts';
import { ProviderError } from '../errors.ts';

/** An answer as it came. */
export type Reply = HttpReply;

/** Makes one request. Throws `ProviderError` only; neither that nor anything else it tells holds the address. */
export type Transport = (operation: string, url: string, signal: AbortSignal) => Promise<Reply>;

/** Requests over HTTP. A redirect is an answer like any other: it is not followed. */
export function httpTransport(limits: HttpLimits): Transport {
  return async (operation, url, signal) => {
    try {
      return await httpGet(url, limits, signal);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      throw new ProviderError(error.code, operation, error.message);
    }
  };
}
