import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, verify } from '#signing/signing.ts';
import { type Answer, answers, HttpsReceiver } from '../../test/support/https-receiver.ts';
import { untilTrue } from '../../test/support/poll.ts';
import { AllowedRanges } from './addresses.ts';
import { type DeliveryOutcome, type EndpointOptions, WebhookEndpoint } from './endpoint.ts';
import type { ResolveName } from './resolve.ts';

const SECRET = '0123456789abcdef0123456789ABCDEF';
const BODY = '[{"id":"5-1","name":"é"}]';
const LOOPBACK = new AllowedRanges(['127.0.0.0/8']);
/** Where the time is not what a test is about. */
const LONG_MS = 60_000;
const SHORT_MS = 300;

function endpointOf(
  options: Partial<EndpointOptions> & { url: string },
  resolve?: ResolveName,
): WebhookEndpoint {
  const endpoint = new WebhookEndpoint(
    { secret: SECRET, allowed: LOOPBACK, timeoutMs: LONG_MS, now: Date.now, ...options },
    resolve,
  );
  onTestFinished(() => endpoint.close());
  return endpoint;
}

/** An endpoint of a receiver that answers so. */
async function endpointTo(
  answer: Answer,
  options: Partial<EndpointOptions> = {},
): Promise<{ endpoint: WebhookEndpoint; receiver: HttpsReceiver }> {
  const receiver = await HttpsReceiver.start(answer);
  return { receiver, endpoint: endpointOf({ url: receiver.url, ca: receiver.ca, ...options }) };
}

/** The URL of a server that does this with every connection. */
async function tcpServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onConnection(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`;
}

describe('Events, Delivery', () => {
  it('is a POST of the body as it is, as JSON, to path and query of the URL', async () => {
    const { endpoint, receiver } = await endpointTo(answers.accepted);
    const other = endpointOf({ url: `${receiver.url}?a=1&b#c`, ca: receiver.ca });
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

  it('is signed anew each time, valid for five minutes', async () => {
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

  it('uses connections again', async () => {
    const { endpoint, receiver } = await endpointTo(answers.accepted);
    for (let n = 0; n < 20; n++) expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
    expect(receiver.connections).toBeLessThanOrEqual(2);
  });

  it('opens no more connections than allowed', async () => {
    const { endpoint, receiver } = await endpointTo(answers.accepted, { connections: 3 });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => endpoint.post(BODY)));
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => ({ kind: 'accepted' })));
    expect(receiver.connections).toBeLessThanOrEqual(3);
  });
});

const plain = (status: number, headers: Record<string, string>, body: string | Buffer): Answer => {
  return (response) => void response.writeHead(status, headers).end(body);
};

