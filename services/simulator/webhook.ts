import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { reasonOf } from '#errors/touchline-error.ts';
import { signatureHeaders, VALID_SECONDS } from '#signing/signing.ts';
import type { Mishap, SimulatedDelivery } from './deliveries.ts';

/** The wait doubles with each retry. `onRetry`: called for each valid request that was not accepted, without secrets. */
type WebhookOptions = Readonly<Record<'url' | 'secret', string>> &
  Readonly<Record<'timeoutMs' | 'firstWaitMs' | 'maxWaitMs', number>> & {
    readonly onRetry: (reason: string) => void;
  };

/** The requests of an accepted delivery, and the outcome of a forged one; null when none was sent or answered. */
export type Delivered = Readonly<{ requests: number; forged: 'refused' | 'accepted' | null }>;

export type WebhookSender = ReturnType<typeof createWebhookSender>;

type Headers = Readonly<Record<string, string>>;

/** How far ahead the clock of a sender may be, milliseconds. */
const AHEAD_MS = 3_600_000;

/** Creates a sender. Only status 200 with exactly the body `Accepted` is success; everything else is retried. */
export function createWebhookSender(options: WebhookOptions) {
  const { url, secret, timeoutMs } = options;
  const agent = new Agent();
  const post = async (body: Buffer | Readable, headers: Headers, signal: AbortSignal) => {
    const answer = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  const signed = (body: Buffer, by = secret, validFor = VALID_SECONDS, aheadMs = 0): Headers =>
    signatureHeaders(body, by, Date.now() + aheadMs, validFor);

  /** Sends the request of a mishap. Returns the outcome of a forged one; null without an answer. */
  const fail = async (body: Buffer, mishap: Mishap, signal: AbortSignal): Promise<Delivered['forged']> => {
    const send = {
      cut_body: () => post(firstHalf(body), { ...signed(body), 'content-length': `${body.length}` }, signal),
      lost_answer: () => post(body, signed(body), signal),
      wrong_secret: () => post(body, signed(body, randomBytes(16).toString('hex')), signal),
      expired: () => post(body, signed(body, secret, -VALID_SECONDS), signal),
      changed_body: () => post(changed(body), signed(body), signal),
    }[mishap];
    const answer = await send().catch(() => null);
    if (answer === null || mishap === 'cut_body' || mishap === 'lost_answer') return null;
    return answer.status === 200 ? 'accepted' : 'refused';
  };

  return {
    /** Sends a delivery until it is accepted. Rejects with the reason of `signal` when it is aborted. */
    async deliver(delivery: SimulatedDelivery, signal: AbortSignal): Promise<Delivered> {
      const { body, mishap, gzip, signedAhead } = delivery;
      const sent = gzip === null ? body : gzipSync(body);
      const coding = gzip === null ? {} : { 'content-encoding': 'gzip' };
      const signs = gzip === 'signs_compressed' ? sent : body;
      const forged = mishap === null ? null : await fail(body, mishap, signal);
      let requests = mishap === null ? 0 : 1;
      for (let wait = options.firstWaitMs; ; wait = Math.min(wait * 2, options.maxWaitMs)) {
        signal.throwIfAborted();
        requests++;
        const signature = signed(signs, secret, VALID_SECONDS, signedAhead ? AHEAD_MS : 0);
        const reason = await post(sent, { ...coding, ...signature }, signal).then(
          ({ status, text }) => (status === 200 && text === 'Accepted' ? null : `answered ${status}`),
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

/** Returns a stream of the first half of a body, which then breaks the connection. */
export function firstHalf(body: Buffer): Readable {
  return Readable.from(
    (async function* () {
      yield body.subarray(0, body.length >> 1);
      // The bytes must be sent before the connection ends.
      await sleep(5);
      throw new Error('the connection ends by an injected fault');
    })(),
  );
}

/** Returns the body with one digit changed, so that it stays readable. */
function changed(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  const at = copy.findIndex((byte) => byte >= 0x30 && byte <= 0x38);
  if (at >= 0) copy[at] = (copy[at] ?? 0) + 1;
  return copy;
}
