import { Agent } from 'undici';
import { AnswerError, clientIdIn, tokenUrl } from '#contract/rest/client.ts';
import { trusting } from '#outbound/connector.ts';
import { HttpError, httpGet } from '#service/http-get.ts';
import { ExchangeError } from './request.ts';

type UpstreamOptions = {
  /** Without a slash at its end and without `/v2`. */
  readonly baseUrl: string;
  /** Certificates (PEM) of authorities to trust beside the default ones. */
  readonly ca?: string | undefined;
  /** Timeout of a whole answer, milliseconds. */
  readonly timeoutMs: number;
  readonly onAnswer: (outcome: string, seconds: number) => void;
};

/** Maximum size of an answer, bytes: far more than that of a token operation. */
const MAX_BYTES = 64 * 1024;
/** Maximum number of pending requests: a hanging upstream must not fill the memory of this process. */
const MAX_PENDING = 64;
/** Statuses of a failed credential check: the id or secret is wrong, access is denied, or they cannot be credentials. */
const REFUSED_STATUSES = [400, 401, 403];
const TRANSIENT_STATUSES = [408, 425, 429];

/**
 * Returns a function that checks credentials at the upstream (`GET /v2/oauth`), and drops the returned token. It returns their client id; null
 * when they are refused. Throws STATSCORE_UNAVAILABLE, UPSTREAM_MISCONFIGURED.
 */
export function upstreamCheck({ baseUrl, ca, timeoutMs, onAnswer }: UpstreamOptions) {
  const dispatcher = ca === undefined ? undefined : new Agent({ connect: { secureContext: trusting(ca) } });
  let pending = 0;
  return async (clientId: string, secretKey: string, signal: AbortSignal): Promise<string | null> => {
    if (pending >= MAX_PENDING) {
      onAnswer('not_asked', 0);
      throw new ExchangeError('STATSCORE_UNAVAILABLE');
    }
    const started = performance.now();
    let outcome = 'failed';
    pending += 1;
    try {
      const href = tokenUrl(baseUrl, clientId, secretKey);
      const { status, body } = await httpGet(href, { timeoutMs, maxBytes: MAX_BYTES, dispatcher }, signal);
      outcome = String(status);
      return readAccount(status, body);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      outcome = error.published;
      throw new ExchangeError('STATSCORE_UNAVAILABLE', { cause: error });
    } finally {
      pending -= 1;
      onAnswer(outcome, (performance.now() - started) / 1000);
    }
  };
}

function readAccount(status: number, body: Buffer): string | null {
  if (REFUSED_STATUSES.includes(status)) return null;
  if (status >= 500 || TRANSIENT_STATUSES.includes(status)) throw new ExchangeError('STATSCORE_UNAVAILABLE');
  if (status !== 200) throw new ExchangeError('UPSTREAM_MISCONFIGURED');
  try {
    return clientIdIn(JSON.parse(body.toString('utf8')));
  } catch (error) {
    // The message of JSON.parse repeats the text, which may contain a token.
    const cause = error instanceof AnswerError ? { cause: error } : {};
    throw new ExchangeError('UPSTREAM_MISCONFIGURED', cause);
  }
}