describe('Events, Success', () => {
  it.each<[string, Answer, DeliveryOutcome]>([
    ['Accepted', answers.accepted, { kind: 'accepted' }],
    ['Accepted in parts', acceptedInParts, { kind: 'accepted' }],
    ['accepted', answers.lowerCase, { kind: 'different' }],
    ['a line end behind it', answers.newline, { kind: 'different' }],
    ['another text', answers.otherText, { kind: 'different' }],
    ['no text', plain(200, {}, ''), { kind: 'different' }],
    ['a byte order mark before it', plain(200, {}, '\uFEFFAccepted'), { kind: 'different' }],
    ['a text of just the limit', plain(200, {}, 'x'.repeat(1024)), { kind: 'different' }],
    ['a text over the limit', plain(200, {}, 'x'.repeat(1025)), { kind: 'unreadable' }],
    ['a huge text', answers.huge, { kind: 'unreadable' }],
    ['a text that is cut', answers.cut, { kind: 'unreadable' }],
    ['bytes that are no UTF-8', plain(200, {}, Buffer.from([0xff, 0xfe])), { kind: 'unreadable' }],
    [
      'a compressed text',
      plain(200, { 'content-encoding': 'gzip' }, gzipSync('Accepted')),
      { kind: 'unreadable' },
    ],
    ['204', plain(204, {}, ''), { kind: 'status', status: 204, retryAfterMs: null }],
    ['201 Accepted', plain(201, {}, 'Accepted'), { kind: 'status', status: 201, retryAfterMs: null }],
    ['500 Accepted', answers.error, { kind: 'status', status: 500, retryAfterMs: null }],
    ['a redirect', answers.redirect, { kind: 'status', status: 307, retryAfterMs: null }],
    [
      '429 with a wait',
      plain(429, { 'retry-after': '7' }, ''),
      { kind: 'status', status: 429, retryAfterMs: 7_000 },
    ],
    ['503 with a wait', answers.unavailable, { kind: 'status', status: 503, retryAfterMs: 120_000 }],
    [
      '503 with a date',
      plain(503, { 'retry-after': 'Thu, 01 Jan 1970 00:01:00 GMT' }, ''),
      { kind: 'status', status: 503, retryAfterMs: 60_000 },
    ],
    [
      '404 with a huge text',
      plain(404, {}, 'x'.repeat(1 << 20)),
      { kind: 'status', status: 404, retryAfterMs: null },
    ],
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

  it('reads no more of a huge answer than the limit', async () => {
    let written = 0;
    const { endpoint, receiver } = await endpointTo((response) => {
      const timer = setInterval(() => {
        written += 600;
        response.write('x'.repeat(600));
      }, 5);
      response.on('close', () => clearInterval(timer));
    });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'unreadable' });
    await untilTrue('the connection is closed', async () => (await receiver.open()) === 0);
    expect(written).toBeLessThan(1 << 20);
  });
});

function acceptedInParts(...[response]: Parameters<Answer>): void {
  response.write('Acc');
  setTimeout(() => response.end('epted'), 20);
}

describe('Events, Timeout', () => {
  it.each<[string, Answer]>([
    ['no answer', answers.silent],
    ['an answer that drips', answers.drip],
    ['a head that drips', headThatDrips],
    ['informational answers without end', continues],
  ])('ends %s', async (_name, answer) => {
    const { endpoint, receiver } = await endpointTo(answer, { timeoutMs: SHORT_MS });
    const started = performance.now();
    expect(await endpoint.post(BODY)).toEqual({ kind: 'timeout' });
    expect(performance.now() - started).toBeGreaterThan(SHORT_MS - 20);
    await untilTrue('the connection is closed', async () => (await receiver.open()) === 0);
  });

  it('keeps the status of an answer whose text drips', async () => {
    const { endpoint } = await endpointTo(
      (response) => {
        response.writeHead(500).write('x');
      },
      { timeoutMs: SHORT_MS },
    );
    expect(await endpoint.post(BODY)).toEqual({ kind: 'status', status: 500, retryAfterMs: null });
  });

  it('ends a TLS handshake that hangs', async () => {
    const endpoint = endpointOf({ url: await tcpServer(() => {}), timeoutMs: SHORT_MS });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'timeout' });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'timeout' });
  });

  it('ends a resolution that hangs', async () => {
    const aborted = Promise.withResolvers<void>();
    const endpoint = endpointOf({ url: 'https://a.example.test/', timeoutMs: SHORT_MS }, (_name, signal) => {
      signal.addEventListener('abort', () => aborted.resolve());
      return new Promise(() => {});
    });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'timeout' });
    await aborted.promise;
  });

  it('ends what waits for a connection', async () => {
    const { endpoint, receiver } = await endpointTo(answers.silent, { timeoutMs: SHORT_MS, connections: 1 });
    const outcomes = await Promise.all([endpoint.post(BODY), endpoint.post(BODY), endpoint.post(BODY)]);
    expect(outcomes).toEqual([{ kind: 'timeout' }, { kind: 'timeout' }, { kind: 'timeout' }]);
    receiver.answerWith(answers.accepted);
    expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
  });

  it('ends a delivery to a peer that went away without a word', async () => {
    const { endpoint, receiver } = await endpointTo(answers.accepted, { timeoutMs: SHORT_MS });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
    receiver.answerWith(answers.silent);
    expect(await endpoint.post(BODY)).toEqual({ kind: 'timeout' });
    receiver.answerWith(answers.accepted);
    expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
  });
});

