import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, verify } from '#signing/signing.ts';
import { answers, type HostileAnswer, HttpsReceiver } from '../../test/support/https-receiver.ts';
import { untilTrue } from '../../test/support/poll.ts';
import { type DeliveryOutcome, retryAfterMs } from './endpoint.ts';
import { endpointOf, endpointTo, SECRET } from './testing/endpoints.ts';

const BODY = '[{"id":"5-1","name":"é"}]';

const status = (code: number, retryAfterMs: number | null = null) =>
  ({ kind: 'status', status: code, retryAfterMs }) as const;

test.each([
  [200, 'ok', { kind: 'accepted' }],
  [202, '{"status":"success"}', { kind: 'accepted' }],
  [204, '', { kind: 'accepted' }],
  [302, 'Accepted', status(302)],
  [429, 'slow down', status(429)],
])('a receiver that does not speak the contract with status %i', async (code, text, outcome) => {
  const answer = (response: ServerResponse) => void response.writeHead(code).end(text);
  const { endpoint, receiver } = await endpointTo(answer, { isContract: false });
  expect(await endpoint.post(BODY)).toEqual(outcome);
  expect(receiver.received[0]?.headers).not.toHaveProperty(SIGNATURE_HEADER.toLowerCase());
});

describe('Events, Delivery', () => {
  test('is a POST of the body unchanged, as JSON, to path and query of the URL', async () => {
    const { endpoint, receiver } = await endpointTo(answers.accepted);
    const other = endpointOf(`${receiver.url}?a=1&b#c`, { ca: receiver.ca });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
    expect(await other.post(Buffer.from(BODY))).toEqual({ kind: 'accepted' });
    expect(receiver.received.map(({ method, path, body }) => [method, path, body.toString()])).toEqual([
      ['POST', '/webhook', BODY],
      ['POST', '/webhook?a=1&b', BODY],
    ]);
    expect(receiver.received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(BODY)),
      'user-agent': 'touchline',
      'accept-encoding': 'identity',
      host: `localhost:${receiver.port}`,
    });
  });

  test('is signed again each time, valid for five minutes', async () => {
    let now = 1_790_000_000_999;
    const { endpoint, receiver } = await endpointTo(answers.accepted, { now: () => now });
    await endpoint.post(BODY);
    now += 60_000;
    await endpoint.post(BODY);
    const headers = receiver.received.map((request) => ({
      timestamp: String(request.headers[TIMESTAMP_HEADER]),
      signature: String(request.headers[SIGNATURE_HEADER]),
    }));
    expect(headers.map(({ timestamp }) => timestamp)).toEqual(['1790000300', '1790000360']);
    for (const header of headers) {
      expect(verify(Buffer.from(BODY), header, [SECRET], 1_790_000_000_999)).toBe('ok');
    }
  });

  test('signs and sends once more at once when a reused connection breaks before an answer', async () => {
    const timestamps: unknown[] = [];
    let now = 1_790_000_000_000;
    const { endpoint, receiver } = await endpointTo(
      (response, { connection, headers }, n) => {
        timestamps.push(headers[TIMESTAMP_HEADER]);
        now += 1_000;
        // Like a receiver that closes the connection as idle while the request is sent.
        if (n === 2 && connection === 1) response.destroy();
        else response.end('Accepted');
      },
      { now: () => now },
    );
    expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
    expect(receiver.received.map(({ connection }) => connection)).toEqual([1, 1, 2]);
    expect(timestamps).toEqual(['1790000300', '1790000301', '1790000302']);
  });

  test('does not send again when a new connection breaks, or one after the start of an answer', async () => {
    const { endpoint, receiver } = await endpointTo(answers.reset);
    expect(await endpoint.post(BODY)).toMatchObject({ kind: 'failed' });
    expect(receiver.received).toHaveLength(1);
    receiver.answerWith(answers.accepted);
    expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
    receiver.answerWith(answers.cut);
    expect(await endpoint.post(BODY)).toEqual({ kind: 'unreadable' });
    expect(receiver.received).toHaveLength(3);
  });

  test('closes an idle connection after the time that the receiver chose', async () => {
    const { endpoint, receiver } = await endpointTo((response) => {
      response.writeHead(200, { connection: 'keep-alive', 'keep-alive': 'timeout=3' }).end('Accepted');
    });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
    expect(await receiver.open()).toBe(1);
    await untilTrue('the connection is closed', async () => (await receiver.open()) === 0, 20_000);
  });

  test('follows a name to its next address while it is in use, and calls none that is not public', async () => {
    const before = await HttpsReceiver.start(answers.accepted);
    const after = await HttpsReceiver.start(answers.accepted, {
      at: { host: '127.0.0.2', port: before.port },
    });
    let address = '127.0.0.1';
    const url = before.url.replace('localhost', 'receiver.example.test');
    const options = { ca: before.ca, connectionMs: 300 };
    const endpoint = endpointOf(url, options, async () => [address]);
    const postsTo = (receiver: HttpsReceiver) =>
      untilTrue(`${address} is called`, async () => {
        const known = receiver.received.length;
        return (await endpoint.post(BODY)).kind === 'accepted' && receiver.received.length > known;
      });
    await postsTo(before);
    address = '127.0.0.2';
    await postsTo(after);
    address = '10.0.0.1';
    await untilTrue('it is refused', async () => (await endpoint.post(BODY)).kind === 'refused');
  });

  test('opens one connection for concurrent posts', async () => {
    const { endpoint, receiver } = await endpointTo(answers.accepted);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => endpoint.post(BODY)));
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => ({ kind: 'accepted' })));
    expect(receiver.connections).toBe(1);
  });
});

