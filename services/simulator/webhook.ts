import { randomBytes } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { signatureHeaders, VALID_SECONDS } from '#signing/signing.ts';
import type { Mishap, SimulatedDelivery } from './deliveries.ts';

/** Where and how webhooks are sent. */
export type WebhookOptions = {
  readonly url: string;
  readonly secret: string;
  /** How long an answer may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Wait before the second try, in milliseconds; it doubles with each, up to `mostWaitMs`. */
  readonly firstWaitMs: number;
  readonly mostWaitMs: number;
  /** Called for each attempt that should have been accepted but was not, with one line without secrets. */
  readonly onRetry: (reason: string) => void;
};

/** Outcome of an accepted delivery. */
type Delivered = {
  /** Requests sent for it. */
  readonly requests: number;
  /** Outcome of a forged request; null when none was sent or answered. */
  readonly forged: 'refused' | 'accepted' | null;
};

/** Sends deliveries as the provider does. */
export type WebhookSender = {
  /** Sends until it is accepted. Rejects with the signal's reason when that is aborted. */
  deliver(delivery: SimulatedDelivery, signal: AbortSignal): Promise<Delivered>;
  close(): void;
};

type ReceiverResponse = { readonly status: number; readonly body: string };
type Headers = Readonly<Record<string, string>>;

const ACCEPTED = 'Accepted';
/** More of an answer than this is not read: what counts is eight characters. */
const MOST_OF_AN_ANSWER = 1024;

/** A sender; success is status 200 with the body exactly `Accepted`, anything else is tried again. */
export function createWebhookSender(options: WebhookOptions): WebhookSender {
  const url = new URL(options.url);
  const secure = url.protocol === 'https:';
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const send = secure ? httpsRequest : httpRequest;

  const start = (headers: Headers, length: number, signal: AbortSignal) =>
    send(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'content-length': String(length), ...headers },
      signal: AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]),
    });

  const post = (body: Buffer, headers: Headers, signal: AbortSignal): Promise<ReceiverResponse> =>
    new Promise((resolve, reject) => {
      start(headers, body.length, signal)
        .on('error', reject)
        .on('response', (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (part: string) => {
            if (text.length < MOST_OF_AN_ANSWER) text += part;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
          response.on('error', reject);
        })
        .end(body);
    });

  /** Breaks the connection, halfway through the body or when all is sent. */
  const breakOff = (body: Buffer, headers: Headers, mishap: Mishap, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const request = start(headers, body.length, signal)
        .on('error', () => resolve())
        .on('close', () => resolve());
      if (mishap === 'cut_body') request.write(body.subarray(0, body.length >> 1), () => request.destroy());
      else request.end(body, () => request.on('response', (response) => response.destroy()));
    });

  const signed = (body: Buffer, secret = options.secret, validFor = VALID_SECONDS): Headers =>
    signatureHeaders(body, secret, Date.now(), validFor);

  /** A request that must be refused. */
  const forge = async (body: Buffer, mishap: Mishap, signal: AbortSignal): Promise<Delivered['forged']> => {
    const answer =
      mishap === 'wrong_secret'
        ? await post(body, signed(body, randomBytes(16).toString('hex')), signal)
        : mishap === 'expired'
          ? await post(body, signed(body, options.secret, -VALID_SECONDS), signal)
          : await post(changed(body), signed(body), signal);
    return answer.status === 200 ? 'accepted' : 'refused';
  };

  return {
    async deliver({ body, mishap }, signal) {
      let requests = 0;
      let forged: Delivered['forged'] = null;
      if (mishap === 'cut_body' || mishap === 'lost_answer') {
        requests++;
        await breakOff(body, signed(body), mishap, signal);
      } else if (mishap !== null) {
        requests++;
        // Where there was no answer nothing was learned.
        forged = await forge(body, mishap, signal).catch(() => null);
      }
      for (let wait = options.firstWaitMs; ; wait = Math.min(wait * 2, options.mostWaitMs)) {
        signal.throwIfAborted();
        requests++;
        const reason = await post(body, signed(body), signal).then(
          ({ status, body: text }) => (status === 200 && text === ACCEPTED ? null : `answered ${status}`),
          (error: unknown) => `no answer: ${error instanceof Error ? error.message : String(error)}`,
        );
        if (reason === null) return { requests, forged };
        signal.throwIfAborted();
        options.onRetry(reason);
        await sleep(wait, undefined, { signal });
      }
    },
    close: () => agent.destroy(),
  };
}

/** The body with one byte changed, where it stays readable: a digit for another. */
function changed(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  const at = copy.findIndex((byte) => byte >= 0x30 && byte <= 0x38);
  if (at >= 0) copy[at] = (copy[at] ?? 0) + 1;
  return copy;
}
