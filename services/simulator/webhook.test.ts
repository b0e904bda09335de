import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SIGNATURE_HEADER, type SignatureVerdict, TIMESTAMP_HEADER, verify } from '#signing/signing.ts';
import { serve } from '../../test/support/listen.ts';
import type { Mishap, SimulatedDelivery } from './deliveries.ts';
import { createWebhookSender, type WebhookSender } from './webhook.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const BODY = Buffer.from(JSON.stringify([{ id: 1234, type: 'event', ut: 1, data: { event: { id: 1 } } }]));

type Seen = { readonly verdict: SignatureVerdict; readonly body: Buffer | null };
/** Timeout of tests that do not test time, milliseconds. */
const TIMEOUT_MS = 60_000;

/** Returns the receiver's answer to its nth request; null for no answer until the connection ends. */
type Answers = (n: number, verdict: SignatureVerdict) => { status: number; body: string } | null;

/** The latest time for which a request was signed, Unix seconds. */
let signedFor = 0;

const refuseOrAccept: Answers = (_n, verdict) =>
  verdict === 'ok' ? { status: 200, body: 'Accepted' } : { status: 401, body: 'refused' };

async function receiver(answers: Answers): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const origin = await serve(async (request, response) => {
    const body = await buffer(request).catch(() => null);
    if (body === null) return void seen.push({ verdict: 'ok', body });
    const header = (name: string): string | undefined => [request.headers[name]].flat()[0];
    const headers = { timestamp: header(TIMESTAMP_HEADER), signature: header(SIGNATURE_HEADER) };
    signedFor = Number(headers.timestamp);
    const verdict = verify(body, headers, [SECRET], Date.now());
    seen.push({ verdict, body });
    const answer = answers(seen.length, verdict);
    if (answer !== null) response.writeHead(answer.status, { 'content-type': 'text/plain' }).end(answer.body);
  });
  return { url: `${origin}/webhook`, seen };
}

function senderTo(url: string, timeoutMs = TIMEOUT_MS): { sender: WebhookSender; retries: string[] } {
  const retries: string[] = [];
  const waits = { timeoutMs, firstWaitMs: 5, maxWaitMs: 20 };
  const onRetry = (reason: string): void => void retries.push(reason);
  const sender = createWebhookSender({ url, secret: SECRET, ...waits, onRetry });
  onTestFinished(() => sender.close());
  return { sender, retries };
}

function delivery(
  mishap: Mishap | null = null,
  gzip: SimulatedDelivery['gzip'] = null,
  signedAhead = false,
): SimulatedDelivery {
  return { due: 0, body: BODY, messages: 1, mishap, gzip, signedAhead, malformed: null };
}

const running = new AbortController().signal;

describe('a delivery', () => {
  test('is a signed POST of the unchanged body, also by a clock that is an hour ahead', async () => {
    const { url, seen } = await receiver(refuseOrAccept);
    const { sender } = senderTo(url);
    for (const isAhead of [false, true]) {
      const sent = await sender.deliver(delivery(null, null, isAhead), running);
      expect(sent).toEqual({ requests: 1, forged: null });
      expect(signedFor > Date.now() / 1000 + 3_600).toBe(isAhead);
    }
    expect(seen).toEqual(Array(2).fill({ verdict: 'ok', body: BODY }));
  });

  test('is compressed with a signature of what is sent, or of the body', async () => {
    const { url, seen } = await receiver(() => ({ status: 200, body: 'Accepted' }));
    const { sender } = senderTo(url);
    await sender.deliver(delivery(null, 'signs_compressed'), running);
    await sender.deliver(delivery(null, 'signs_body'), running);
    expect(seen.map(({ verdict }) => verdict)).toEqual(['ok', 'signature_mismatch']);
    expect(seen.map(({ body }) => body && gunzipSync(body))).toEqual([BODY, BODY]);
  });

  test.each([
    ['another status', { status: 201, body: 'Accepted' }],
    ['lower case', { status: 200, body: 'accepted' }],
    ['more text', { status: 200, body: 'Accepted\n' }],
  ])('is repeated after %s', async (_name, answer) => {
    const { url, seen } = await receiver((n, verdict) => (n < 3 ? answer : refuseOrAccept(n, verdict)));
    const { sender, retries } = senderTo(url);
    expect(await sender.deliver(delivery(), running)).toEqual({ requests: 3, forged: null });
    expect(seen.map(({ body }) => body)).toEqual([BODY, BODY, BODY]);
    expect(retries).toEqual([`answered ${answer.status}`, `answered ${answer.status}`]);
  });

  test('is retried while no receiver listens, and cancelled when the signal is aborted', async () => {
    const { sender, retries } = senderTo('http://127.0.0.1:1/webhook');
    const stop = new AbortController();
    const sent = sender.deliver(delivery(), stop.signal);
    await expect.poll(() => retries.length, { timeout: TIMEOUT_MS }).toBeGreaterThan(2);
    stop.abort(new Error('stopped'));
    await expect(sent).rejects.toThrow();
  });
});

describe('a mishap', () => {
  test.each([
    ['wrong_secret', 'signature_mismatch'],
    ['changed_body', 'signature_mismatch'],
    ['expired', 'timestamp_expired'],
  ] as const)('%s is refused first, then sent rightly', async (mishap, verdict) => {
    const { url, seen } = await receiver(refuseOrAccept);
    const { sender, retries } = senderTo(url);
    expect(await sender.deliver(delivery(mishap), running)).toEqual({ requests: 2, forged: 'refused' });
    expect(seen.map((one) => one.verdict)).toEqual([verdict, 'ok']);
    expect(seen[1]?.body).toEqual(BODY);
    expect(retries).toEqual([]);
  });

  test('is reported when the receiver accepts a forged request', async () => {
    const { url } = await receiver(() => ({ status: 200, body: 'Accepted' }));
    const { sender } = senderTo(url);
    const outcome = { requests: 2, forged: 'accepted' };
    expect(await sender.deliver(delivery('wrong_secret'), running)).toEqual(outcome);
  });

  test('cut_body never delivers the whole body, and is followed by a complete request', async () => {
    const { url, seen } = await receiver(refuseOrAccept);
    const { sender } = senderTo(url);
    expect(await sender.deliver(delivery('cut_body'), running)).toEqual({ requests: 2, forged: null });
    await expect.poll(() => seen.length, { timeout: TIMEOUT_MS }).toBe(2);
    expect(seen.filter(({ body }) => body === null)).toHaveLength(1);
  });

  test('cut_body is no forged request where the receiver answers before its end', async () => {
    let requests = 0;
    const url = await serve(async (request, response) => {
      requests += 1;
      if (requests > 1) await buffer(request);
      response.writeHead(requests > 1 ? 200 : 503).end('Accepted');
    });
    const { sender } = senderTo(url);
    expect(await sender.deliver(delivery('cut_body'), running)).toEqual({ requests: 2, forged: null });
  });

  test('lost_answer delivers the body twice', async () => {
    const { url, seen } = await receiver(refuseOrAccept);
    const { sender } = senderTo(url);
    expect(await sender.deliver(delivery('lost_answer'), running)).toEqual({ requests: 2, forged: null });
    expect(seen).toEqual(Array(2).fill({ verdict: 'ok', body: BODY }));
  });
});