const plain = (code: number, headers: Record<string, string>, body: string | Buffer): HostileAnswer => {
  return (response) => void response.writeHead(code, headers).end(body);
};

describe('Events, Success', () => {
  test.each<[string, HostileAnswer, DeliveryOutcome]>([
    ['Accepted', answers.accepted, { kind: 'accepted' }],
    ['Accepted in parts', acceptedInParts, { kind: 'accepted' }],
    ['accepted', answers.lowerCase, { kind: 'different' }],
    ['a line end behind it', answers.newline, { kind: 'different' }],
    ['another text', answers.otherText, { kind: 'different' }],
    ['no text', plain(200, {}, ''), { kind: 'different' }],
    ['a byte order mark before it', plain(200, {}, '\uFEFFAccepted'), { kind: 'different' }],
    ['a text of just the limit', plain(200, {}, 'x'.repeat(1024)), { kind: 'different' }],
    ['a text over the limit', plain(200, {}, 'x'.repeat(1025)), { kind: 'different' }],
    ['a text of 5 KB', plain(200, {}, 'ü'.repeat(2_500)), { kind: 'different' }],
    ['a huge text', answers.huge, { kind: 'different' }],
    ['a text that is cut', answers.cut, { kind: 'unreadable' }],
    ['bytes that are no UTF-8', plain(200, {}, Buffer.from([0xff, 0xfe])), { kind: 'unreadable' }],
    [
      'a compressed text',
      plain(200, { 'content-encoding': 'gzip' }, gzipSync('Accepted')),
      { kind: 'unreadable' },
    ],
    ['204', plain(204, {}, ''), status(204)],
    ['201 Accepted', plain(201, {}, 'Accepted'), status(201)],
    ['500 Accepted', answers.error, status(500)],
    ['a redirect', answers.redirect, status(307)],
    ['429 with a wait', plain(429, { 'retry-after': '7' }, ''), status(429, 7_000)],
    ['503 with a wait', answers.unavailable, status(503, 120_000)],
    ['404 with a huge text', plain(404, {}, 'x'.repeat(1 << 20)), status(404)],
    ['a reset', answers.reset, { kind: 'failed', reason: 'UND_ERR_SOCKET' }],
    [
      'a huge head',
      plain(200, { 'x-large': 'x'.repeat(32 * 1024) }, ''),
      { kind: 'failed', reason: 'UND_ERR_HEADERS_OVERFLOW' },
    ],
  ])('%s', async (_name, answer, outcome) => {
    const { endpoint, receiver } = await endpointTo(answer, { now: () => 0 });
    expect(await endpoint.post(BODY)).toEqual(outcome);
    receiver.answerWith(answers.accepted);
    expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/webhook', '/webhook']);
  });

  test('reads no more of a huge answer than the limit', async () => {
    let written = 0;
    const closed = Promise.withResolvers<void>();
    const { endpoint } = await endpointTo((response) => {
      const timer = setInterval(() => {
        written += 600;
        response.write('x'.repeat(600));
      }, 5);
      response.on('close', () => {
        clearInterval(timer);
        closed.resolve();
      });
    });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'different' });
    await closed.promise;
    expect(written).toBeLessThan(1 << 20);
  });
});

function acceptedInParts(response: ServerResponse): void {
  response.write('Acc');
  setTimeout(() => response.end('epted'), 20);
}

test.each([
  ['0', 0],
  ['120', 120_000],
  ['9999999999', 9_999_999_999_000],
  ['Thu, 11 Jun 2026 18:02:00 GMT', 120_000],
  ['Thu, 11 Jun 2026 17:00:00 GMT', 0],
  ['', null],
  ['soon', null],
  ['99999999999', null],
  ['Thu, 99 Jun 2026 18:02:00 GMT', null],
  [undefined, null],
  [['1', '2'], null],
])('Retry-After %j is a wait of %s ms', (header, wait) => {
  expect(retryAfterMs(header, Date.UTC(2026, 5, 11, 18, 0, 0))).toBe(wait);
});
