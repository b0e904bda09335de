import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { reasonOf } from '#errors/touchline-error.ts';
import { signatureHeaders, VALID_SECONDS } from '#signing/signing.ts';
import type { Mishap, SimulatedDelivery } from './deliveries.ts';

type WebhookOptions = {
  readonly url: string;
  readonly secret: string;
  /** Timeout of a request, milliseconds. */
  readonly timeoutMs: number;
  /** Wait before the first retry, milliseconds; it doubles with each retry, up to `maxWaitMs`. */
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
  /** Called for each valid request that was not accepted, with one line without secrets. */
  readonly onRetry: (reason: string) => void;
};

/** The outcome of an accepted delivery. */
export type Delivered = {
  /** Number of requests that were sent for it. */
  readonly requests: number;
  /** Outcome of a forged request; null when none was sent or answered. */
  readonly forged: 'refused' | 'accepted' | null;
};

/** Sends deliveries as the provider does. */
export type WebhookSender = {
  /** Sends a delivery until it is accepted. Rejects with the reason of `signal` when it is aborted. */
  deliver(delivery: SimulatedDelivery, signal: AbortSignal): Promise<Delivered>;
  close(): void;
};

type ReceiverResponse = { readonly status: number; readonly body: string };
type Headers = Readonly<Record<string, string>>;

const ACCEPTED = 'Accepted';
/** How far ahead the clock of a sender may be, milliseconds. */
const AHEAD_MS = 3_600_000;

/** Creates a sender. Only status 200 with exactly the body `Accepted` is success; everything else is retried. */
export function createWebhookSender(options: WebhookOptions): WebhookSender {
  const agent = new Agent();
  const within = (signal: AbortSignal): AbortSignal =>
    AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]);

  const post = async (body: Buffer, headers: Headers, signal: AbortSignal): Promise<ReceiverResponse> => {
    const answer = await request(options.url, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: within(signal),
    });
    return { status: answer.statusCode, body: await answer.body.text() };
  };

  /** Breaks the connection halfway through the body, or after the whole body. */
  const breakOff = (body: Buffer, headers: Headers, mishap: Mishap, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const send = options.url.startsWith('https:') ? httpsRequest : httpRequest;
      const broken = send(options.url, {
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', 'content-length': String(body.length), ...headers },
        signal: within(signal),
      })
        .on('error', () => resolve())
        .on('close', () => resolve());
      if (mishap === 'cut_body') broken.write(body.subarray(0, body.length >> 1), () => broken.destroy());
      else broken.end(body, () => broken.on('response', (response) => response.destroy()));
    });

  const signed = (body: Buffer, secret = options.secret, validFor = VALID_SECONDS, aheadMs = 0): Headers =>
    signatureHeaders(body, secret, Date.now() + aheadMs, validFor);

  /** Sends a request that must be refused. */
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
    async deliver({ body, mishap, gzip, signedAhead }, signal) {
      const sent = gzip === null ? body : gzipSync(body);
      const coding = gzip === null ? {} : { 'content-encoding': 'gzip' };
      const signs = gzip === 'signs_compressed' ? sent : body;
      const aheadMs = signedAhead ? AHEAD_MS : 0;
      let requests = 0;
      let forged: Delivered['forged'] = null;
      if (mishap === 'cut_body' || mishap === 'lost_answer') {
        requests++;
        await breakOff(body, signed(body), mishap, signal);
      } else if (mishap !== null) {
        requests++;
        // Without an answer the outcome is unknown.
        forged = await forge(body, mishap, signal).catch(() => null);
      }
      for (let wait = options.firstWaitMs; ; wait = Math.min(wait * 2, options.maxWaitMs)) {
        signal.throwIfAborted();
        requests++;
        const reason = await post(
          sent,
          { ...coding, ...signed(signs, options.secret, VALID_SECONDS, aheadMs) },
          signal,
        ).then(
          ({ status, body: text }) => (status === 200 && text === ACCEPTED ? null : `answered ${status}`),
          (error: unknown) => `no answer: ${reasonOf(error)}`,
        );
        if (reason === null) return { requests, forged };
        signal.throwIfAborted();
        options.onRetry(reason);
        await sleep(wait, undefined, { signal });
      }
    },
    close: () => void agent.destroy(),
  };
}

/** Returns the body with one digit changed, so that it stays readable. */
function changed(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  const at = copy.findIndex((byte) => byte >= 0x30 && byte <= 0x38);
  if (at >= 0) copy[at] = (copy[at] ?? 0) + 1;
  return copy;
}
