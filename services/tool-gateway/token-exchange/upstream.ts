import { Agent } from 'undici';
import { AnswerError, clientIdIn, tokenUrl } from '#contract/rest/client.ts';
import { trusting } from '#outbound/connector.ts';
import { HttpError, httpGet } from '#service/http-get.ts';
import { ExchangeError } from './errors.ts';

export type UpstreamOptions = {
  /** Without a slash at its end and without `/v2`. */
  readonly baseUrl: string;
  /** Certificates (PEM) that it is trusted by beside the usual ones. */
  readonly ca?: string | undefined;
  /** Longest time for a whole answer, milliseconds. */
  readonly timeoutMs: number;
  /** Called with the outcome and the seconds of each request. */
  readonly onAnswer: (outcome: string, seconds: number) => void;
};

/** Far more than the answer of a token operation has, bytes. */
const MAX_BYTES = 64 * 1024;
/** Most requests to the upstream at once, so that a hanging upstream does not fill the memory of this process. */
const MAX_AT_ONCE = 64;
/** The credential check failed: the id or the secret is wrong, access is denied, or they cannot be credentials. */
const REFUSED = [400, 401, 403];
/** Not the upstream's own answer, or one that passes. */
const PASSING = [408, 425, 429];

/** Checks credentials at the upstream (`GET /v2/oauth`) and drops the returned token. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #dispatcher: Agent | undefined;
  #underWay = 0;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    const { ca } = options;
    if (ca !== undefined) this.#dispatcher = new Agent({ connect: { secureContext: trusting(ca) } });
  }

  /**
   * The client id that the upstream knows these credentials as; null where it refuses them. Throws `ExchangeError`
   * `statscore_unavailable` where it does not answer, `upstream_misconfigured` where it answers what no upstream does.
   */
  async check(clientId: string, secretKey: string, signal: AbortSignal): Promise<string | null> {
    if (this.#underWay >= MAX_AT_ONCE) {
      this.#options.onAnswer('not_asked', 0);
      throw new ExchangeError('STATSCORE_UNAVAILABLE');
    }
    const started = performance.now();
    let outcome = 'failed';
    this.#underWay += 1;
    try {
      const { baseUrl, timeoutMs } = this.#options;
      const href = tokenUrl(baseUrl, clientId, secretKey);
      const limits = { timeoutMs, maxBytes: MAX_BYTES, dispatcher: this.#dispatcher };
      const { status, body } = await httpGet(href, limits, signal);
      outcome = String(status);
      return readAccount(status, body);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      outcome = error.published;
      throw new ExchangeError('STATSCORE_UNAVAILABLE', { cause: error });
    } finally {
      this.#underWay -= 1;
      this.#options.onAnswer(outcome, (performance.now() - started) / 1000);
    }
  }
}

function readAccount(status: number, body: Buffer): string | null {
  if (REFUSED.includes(status)) return null;
  if (status >= 500 || PASSING.includes(status)) throw new ExchangeError('STATSCORE_UNAVAILABLE');
  if (status !== 200) throw new ExchangeError('UPSTREAM_MISCONFIGURED');
  try {
    return clientIdIn(JSON.parse(body.toString('utf8')));
  } catch (error) {
    // The message of JSON.parse shows what it read, which may be a token.
    const cause = error instanceof AnswerError ? { cause: error } : {};
    throw new ExchangeError('UPSTREAM_MISCONFIGURED', cause);
  }
}