function headThatDrips(...[response]: Parameters<Answer>): void {
  const { socket } = response;
  socket?.write('HTTP/1.1 200 OK\r\n');
  const timer = setInterval(() => socket?.write('x: y\r\n'), 20);
  socket?.on('close', () => clearInterval(timer));
}

function continues(...[response]: Parameters<Answer>): void {
  const timer = setInterval(() => response.writeEarlyHints({ link: '</a>' }), 20);
  response.on('close', () => clearInterval(timer));
}

describe('a delivery fails with a code', () => {
  it('where nothing listens', async () => {
    const receiver = await HttpsReceiver.start();
    const { url, ca } = receiver;
    await receiver.close();
    expect(await endpointOf({ url, ca }).post(BODY)).toEqual({ kind: 'failed', reason: 'ECONNREFUSED' });
  });

  it('where the name has no address', async () => {
    const unknown = Object.assign(new Error('queryA ENOTFOUND a.example.test'), { code: 'ENOTFOUND' });
    const endpoint = endpointOf({ url: 'https://a.example.test/' }, () => Promise.reject(unknown));
    expect(await endpoint.post(BODY)).toEqual({ kind: 'failed', reason: 'ENOTFOUND' });
  });

  it('where the certificate is not trusted', async () => {
    const receiver = await HttpsReceiver.start(answers.accepted, { trusted: false });
    const endpoint = endpointOf({ url: receiver.url, ca: receiver.ca });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'failed', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(receiver.received).toEqual([]);
  });

  it('where the certificate is of another name', async () => {
    const receiver = await HttpsReceiver.start();
    const url = `https://other.test:${receiver.port}/`;
    const endpoint = endpointOf({ url, ca: receiver.ca }, async () => ['127.0.0.1']);
    expect(await endpoint.post(BODY)).toEqual({ kind: 'failed', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(receiver.received).toEqual([]);
  });

  it('where no TLS is spoken', async () => {
    const url = await tcpServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    const outcome = await endpointOf({ url }).post(BODY);
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/^[A-Z0-9_]+$/) });
  });
});

describe('an endpoint', () => {
  it('ends a delivery when it is stopped', async () => {
    const { endpoint, receiver } = await endpointTo(answers.silent);
    const stop = new AbortController();
    const outcome = endpoint.post(BODY, stop.signal);
    await untilTrue('it is sent', () => receiver.received.length === 1);
    stop.abort();
    expect(await outcome).toEqual({ kind: 'failed', reason: 'STOPPED' });
    expect(await endpoint.post(BODY, stop.signal)).toEqual({ kind: 'failed', reason: 'STOPPED' });
    expect(receiver.received).toHaveLength(1);
  });

  it('ends all deliveries and connections when it is closed', async () => {
    const { endpoint, receiver } = await endpointTo(answers.silent, { connections: 1 });
    const outcomes = [endpoint.post(BODY), endpoint.post(BODY)];
    await untilTrue('one is sent', () => receiver.received.length === 1);
    await endpoint.close();
    const stopped = { kind: 'failed', reason: 'STOPPED' };
    expect(await Promise.all(outcomes)).toEqual([stopped, stopped]);
    expect(await endpoint.post(BODY)).toEqual(stopped);
    await untilTrue('the connection is closed', async () => (await receiver.open()) === 0);
  });

  it('closes a connection that is being made when it is closed', async () => {
    const connected = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const url = await tcpServer((socket) => {
      socket.on('close', () => closed.resolve()).resume();
      connected.resolve();
    });
    const endpoint = endpointOf({ url });
    const outcome = endpoint.post(BODY);
    await connected.promise;
    await endpoint.close();
    await closed.promise;
    expect(await outcome).toEqual({ kind: 'failed', reason: 'STOPPED' });
  });
});
